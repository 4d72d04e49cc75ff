package runpage

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Actions are the actions of a run.
func Actions() []action.Action[*Page] {
	step := func(by int) func(*Page) tea.Cmd { return func(p *Page) tea.Cmd { return p.choose(by) } }
	say := func(verb string) func(*Page) tea.Cmd { return func(p *Page) tea.Cmd { return p.decide(verb) } }
	scrolls := func(by int) func(*Page) tea.Cmd {
		return func(p *Page) tea.Cmd { p.move(by); return nil }
	}
	return []action.Action[*Page]{
		{Name: "run-up", Doc: "Previous step", Keys: []string{"up", "k"}, Do: step(-1)},
		{Name: "run-down", Doc: "Next step", Keys: []string{"down", "j"}, Do: step(1)},
		{Name: "run-open", Doc: "Open the step's conversation", Keys: []string{"enter"}, Do: (*Page).open},
		{Name: "run-view", Doc: "Show agents, the step or its changes", Keys: []string{"tab"}, Do: (*Page).nextView},
		{Name: "run-diff", Doc: "Show what the step changed", Keys: []string{"d"}, Also: "socrates work diff",
			Do: (*Page).diff},
		{Name: "run-pause", Doc: "Pause or resume the run", Keys: []string{"p"}, Also: "/work pause", Do: (*Page).pause},
		{Name: "run-cancel", Doc: "Stop the run immediately", Keys: []string{"x"}, Also: "/cancel", Do: (*Page).stop},
		{Name: "run-approve", Doc: "Approve the step that needs you", Keys: []string{"a"}, Also: "/work approve", Do: say("approve")},
		{Name: "run-retry", Doc: "Retry the step", Keys: []string{"r"}, Also: "/retry", Do: say("retry")},
		{Name: "run-skip", Doc: "Skip the step", Keys: []string{"s"}, Also: "/work skip", Do: say("skip")},
		{Name: "run-accept", Doc: "Accept the result", Keys: []string{"A"}, Also: "/work accept", Do: (*Page).accept},
		{Name: "run-scrolldown", Doc: "Scroll the details down", Keys: []string{"J", "shift+down", "pgdown"}, Do: scrolls(3)},
		{Name: "run-scrollup", Doc: "Scroll the details up", Keys: []string{"K", "shift+up", "pgup"}, Do: scrolls(-3)},
	}
}

// choose selects another step.
func (p *Page) choose(by int) tea.Cmd {
	for i, r := range p.rows {
		if r.id == p.chosen {
			p.chosen = p.rows[max(0, min(i+by, len(p.rows)-1))].id
			break
		}
	}
	if p.view > streams {
		return p.show(p.view)
	}
	return nil
}

// diff shows the change of the step that needs the person, or of the selected one.
func (p *Page) diff() tea.Cmd {
	if n := p.needed(); n != nil && p.view != changes {
		p.chosen = n.ID
	}
	return p.show(changes)
}

func (p *Page) move(by int) { p.text.Move(scroll.Flat(p.side), by) }

// open shows the conversation of the selected step: messages there reach its agent.
func (p *Page) open() tea.Cmd {
	t := p.task()
	if room := p.debating(); t == nil && room != "" {
		return p.d.Desk.Open(screen.Kept{Page: "debate", Name: room})
	}
	if t == nil || t.Claim == nil {
		p.d.Tell("this step has not started")
		return nil
	}
	return p.d.Desk.Open(screen.Kept{Page: "chat", Name: record.Conversation(p.name, *t.Claim)})
}

// pause pauses the run before its next step, or resumes it.
func (p *Page) pause() tea.Cmd {
	if p.running {
		return p.d.Do(runs.Hold{Run: p.name}, func(err error) tea.Cmd {
			if err == nil {
				p.d.Tell("paused: running steps finish")
			}
			return nil
		})
	}
	return p.resume()
}

// resume makes this process execute the run.
func (p *Page) resume() tea.Cmd {
	return p.d.Do(runs.Advance{Run: p.name}, func(error) tea.Cmd { return p.watch() })
}

func (p *Page) stop() tea.Cmd {
	return p.d.Do(runs.Hold{Run: p.name, Cancel: true}, func(err error) tea.Cmd {
		if err == nil {
			p.d.Tell("stopped; merged steps are kept")
		}
		return nil
	})
}

// decide records a decision about the step that waits, or about the selected one, and resumes the run.
func (p *Page) decide(verb string) tea.Cmd {
	t := p.task()
	if n := p.needed(); n != nil {
		t = n
	}
	if t == nil {
		return nil
	}
	return p.d.Do(runs.Decide{Run: p.name, Order: record.Order{Verb: verb, Task: t.ID}}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return p.resume()
	})
}

// accept accepts the result into the project, if the person agrees; of a run whose steps are not all done, what is merged.
func (p *Page) accept() tea.Cmd {
	if p.s.Accepted() {
		p.d.Tell("run " + p.name + " is accepted already")
		return nil
	}
	left := p.s.Left()
	ask := dialog.New(p.d, "Accept the result?", func(w int) []string {
		says := "Fast-forwards the branch checked out in " + p.s.Frame.Dir + " to the result of run " + p.name +
			". Uncommitted changes are never overwritten."
		lines := line.Wrap(line.One(p.d.Clean(says)), w)
		if len(left) > 0 {
			lines = append(lines, line.Wrap(line.One(p.d.Clean("Not in it: "+missing(left)+".")), w)...)
		}
		return lines
	})
	ask.Offer("y", map[bool]string{false: "accept", true: "accept what is merged"}[len(left) > 0], func() tea.Cmd {
		p.d.Pop(ask)
		return p.d.Do(runs.Accept{Run: p.name, Partial: len(left) > 0}, func(err error) tea.Cmd {
			if err == nil {
				p.d.Tell("accepted run " + p.name)
			}
			return nil
		})
	})
	ask.Offer("n", "not now", func() tea.Cmd { p.d.Pop(ask); return nil })
	p.d.Push(ask)
	return nil
}

// missing names the first steps that are left, with their states.
func missing(left []work.Task) string {
	var all []string
	for i, t := range left {
		if i == 5 {
			all = append(all, fmt.Sprintf("%d more", len(left)-i))
			break
		}
		all = append(all, fmt.Sprintf("step %s (%s)", t.ID, t.State))
	}
	return strings.Join(all, ", ")
}

// Update handles news, and keys that no action took.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.News:
		if m.Err != nil {
			p.gone, _ = p.d.Explain(m.Err)
			p.Close()
			return nil
		}
		return tea.Batch(p.take(m.Batch.Nodes), p.watch())
	case update:
		if a := p.agents[m.name]; a != nil {
			a.hear(m.b)
		}
	case tea.MouseWheelMsg:
		p.move(map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp])
	}
	return nil
}
