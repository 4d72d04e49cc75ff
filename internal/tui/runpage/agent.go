package runpage

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// agent is the stream of an executor: its recent text and calls.
type agent struct {
	name, task string
	lines      []string
	growing    string
}

// mostLines is how many lines of an agent's stream are kept, and mostSeen how many nodes of its conversation
// are read at first.
const (
	mostLines = 200
	mostSeen  = 60
)

// update is news of an agent.
type update struct {
	name string
	b    engine.Batch
}

// askAgain is the interval at which a conversation that has not begun is looked for.
const askAgain = time.Second

// listen follows the conversation of an agent, once it exists.
func (p *Page) listen(a *agent) tea.Cmd {
	e := p.d.Engine
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := conversation.In(e).Open(ctx, a.name)
		var nodes []tree.Node
		if err == nil {
			nodes, _, err = conversation.In(e).LastNodes(ctx, t, mostSeen)
		}
		return func() tea.Cmd {
			switch {
			case errors.Is(err, store.ErrNotFound) && p.d.Desk.Holds(p):
				return tea.Tick(askAgain, func(time.Time) tea.Msg { return screen.Update(func() tea.Cmd { return p.listen(a) }) })
			case err != nil || len(nodes) == 0:
				return nil
			}
			a.take(nodes)
			ctx, cancel := context.WithCancel(p.d.Ctx)
			p.cancel = append(p.cancel, cancel)
			p.d.Aside(func() {
				for b, err := range e.Follow(ctx, t.Root, nodes[len(nodes)-1].Seq) {
					if err != nil {
						return
					}
					p.d.Send(screen.ToTab{ID: p.id, Msg: update{a.name, b}})
					select {
					case <-ctx.Done():
					case <-time.After(5 * screen.FrameTime):
					}
				}
			})
			return nil
		}
	})
}

// take applies what an agent has done and written.
func (a *agent) take(nodes []tree.Node) {
	for _, n := range nodes {
		switch b := scene.ChatBody(n).(type) {
		case talk.Exchange:
			a.say(b.Said())
			for _, s := range b.Shows {
				a.say("▸ " + s.Line)
			}
		case talk.Reply:
			a.say(b.Message.Text())
			if b.State != talk.Done {
				a.say("✗ " + b.Reason)
			}
		}
	}
	a.lines = a.lines[max(0, len(a.lines)-mostLines):]
}

func (a *agent) say(text string) {
	for l := range strings.Lines(strings.TrimSpace(text)) {
		a.lines = append(a.lines, strings.TrimRight(l, "\r\n"))
	}
}

// hear applies news of an agent.
func (a *agent) hear(b engine.Batch) {
	a.take(b.Nodes)
	a.growing = ""
	for _, s := range b.Growing {
		a.growing = s.Text
	}
}
