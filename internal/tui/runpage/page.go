// Package runpage shows runs of plans on the screen: one with its steps, agents, checks and merge queue, and a
// board of all of them with the queued prompts.
package runpage

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Page is one run.
type Page struct {
	d      *screen.Screen
	id     int
	name   string
	root   tree.ID
	fold   work.Fold
	s      work.Status // as folded from the nodes
	came   int         // number of nodes
	last   time.Time   // when the last of them was committed
	cancel []context.CancelFunc
	gone   string

	running, watched bool           // in any process; a check of that is running
	died             bool           // that process ended in the middle of it
	load             workspace.Load // what it takes now
	asks             bool           // its debate waits for the person

	rows   []row  // the steps as drawn
	chosen string // the selected step
	top    int
	view   view
	agents map[string]*agent // by their conversations
	patch  patch
	text   scroll.Scroll // of the view beside the steps
	side   []string      // that view, as drawn last
	width  int
}

// New returns the page of a run, on the tab of a number. It is empty before Load.
func New(d *screen.Screen, id int, name string) *Page {
	return &Page{d: d, id: id, name: name, agents: map[string]*agent{}}
}

// Load reads the run, and follows it from there, whichever process executes it.
func (p *Page) Load() tea.Cmd {
	e, name := p.d.Engine, p.name
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		root, err := runs.In(e).Root(ctx, name)
		var nodes []tree.Node
		if err == nil {
			nodes, err = e.Tree(ctx, root)
		}
		return func() tea.Cmd {
			if err != nil {
				p.gone, _ = p.d.Explain(err)
				return nil
			}
			p.root = root
			cmd := p.take(nodes)
			p.cancel = append(p.cancel, p.d.Follow(p.id, root, nodes[len(nodes)-1].Seq, 5*screen.FrameTime,
				func(b engine.Batch) bool { return len(b.Nodes) > 0 }))
			return tea.Batch(cmd, p.watch())
		}
	})
}

// take applies new nodes.
func (p *Page) take(nodes []tree.Node) tea.Cmd {
	for _, n := range nodes {
		p.fold.Node(n)
		p.last = n.At
	}
	p.s, _ = p.fold.Status()
	p.came += len(nodes)
	p.rows = rows(p.s)
	if p.s.Task(p.chosen) == nil && len(p.s.Tasks) > 0 {
		p.chosen = p.rows[0].id
		if i := slices.IndexFunc(p.s.Tasks, stuck); i >= 0 {
			p.chosen = p.s.Tasks[i].ID
		}
	}
	var cmds []tea.Cmd
	for _, t := range p.s.Tasks {
		if t.State != work.Working || t.Claim == nil {
			continue
		}
		if name := record.Conversation(p.name, *t.Claim); p.agents[name] == nil {
			p.agents[name] = &agent{name: name, task: t.ID}
			cmds = append(cmds, p.listen(p.agents[name]))
		}
	}
	return tea.Batch(cmds...)
}

// stuck reports whether a step needs somebody: it failed or waits for the person.
func stuck(t work.Task) bool { return t.State == work.Failed || t.State == work.Person }

// watch checks whether a process executes the run, repeatedly while one does.
func (p *Page) watch() tea.Cmd {
	if p.watched {
		return nil
	}
	p.watched = true
	e, name := p.d.Engine, p.name
	// They are the search's alone while it goes on, and the page's between two of them.
	space, load, info, held := p.s.Space(), workspace.Load{}, runs.Info{}, rooms.Info{}
	room := p.debating()
	return p.d.Elsewhere(func() bool {
		load = runs.In(e).Load(space)
		if held = (rooms.Info{}); room != "" {
			held, _ = rooms.In(e).Info(p.d.Ctx, room) // without it, nothing is said of the debate
		}
		if runs.In(e).Running(name) {
			return true
		}
		info, _, _ = runs.In(e).Info(p.d.Ctx, name) // without it, nothing is said of its process
		return info.Running
	}, func(is bool) bool {
		p.load, p.died, space = load, !is && info.Died, p.s.Space()
		room, p.asks = p.debating(), held.Waits && held.Room == p.debating()
		p.running, p.watched = is, is && p.d.Desk.Holds(p)
		return p.watched
	})
}

