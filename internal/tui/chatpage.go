package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// chatPage is a conversation.
type chatPage struct {
	d      *Desk
	id     int
	env    *slash.Env
	scene  *scene.Chat
	cancel context.CancelFunc // of following; nil: nothing is followed yet
	gone   string             // why there is nothing to follow any more

	scroll  scroll.Scroll
	items   []item
	drawn   map[tree.ID]drawn // what entries look like, by item
	open    map[tree.ID]bool  // entries that are shown whole
	asides  map[tree.ID]bool  // nodes of side questions
	chosen  int               // the item that has the keys; -1: none has
	beside  int               // the line of the side that has them; -1: none has
	live    markdown.Grown
	width   int
	side    bool
	sideAt  []int // of the lines of the side: which of those that can be reached; -1: none
	unseen  bool
	theirs  bool // another process is at work on it
	looking bool // whether it is
	busy    int  // commands at work, and looks at the whole conversation
	reads   reads
	seek    tree.ID // what it is to show once it is there
	printed printed
	changed changes
	queue   queue
	stopped bool // the turn was asked to end

	doing    string // what goes on
	since    time.Time
	counting bool // how long it takes is counted

	input *editor.Editor
	find  *scroll.Finder // nil: nothing is searched for
	menu  menu.Menu
	ask   *askDialog // what waits for the person; nil: nothing does
}

// item is what stands on the page: an entry of the scene, or a remark of ours that is not kept.
type item struct {
	entry  int // -1: a remark
	id     tree.ID
	remark string
	failed bool
	answer bool // the remark is what a model answered
}

// newChat makes a conversation that begins with the first thing that is said.
func (d *Desk) newChat(id int) screen.Page {
	p := &chatPage{d: d, id: id, env: d.Slash(d.Dir), scene: scene.NewChat(d.Todo), chosen: -1, beside: -1, side: true,
		drawn: map[tree.ID]drawn{}, open: map[tree.ID]bool{}, asides: map[tree.ID]bool{}, input: d.NewEditor()}
	return p
}

// openChat shows a conversation in a new tab, or goes to the tab that shows it.
func (d *Desk) openChat(name string) tea.Cmd {
	for i, t := range d.tabs {
		if k := t.Kept(); k.Page == "chat" && k.Name == name {
			d.show(i)
			return nil
		}
	}
	t := d.open(d.newChat)
	p := t.Page.(*chatPage)
	p.env.Tree = name
	return p.load()
}

// lose shows that the conversation is not there any more.
func (p *chatPage) lose(err error) {
	if !p.d.holds(p) {
		return // it was closed meanwhile
	}
	p.gone, _ = p.d.Explain(err)
	p.d.Fail(err)
	p.Close()
}

// follow has the news of a conversation sent to the page, a frame's time apart at least.
func (p *chatPage) follow(t engine.Tree, seq int64) {
	p.Close()
	p.cancel = p.d.Follow(p.id, t.Root, seq, screen.FrameTime, screen.Everything)
}

// Zone is the messages, the input or the column at the right.
func (p *chatPage) Zone(x, y int, all scroll.Zone) scroll.Zone {
	switch {
	case p.ask != nil || p.beside >= 0:
	case x >= p.width:
		all.X0 = p.width + 2
	case y > p.scroll.Height || y == 0:
		all.X0, all.X1 = 1, p.width
	default:
		return scroll.Zone{X0: 1, X1: p.width, Y0: 1, Y1: 1 + p.scroll.Height, Scroll: func(by int) int { return p.scroll.Move(p.blocks(), by) }}
	}
	return all
}

// Menu is what is offered below the input.
func (p *chatPage) Menu() *menu.Menu { return &p.menu }

// Close ends what is followed. The turn at work goes on.
func (p *chatPage) Close() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// Renamed takes the name that it has from now on.
func (p *chatPage) Renamed(from, to string) tea.Cmd {
	if p.env.Tree != from {
		return nil
	}
	p.env.Tree = to
	return p.load()
}

