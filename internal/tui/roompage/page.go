// Package roompage is a debate on the screen: its seats, their claims, its progress and its result.
package roompage

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Page is one debate.
type Page struct {
	*standing
	id     int
	room   string // empty: it has not begun
	title  string
	again  string // the command that asks the question again, if it cannot begin
	back   string // the conversation that gets the decision; empty: none
	told   string // the same, once the result was added: a person may still decide
	cancel context.CancelFunc
	gone   string

	shown   *shown
	table   *table
	orders  *orders
	side    *side
	input   *editor.Editor
	find    *scroll.Finder // nil: no search
	unseen  bool
	looking bool   // a check whether another process runs it is running
	ended   bool   // it ended while the page was open
	loading string // why the person waits before it begins
	asks    bool   // it begins with the first typed question
	own     bool   // the person opened it to ask
	name    string // the name it gets; empty: that of the question
	beating bool   // a beat is scheduled
	warned  time.Time
	width   int
}

// New returns the page of a debate, on the tab of a number. It is empty until a debate begins there or is
// opened.
func New(d *screen.Screen, id int) *Page {
	st := &standing{d: d, scene: scene.NewRoom()}
	p := &Page{standing: st, id: id, shown: newShown(st), table: newTable(st), input: d.NewEditor()}
	p.shown.linear = &linear{shown: p.shown, p: p, turns: map[tree.ID]bool{}}
	p.orders, p.side = &orders{p: p, sent: map[string]string{}}, &side{p: p, at: -1}
	return p
}

// Begin starts a debate from the result of frame, with a preliminary title. Its decision is added to the
// conversation back; again is the command to retry if it cannot begin.
func (p *Page) Begin(title, back, again string, frame func(context.Context) (rooms.Debate, error)) tea.Cmd {
	p.title, p.back, p.again, p.loading = title, back, again, "Looking at the project and the seats…"
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		op, err := frame(ctx)
		var root tree.ID
		if err == nil {
			root, err = p.d.Engine.Do(ctx, op)
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

// Ask makes the page wait for a question; the debate gets the name, or if empty that of the question.
func (p *Page) Ask(name string) {
	p.asks, p.own, p.name, p.title = true, true, name, cmp.Or(name, "New debate")
}

// Open shows a debate. If back is not empty, its decision is added to the conversation of that name.
func (p *Page) Open(room, back string) tea.Cmd {
	p.room, p.back = room, back
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := rooms.In(p.d.Engine).Room(ctx, room)
		return func() tea.Cmd {
			if err != nil {
				p.lose(err)
				return nil
			}
			return p.load(root)
		}
	})
}

// outcome waits for the end of a job, and reports why if that is not the end of the debate.
func (p *Page) outcome(root tree.ID) tea.Cmd {
	p.held = true
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		err := p.d.Engine.Wait(root)
		res, unread := rooms.In(p.d.Engine).Result(ctx, root)
		return func() tea.Cmd {
			p.held = unread == nil && res.Ended // news of its end is still on its way
			p.d.Fail(err)
			return nil
		}
	})
}

// load follows a room from its first node.
func (p *Page) load(root tree.ID) tea.Cmd {
	p.Close()
	p.scene.Root = root
	p.cancel = p.d.Follow(p.id, root, 0, screen.FrameTime, nil)
	return nil
}

func (p *Page) lose(err error) {
	message, hint := p.d.Explain(err)
	p.gone = strings.TrimSpace(message + "\n" + hint)
	p.Close()
	if p.room == "" {
		p.asks = p.own
		p.d.GiveBack(p.input, p.again)
	}
}

// Scene returns the state of the debate.
func (p *Page) Scene() *scene.Room { return p.scene }

// Zone returns the panel of a seat, or the scrolled part below the head.
func (p *Page) Zone(x, y int, all scroll.Zone) scroll.Zone {
	if b, ok := p.under(x, y-1); ok {
		return scroll.Zone{X0: b.x, X1: b.x + b.w, Y0: b.y + 1, Y1: b.y + b.h + 1}
	}
	view, head := p.shown.views[p.shown.view], 1+len(p.head(all.X1))
	if p.shown.view != seatsView && y >= head && y < head+view.Height {
		return scroll.Zone{X1: all.X1, Y0: head, Y1: head + view.Height,
			Scroll: func(by int) int { return view.Move(p.shown.here(p.width), by) }}
	}
	return all
}

// Commands returns all commands that can be typed on the page.
func (p *Page) Commands() []slash.Command { return p.possible() }

// Submit executes a typed line: a command, or a message to the seats.
func (p *Page) Submit(text string) tea.Cmd { return p.orders.submit(text) }

// Seats returns the seats and their activities, if their decision goes to the conversation back.
func (p *Page) Seats(back string) (out []string) {
	if p.back == "" || p.back != back {
		return nil
	}
	for _, s := range p.scene.Seats {
		out = append(out, seatMark(s)+" "+line.One(p.d.Clean(s.Info.ID)))
	}
	return out
}

// Menu returns the completions below the input.
func (p *Page) Menu() *menu.Menu { return &p.orders.menu }