// debating is the debate about how the request should be done, while it is not at its end; empty: there is none.
func (p *Page) debating() string {
	if p.s.Analyzed == nil || p.s.Analyzed.Text != "" {
		return ""
	}
	return p.s.Analyzed.Room
}

// task is the chosen step; nil: there is none.
func (p *Page) task() *work.Task { return p.s.Task(p.chosen) }

// took returns how long the run has been executed, without the time in which no process ran it.
func (p *Page) took() string {
	if p.s.Begun == nil {
		return ""
	}
	end := p.last
	if p.running {
		end = time.Now()
	}
	return line.Took(end.Sub(p.s.Since))
}

// Close stops following.
func (p *Page) Close() {
	for _, cancel := range p.cancel {
		cancel()
	}
	p.cancel = nil
}

// Kept identifies the run.
func (p *Page) Kept() screen.Kept { return screen.Kept{Page: "run", Name: p.name} }

// Title returns the name of the run.
func (p *Page) Title() string { return line.One(p.d.Clean("run " + p.name)) }

// Zone returns the whole page.
func (p *Page) Zone(_, _ int, all scroll.Zone) scroll.Zone { return all }

// Renamed does nothing: it is for conversations.
func (p *Page) Renamed(string, string) tea.Cmd { return nil }

// State reports whether the run is executed, or waits for the person.
func (p *Page) State() screen.State {
	s := screen.State{Where: action.InRun}
	switch {
	case p.asks:
		s.Mark = screen.Waiting
	case p.running:
		s.Mark, s.Theirs = screen.Working, !p.d.Engine.Running(p.root)
	case p.needed() != nil:
		s.Mark = screen.Waiting
	}
	return s
}

// needed returns the step that needs the person: the selected one, else the first that waits; nil: none does.
func (p *Page) needed() *work.Task {
	if t := p.task(); t != nil && t.State == work.Person {
		return t
	}
	i := slices.IndexFunc(p.s.Tasks, func(t work.Task) bool { return t.State == work.Person })
	if i < 0 {
		return nil
	}
	return &p.s.Tasks[i]
}

// Parts returns how many agents work, and the keys.
func (p *Page) Parts() []screen.Part {
	busy := 0
	for _, t := range p.s.Tasks {
		if t.State == work.Working && p.running {
			busy++
		}
	}
	state := string(p.s.State)
	if p.died {
		state = "died"
	}
	if p.asks {
		state = "waits for you"
	} else if p.running && p.debating() != "" {
		state = "a panel debates"
	} else if p.running {
		state = fmt.Sprintf("%d of %d workers busy", busy, max(busy, p.s.Options().Parallel))
	}
	out := []screen.Part{{Text: state}, {Text: p.s.Options().Mode, Rank: 10}}
	for i, a := range p.hints() {
		if key := p.d.Keys.Key(a.action); key != "" {
			out = append(out, screen.Part{Text: key + " " + a.word, Rank: i + 4, Right: true})
		}
	}
	return append(out, p.d.Keys.Help())
}

// hint is an action that the status line names by a word.
type hint struct{ action, word string }

// hints are the actions that make sense now, the most important first.
func (p *Page) hints() []hint {
	all := []hint{{"run-open", "open"}}
	if t := p.task(); t != nil && t.State == work.Failed && !p.running {
		all = append(all, hint{"run-retry", "retry"})
	}
	switch {
	case p.running:
		all = append(all, hint{"run-pause", "pause"})
	case !p.s.Accepted():
		all = append(all, hint{"run-pause", "resume"})
	}
	all = append(all, hint{"run-view", "view"}, hint{"run-diff", "diff"})
	if !p.s.Accepted() {
		all = append(all, hint{"run-accept", "accept"})
	}
	return append(all, hint{"runs", "board"})
}