func (p *chatPage) Kept() Kept {
	if p.env.Tree == "" {
		return Kept{}
	}
	return Kept{Page: "chat", Name: p.env.Tree}
}

func (p *chatPage) Title() string {
	switch {
	case p.env.Tree == "":
		return "new"
	}
	return p.env.Tree
}

func (p *chatPage) State() screen.State {
	s := screen.State{Input: p.input, Ruled: p.ask == nil && (p.gone == "" || !p.input.Empty()), Theirs: p.theirs, Spent: p.scene.Spent}
	if p.ask == nil && p.find == nil {
		s.Where = action.InChat
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

// running says whether a turn is at work, in this process or in another.
func (p *chatPage) running() bool { return p.theirs || p.ours() }

// news takes in what came into the tree.
func (p *chatPage) news(m screen.News) tea.Cmd {
	if m.Err != nil {
		p.lose(m.Err)
		return nil
	}
	moved := false
	p.reads.hear(m.Batch.Nodes)
	for _, n := range m.Batch.Nodes {
		p.queue.hear(n)
		if !p.scene.Node(n) {
			moved = true
			p.aside(n)
		}
	}
	p.scene.Growing(m.Batch.Growing)
	p.index()
	if p.beside >= 0 {
		p.beside = min(p.beside, len(p.sideLines())-1)
	}
	p.unseen = p.unseen || len(m.Batch.Nodes) > 0 && p.d.current() != screen.Page(p)
	p.question()
	var look tea.Cmd
	if len(m.Batch.Nodes) > 0 {
		look = tea.Batch(p.look(), p.compareFiles(m.Batch.Nodes))
	}
	look = tea.Batch(look, p.grew())
	if moved {
		return tea.Batch(p.recheck(), look, p.sendQueued())
	}
	return tea.Batch(look, p.sendQueued())
}

// recheck looks whether the branch was moved, by whomever.
func (p *chatPage) recheck() tea.Cmd {
	name := p.env.Tree
	if name == "" {
		return nil
	}
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := p.d.Engine.OpenTree(ctx, name)
		return func() tea.Cmd {
			switch {
			case name != p.env.Tree:
				return nil
			case err != nil:
				p.lose(err)
				return nil
			case t.Head != p.scene.Tree.Head || t.Branch != p.scene.Tree.Branch || t.Root != p.scene.Tree.Root || p.cancel == nil:
				return p.load()
			}
			return nil
		}
	})
}

// index brings the items up to date with the entries.
func (p *chatPage) index() {
	from := 0
	for i := len(p.items) - 1; i >= 0; i-- {
		if p.items[i].entry >= 0 {
			from = p.items[i].entry + 1
			break
		}
	}
	for i := from; i < len(p.scene.Entries); i++ {
		p.items = append(p.items, item{entry: i, id: tree.ID(string(p.scene.Entries[i].Node) + "/" + strconv.Itoa(i))})
	}
	if from < len(p.scene.Entries) {
		p.tally()
	}
}

// reindex makes the items anew. Remarks stay behind what they followed, or at the end if that is not there any more.
func (p *chatPage) reindex() {
	was := p.items
	p.items = nil
	p.index()
	var behind tree.ID
	for _, it := range was {
		if it.entry >= 0 {
			behind = it.id
			continue
		}
		at := len(p.items)
		if behind == "" {
			at = 0
		} else if i := slices.IndexFunc(p.items, func(o item) bool { return o.id == behind }); i >= 0 {
			at = i + 1
		}
		p.items = slices.Insert(p.items, at, it)
		behind = it.id
	}
}

// remark puts a text of ours on the page.
func (p *chatPage) remark(text string, failed bool) {
	text = strings.TrimRight(p.d.Clean(text), "\n")
	if text != "" {
		p.items = append(p.items, item{entry: -1, id: tree.NewID(), remark: text, failed: failed})
		p.scroll.End()
	}
}

// history lets the up arrow bring back what was said.
func (p *chatPage) history() {
	var said []string
	for _, e := range p.scene.Entries {
		if e.Sort == scene.Said {
			said = append(said, e.Text)
		}
	}
	p.input.History(said)
}
