// Package chatpage is a conversation on the screen: messages, the input, and the side column.
package chatpage

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Page is one conversation.
type Page struct {
	*standing
	id   int
	gone string // why nothing is followed any more

	list    *list
	changed *changes
	side    *side
	Copier  *copier
	start   *start
	*printed
	*turnRunner
	*reads

	unseen   bool
	seek     tree.ID // the node to show once it is loaded
	doing    string  // the current activity
	counting bool    // its duration is being counted

	input *editor.Editor
	find  *scroll.Finder // nil: nothing is searched for
	menu  menu.Menu
	ask   *askDialog // the question to the person; nil: none
	bold  bool       // mode yolo was chosen here
}

// standing is the state of a conversation.
type standing struct {
	d      *screen.Screen
	who    *people.People
	env    *slash.Env
	scene  *scene.Chat
	theirs bool // another process works on it
}

// item is one item of the page: an entry of the scene, or a remark of ours that is not stored.
type item struct {
	entry  int // -1: a remark
	id     tree.ID
	remark string
	typed  string // the command whose result it is
	failed bool
	answer bool // the remark is what a model answered
	step   bool // the remark is one of several about the same: they stand close
}

// New makes a conversation that begins with the first message, on the tab of a number.
func New(d *screen.Screen, who *people.People, id int) *Page {
	st := &standing{d: d, who: who, env: d.Slash(d.Dir), scene: scene.NewChat(d.Todo)}
	ch := &changes{standing: st}
	p := &Page{standing: st, id: id, changed: ch, list: newList(st, ch), input: d.NewEditor()}
	p.Copier = &copier{standing: st, list: p.list}
	p.side, p.start = &side{p: p, on: true, at: -1}, &start{p: p}
	p.printed, p.turnRunner, p.reads = &printed{p: p}, &turnRunner{p: p}, &reads{p: p}
	return p
}

// Open shows the conversation of a name.
func (rs *reads) Open(name string) tea.Cmd {
	rs.p.env.Tree = name
	return rs.p.reads.Load()
}

// Renew discovers the models that commands offer again.
func (p *Page) Renew() { p.env.Models = p.d.Slash(p.env.Dir).Models }

// Scene returns the state of the conversation.
func (p *Page) Scene() *scene.Chat { return p.scene }

// Blocks returns the messages, and what grows below them.
func (p *Page) Blocks() scroll.Blocks { return p.list.blocks() }

// lose shows that the conversation no longer exists.
func (p *Page) lose(err error) {
	if !p.d.Desk.Holds(p) {
		return // the page was closed meanwhile
	}
	p.gone, _ = p.d.Explain(err)
	p.d.Fail(err)
	p.Close()
}

// follow sends the news of a conversation to the page, at most once per frame.
func (rs *reads) follow(t conversation.Tree, seq int64) {
	rs.p.Close()
	rs.cancel = rs.p.d.Follow(rs.p.id, t.Root, seq, screen.FrameTime, nil)
}

// Zone returns what is at a position: the messages, the input or the column at the right.
func (p *Page) Zone(x, y int, all scroll.Zone) scroll.Zone {
	switch {
	case p.ask != nil || p.side.at >= 0:
	case x >= p.list.width:
		all.X0 = p.list.width + 2
	case y > p.list.scroll.Height || y == 0:
		all.X0, all.X1 = line.Margin, p.list.width
	default:
		return scroll.Zone{X0: line.Margin, X1: p.list.width, Y0: 1, Y1: 1 + p.list.scroll.Height,
			Scroll: func(by int) int { return p.list.scroll.Move(p.list.blocks(), by) }}
	}
	return all
}

// Menu returns the completions below the input; nil while something else has the keys.
func (p *Page) Menu() *menu.Menu {
	if p.ask != nil || !p.typing() {
		return nil
	}
	return &p.menu
}

// Close stops following. A running turn continues.
func (p *Page) Close() {
	if p.reads.cancel != nil {
		p.reads.cancel()
		p.reads.cancel = nil
	}
}

// Renamed applies a new name.
func (p *Page) Renamed(from, to string) tea.Cmd {
	if p.env.Tree != from {
		return nil
	}
	p.env.Tree = to
	return p.reads.Load()
}

// Kept returns nothing before the first message: there is no conversation to reopen.
func (p *Page) Kept() screen.Kept {
	if p.env.Tree == "" {
		return screen.Kept{}
	}
	return screen.Kept{Page: "chat", Name: p.env.Tree}
}

// Title returns the conversation's title, else its name.
func (p *Page) Title() string {
	if p.env.Tree == "" {
		return "New conversation"
	}
	return cmp.Or(p.scene.Title, p.env.Tree)
}

// State includes no keys of the chat while a question or the search is open: they take the keys.
func (p *Page) State() screen.State {
	s := screen.State{Input: p.input, Ruled: p.ask == nil && (p.gone == "" || !p.input.Empty()), Theirs: p.theirs, Spent: p.scene.Spent,
		Unsent: p.turnRunner.queue.unsent()}
	if p.ask == nil && p.find == nil {
		s.Where = action.InChat
	}
	if p.d.Inline && p.atEnd() {
		s.Below, s.Unprinted = p.printed.draw, p.printed.unprinted
	}
	switch {
	case p.ask != nil:
		s.Mark = screen.Waiting
	case p.running():
		s.Mark = screen.Working
	case p.unseen:
		s.Mark = screen.Fresh
	}
	return s
}