// Close stops following. The debate runs as long as the program does.
func (p *Page) Close() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// Renamed updates the name of the conversation that gets the decision.
func (p *Page) Renamed(from, to string) tea.Cmd {
	for _, name := range []*string{&p.back, &p.told} {
		if *name == from {
			*name = to
		}
	}
	return nil
}

// Kept returns nothing before the debate has a name.
func (p *Page) Kept() screen.Kept {
	if p.room == "" {
		return screen.Kept{}
	}
	return screen.Kept{Page: "debate", Name: p.room, Back: p.back}
}

// Asker returns the conversation that the decision is for; empty: none, or it is not known any more.
func Asker(p *Page) string { return cmp.Or(p.back, p.told) }

// Title returns the short question, once it is known.
func (p *Page) Title() string {
	return cmp.Or(conversation.Headline(p.scene.Frame.Question), p.title, p.room)
}

// State includes no keys of the debate while the search or the side has them.
func (p *Page) State() screen.State {
	s := screen.State{Input: p.input, Ruled: true, Theirs: p.theirs, Spent: spentBy(p.scene.Seats)}
	if p.find == nil && p.side.at < 0 {
		s.Where = action.InDebate
	}
	if ln := p.shown.linear; ln.on() {
		s.Below, s.Unprinted = ln.draw, ln.unprinted
	}
	if p.loading != "" && p.again != "" {
		s.Unsent = []string{p.again}
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

// spentBy returns the cost of seats, by model.
func spentBy(seats []*scene.Seat) (out []spending.Share) {
	for _, s := range seats {
		answers := 0
		for _, t := range s.Turns {
			if t.Reply != nil {
				answers++
			}
		}
		if answers > 0 {
			out = append(out, spending.Share{Model: s.Info.Model, Calls: answers, Usage: s.Usage})
		}
	}
	return out
}

// news applies what was added to the room.
func (p *Page) news(m screen.News) tea.Cmd {
	if m.Err != nil {
		p.lose(m.Err)
		return nil
	}
	had, known := p.scene.End != nil, p.scene.Frame.Room != ""
	for _, n := range m.Batch.Nodes {
		if h, ok := p.scene.Node(n).(people.Applied); ok && known && h.Verb != "late" {
			p.d.Notice(h.Done)
			if p.d.Note.Bad = h.Refused; h.Refused {
				p.d.GiveBack(p.input, p.orders.sent[h.Verb])
				delete(p.orders.sent, h.Verb)
			}
		}
	}
	if p.told != "" && slices.ContainsFunc(m.Batch.Nodes, func(n tree.Node) bool { return n.Kind == string(ruling.EndKind) }) {
		p.back, p.ended = p.told, true
	}
	p.scene.Growing(m.Batch.Growing)
	if p.room == "" {
		p.room = p.scene.Frame.Room
	}
	p.unseen = p.unseen || known && len(m.Batch.Nodes) > 0 && p.d.Desk.Shown() != screen.Page(p)
	if p.scene.End != nil && !had {
		p.shown.view = decisionView
		if p.back != "" {
			p.ended = true
		}
	}
	var look, against tea.Cmd
	if len(m.Batch.Nodes) > 0 {
		look = p.look()
	}
	if p.scene.End != nil && !had {
		against = contradicted(p.standing)
	}
	return tea.Batch(p.fetch(), p.conclude(), look, against, p.beat())
}

// fetch loads the texts of new answers.
func (p *Page) fetch() tea.Cmd {
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

// conclude adds the decision to the conversation that asked.
func (p *Page) conclude() tea.Cmd {
	if !p.ended || p.back == "" {
		return nil
	}
	back, what := p.back, "decision added to the conversation "
	if p.back, p.told = "", back; !p.scene.End.Outcome.Decision() {
		what = "no decision; noted in the conversation "
	}
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		p.d.Engine.Wait(p.scene.Root)
		_, err := p.d.Engine.Do(ctx, conversation.Conclude{Tree: back, Room: p.room})
		name := back
		if t, opened := conversation.In(p.d.Engine).Open(ctx, back); opened == nil {
			title, _ := conversation.In(p.d.Engine).Title(ctx, t) // without a readable title the name is shown
			name = cmp.Or(title, name)
		}
		return func() tea.Cmd {
			if err != nil {
				p.d.Fail(err)
			} else {
				p.d.Notice(what + line.One(p.d.Clean(name)))
			}
			return nil
		}
	})
}

// look finds out whether another process runs the debate.
func (p *Page) look() tea.Cmd {
	over := func() bool {
		return p.room == "" || p.scene.End != nil || p.scene.Root != "" && p.d.Engine.Running(p.scene.Root)
	}
	if p.looking || over() {
		p.theirs = p.theirs && !over()
		return nil
	}
	p.looking = true
	name, e := p.room, p.d.Engine
	return p.d.Elsewhere(func() bool { return rooms.In(e).Elsewhere(name) }, func(is bool) bool {
		p.theirs = is && !over()
		p.looking = p.theirs && p.cancel != nil
		return p.looking
	})
}
