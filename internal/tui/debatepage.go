package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// debatePage is a debate: its seats, what they claim, how it stands, and what came of it.
type debatePage struct {
	d      *Desk
	id     int
	room   string // empty: it has not begun
	title  string
	again  string // what asks the question again, if it cannot begin
	back   string // the conversation that what is decided goes back to; empty: none
	later  string // the same, once it heard that nothing was decided: a person may decide yet
	scene  *scene.Room
	cancel context.CancelFunc
	gone   string

	view    view
	views   map[view]*scroll.Scroll
	panels  map[string]*markdown.Grown
	text    markdown.Grown // of the decision
	input   *editor.Editor
	orders  map[string]string // what was typed last, by verb
	find    *scroll.Finder    // nil: nothing is searched for
	menu    menu.Menu
	texts   map[string][]string // of the panels, as drawn last
	scrolls seatScrolls
	unseen  bool
	theirs  bool   // another process is at work on it
	looking bool   // whether it is
	ended   bool   // it was seen to end while the page was there
	loading string // what the person waits for before it begins
	beating bool   // a beat is on its way
	warned  time.Time
	width   int
	boxes   []seatBox // of the seats, as drawn last
}

// seatBox is where the panel of a seat stands on the page.
type seatBox struct {
	seat       *scene.Seat
	x, y, w, h int
}

// under is the panel at a place of the page.
func (p *debatePage) under(x, y int) (seatBox, bool) {
	for _, b := range p.boxes {
		if p.view == seatsView && x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h {
			return b, true
		}
	}
	return seatBox{}, false
}

// view is what the middle of a debate's page shows.
type view string

// The views, in the order they are gone through.
const (
	seatsView      view = "seats"
	ledgerView     view = "ledger"
	scoreView      view = "score"
	transcriptView view = "transcript"
	decisionView   view = "decision"
	logView        view = "log"
)

var views = []view{seatsView, ledgerView, scoreView, transcriptView, decisionView, logView}

func (d *Desk) newDebate(id int) *debatePage {
	p := &debatePage{d: d, id: id, scene: scene.NewRoom(), view: seatsView, views: map[view]*scroll.Scroll{}, panels: map[string]*markdown.Grown{},
		scrolls: seatScrolls{}, texts: map[string][]string{}, orders: map[string]string{}, input: d.NewEditor()}
	for _, v := range views {
		p.views[v] = &scroll.Scroll{Away: v == decisionView || v == ledgerView || v == scoreView}
	}
	return p
}

// debate lets a panel decide on a question in a tab of its own; what it decides is brought back to a conversation.
func (d *Desk) debate(question, back string) tea.Cmd {
	cmd := d.debateOn(question, back, func(ctx context.Context) (engine.Debate, error) { return d.Frame(ctx, question) })
	d.current().(*debatePage).again = "/debate " + question
	return cmd
}

// debateOn shows the debate that a frame makes, under a title until it is known.
func (d *Desk) debateOn(title, back string, frame func(context.Context) (engine.Debate, error)) tea.Cmd {
	var p *debatePage
	d.open(func(id int) screen.Page { p = d.newDebate(id); return p })
	p.title, p.back, p.loading = title, back, "Looking at the project and the seats…"
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		op, err := frame(ctx)
		var root tree.ID
		if err == nil {
			root, err = d.Engine.Do(ctx, op)
		}
		return func() tea.Cmd {
			p.loading = ""
			if err != nil {
				p.lose(err)
				return nil
			}
			return tea.Batch(p.load(root), p.outcome(root))
		}
	})
}

// outcome waits for the end of a debate at work here, and tells why if it is not the end of the debate.
func (p *debatePage) outcome(root tree.ID) tea.Cmd {
	return p.d.Away(func(context.Context) func() tea.Cmd {
		err := p.d.Engine.Wait(root)
		return func() tea.Cmd { p.d.Fail(err); return nil }
	})
}

// openDebate shows a debate in a new tab, or goes to the tab that shows it.
// Where back is not empty, what it decides is brought back to the conversation of that name.
func (d *Desk) openDebate(room, back string) tea.Cmd {
	for i, t := range d.tabs {
		if k := t.Kept(); k.Page == "debate" && k.Name == room {
			d.show(i)
			return nil
		}
	}
	var p *debatePage
	d.open(func(id int) screen.Page { p = d.newDebate(id); return p })
	p.room, p.back = room, back
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := d.Engine.Room(ctx, room)
		return func() tea.Cmd {
			if err != nil {
				p.lose(err)
				return nil
			}
			return p.load(root)
		}
	})
}

// load follows a room from its first node.
func (p *debatePage) load(root tree.ID) tea.Cmd {
	p.Close()
	p.scene.Root = root
	p.cancel = p.d.Follow(p.id, root, 0, screen.FrameTime, screen.Everything)
	return nil
}