// running reports whether a turn runs, in this process or in another.
func (st *standing) running() bool { return st.theirs || st.ours() }

// news applies what was added to the tree.
func (p *Page) news(m screen.News) tea.Cmd {
	if m.Err != nil {
		p.lose(m.Err)
		return nil
	}
	moved := false
	p.reads.hear(m.Batch.Nodes)
	for _, n := range m.Batch.Nodes {
		body, here := p.scene.Node(n)
		p.turnRunner.queue.hear(body)
		if !here {
			moved = true
			p.list.aside(n, body)
		}
	}
	p.scene.Growing(m.Batch.Growing)
	p.list.index()
	if p.side.at >= 0 {
		p.side.at = min(p.side.at, len(p.side.reach())-1)
	}
	p.unseen = p.unseen || len(m.Batch.Nodes) > 0 && p.d.Desk.Shown() != screen.Page(p)
	p.question()
	var look tea.Cmd
	if len(m.Batch.Nodes) > 0 {
		look = tea.Batch(p.reads.look(), p.changed.compare(m.Batch.Nodes))
	}
	look = tea.Batch(look, p.grew())
	if moved {
		return tea.Batch(p.reads.Recheck(), look, p.turnRunner.next())
	}
	return tea.Batch(look, p.turnRunner.next())
}

// Recheck checks whether the branch was moved, by anybody.
func (rs *reads) Recheck() tea.Cmd {
	name := rs.p.env.Tree
	if name == "" {
		return nil
	}
	return rs.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := conversation.In(rs.p.d.Engine).Open(ctx, name)
		return func() tea.Cmd {
			switch {
			case name != rs.p.env.Tree:
				return nil
			case err != nil:
				rs.p.lose(err)
				return nil
			case t.Head != rs.p.scene.Tree.Head || t.Branch != rs.p.scene.Tree.Branch || t.Root != rs.p.scene.Tree.Root || rs.cancel == nil:
				return rs.Load()
			}
			return nil
		}
	})
}

// index updates the items from the entries.
func (ml *list) index() {
	from := 0
	for i := len(ml.items) - 1; i >= 0; i-- {
		if ml.items[i].entry >= 0 {
			from = ml.items[i].entry + 1
			break
		}
	}
	was := len(ml.items)
	for i := from; i < len(ml.scene.Entries); i++ {
		if !answeredAbove(ml.scene.Entries[:i+1]) {
			ml.items = append(ml.items, item{entry: i, id: tree.ID(string(ml.scene.Entries[i].Node) + "/" + strconv.Itoa(i))})
		}
	}
	if len(ml.items) > was {
		ml.changed.tally()
	}
}

// answeredAbove reports whether the last entry is a call that the person denied before it did anything: the
// question above it, with their answer, says the same.
func answeredAbove(entries []scene.Entry) bool {
	last := len(entries) - 1
	e := &entries[last]
	if e.Sort != scene.Called || !e.Show.Failed || !told.Denied(e.Reason) || strings.Contains(e.Result, "\n") {
		return false
	}
	for i := last - 1; i >= 0; i-- {
		switch q := &entries[i]; {
		case q.Sort == scene.Asked && q.Who == e.Who && q.Answer != nil && q.Answer.Choice == "deny":
			return true
		case q.Sort != scene.Asked && q.Sort != scene.Called:
			return false
		}
	}
	return false
}

// reindex rebuilds the items. A remark stays after the item it followed, or goes to the end if that is gone.
func (ml *list) reindex() {
	was := ml.items
	ml.items = nil
	ml.index()
	var behind tree.ID
	for _, it := range was {
		if it.entry >= 0 {
			behind = it.id
			continue
		}
		at := len(ml.items)
		if behind == "" {
			at = 0
		} else if i := slices.IndexFunc(ml.items, func(o item) bool { return o.id == behind }); i >= 0 {
			at = i + 1
		}
		ml.items = slices.Insert(ml.items, at, it)
		behind = it.id
	}
}

// top shows the last item from its beginning, if it does not fit or what grows below it would push it out of
// sight. If it is read aloud it is printed like everything else.
func (ml *list) top() {
	last := len(ml.items) - 1
	if ml.d.Plain && ml.d.Inline {
		return
	}
	if ml.scene.Live.Text != "" || len(ml.drawItem(last)) > ml.scroll.Height {
		ml.scroll.To(last)
	}
}

// step tells one of the things that happen in what a command began; typed is that command, and stands above the first of them.
func (ml *list) step(text, typed string) {
	if text = strings.TrimRight(ml.d.Clean(text), "\n"); text != "" || typed != "" {
		ml.items = append(ml.items, item{entry: -1, id: tree.NewID(), remark: text, typed: line.One(ml.d.Clean(typed)), step: true})
		ml.scroll.End()
	}
}

// remark puts a text of ours on the page, below the command that it came of, if it did.
func (ml *list) remark(text, typed string, failed bool) {
	text = strings.TrimRight(ml.d.Clean(text), "\n")
	if text != "" {
		ml.items = append(ml.items, item{entry: -1, id: tree.NewID(), remark: text, typed: line.One(ml.d.Clean(typed)), failed: failed})
		ml.scroll.End()
	}
}