func (p *debatePage) lose(err error) {
	message, hint := p.d.Explain(err)
	p.gone = strings.TrimSpace(message + "\n" + hint)
	p.Close()
	if p.room == "" {
		p.d.GiveBack(p.input, p.again)
	}
}

// Close ends what is followed. The debate goes on as long as the program does.
func (p *debatePage) Close() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// Renamed has what is decided go to the conversation under its new name.
func (p *debatePage) Renamed(from, to string) tea.Cmd {
	if p.back == from {
		p.back = to
	}
	return nil
}

func (p *debatePage) Kept() Kept {
	if p.room == "" {
		return Kept{}
	}
	return Kept{Page: "debate", Name: p.room, Back: p.back}
}

func (p *debatePage) Title() string {
	if p.room != "" {
		return p.room
	}
	return p.title
}

func (p *debatePage) State() screen.State {
	s := screen.State{Input: p.input, Ruled: true, Theirs: p.theirs, Spent: spentBy(p.scene.Seats)}
	if p.find == nil {
		s.Where = action.InDebate
	}
	switch {
	case p.scene.Need != nil && p.running():
		s.Mark = screen.Waiting
	case p.running() || p.loading != "":
		s.Mark = screen.Working
	case p.unseen:
		s.Mark = screen.Fresh
	}
	return s
}

// spentBy is what seats cost, by model.
func spentBy(seats []*scene.Seat) (out []talk.Spending) {
	for _, s := range seats {
		answers := 0
		for _, t := range s.Turns {
			if t.Reply != nil {
				answers++
			}
		}
		if answers > 0 {
			out = append(out, talk.Spending{Model: s.Info.Model, Calls: answers, Usage: s.Usage})
		}
	}
	return out
}

func (p *debatePage) running() bool {
	return p.scene.Root != "" && p.scene.End == nil && (p.theirs || p.d.Engine.Running(p.scene.Root))
}

// news takes in what came into the room.
func (p *debatePage) news(m screen.News) tea.Cmd {
	if m.Err != nil {
		p.lose(m.Err)
		return nil
	}
	had, known := p.scene.End != nil, p.scene.Frame.Room != ""
	for _, n := range m.Batch.Nodes {
		p.scene.Node(n)
		if h, ok := debate.HeedKind.Of(n); ok && known && h.Verb != "late" {
			p.d.Tell(h.Done)
			if p.d.Note.Bad = h.Refused; h.Refused {
				p.d.GiveBack(p.input, p.orders[h.Verb])
				delete(p.orders, h.Verb)
			}
		}
	}
	if p.later != "" && p.scene.End.Outcome.Decision() {
		p.back, p.later, p.ended = p.later, "", true
	}
	p.scene.Growing(m.Batch.Growing)
	if p.room == "" {
		p.room = p.scene.Frame.Room
	}
	p.unseen = p.unseen || known && len(m.Batch.Nodes) > 0 && p.d.current() != screen.Page(p)
	if p.scene.End != nil && !had {
		p.view = decisionView
		if p.back != "" {
			p.ended = true
		}
	}
	var look tea.Cmd
	if len(m.Batch.Nodes) > 0 {
		look = p.look()
	}
	return tea.Batch(p.fetch(), p.conclude(), look, p.beat())
}

// fetch looks up the texts of answers that came.
func (p *debatePage) fetch() tea.Cmd {
	wanted := p.scene.Wanted()
	if len(wanted) == 0 {
		return nil
	}
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		texts := map[string]string{}
		for _, hash := range wanted {
			if text, err := p.d.Engine.Text(ctx, hash); err == nil {
				texts[hash] = text
			} else {
				texts[hash] = "(the text cannot be read)"
			}
		}
		return func() tea.Cmd { p.scene.Texts(texts); return nil }
	})
}

// conclude brings what was decided back into the conversation that asked.
func (p *debatePage) conclude() tea.Cmd {
	if !p.ended || p.back == "" {
		return nil
	}
	back, what := p.back, "what was decided"
	if p.back = ""; !p.scene.End.Outcome.Decision() {
		what, p.later = "that nothing was decided", back
	}
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		p.d.Engine.Wait(p.scene.Root)
		_, err := p.d.Engine.Do(ctx, engine.Conclude{Tree: back, Room: p.room})
		return func() tea.Cmd {
			if err != nil {
				p.d.Fail(err)
			} else {
				p.d.Tell(what + " is part of the conversation " + back + " now")
			}
			return nil
		}
	})
}

// say tells the room what the person typed.
func (p *debatePage) say(text string) tea.Cmd {
	word, err := debate.ParseWord(text)
	if err != nil {
		p.d.Refuse(err.Error() + "; /help lists what can be said to a debate")
		return nil
	}
	p.orders[word.Verb] = text
	return p.tell(word)
}

func (p *debatePage) tell(word debate.Word) tea.Cmd {
	if p.room == "" {
		p.d.Refuse("the debate has not begun yet")
		return nil
	}
	return p.d.Do(engine.Tell{Room: p.room, Word: word}, nil)
}
