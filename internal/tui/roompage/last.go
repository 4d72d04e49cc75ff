package roompage

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
)

// decide executes a conversation command by which a person rules on this debate.
func (od *orders) decide(command, args string) tea.Cmd {
	return od.converse(command+" "+od.p.room+" "+args, command+" "+args)
}

// replace makes the decision of this debate supersede another's.
func (od *orders) replace(args string) tea.Cmd {
	old, why, _ := strings.Cut(args, " ")
	if old == "" {
		od.p.d.Refuse("/supersede needs the debate whose decision this one replaces")
		return nil
	}
	return od.converse("supersede "+old+" "+od.p.room+" "+why, "supersede "+args)
}

// hold shows whether the decision of this debate still holds in the project; before there is one, the standing.
func (od *orders) hold() tea.Cmd {
	if od.p.scene.End == nil {
		return od.tell(people.Message{Verb: people.Poll})
	}
	env, typed := od.p.d.Slash(od.p.scene.Frame.Dir), "/check "+od.p.room
	env.Width = min(od.p.d.Width, box.Handy) - 4
	return od.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		e, err := slash.Run(ctx, env, typed)
		return func() tea.Cmd {
			if err != nil {
				od.p.d.Fail(err)
				return nil
			}
			dialog.Panel(od.p.d, "The decision today", func(w int) (out []string) {
				for l := range strings.SplitSeq(od.p.d.Clean(e.Text), "\n") {
					out = append(out, hanging(l, w)...)
				}
				return out
			})
			return nil
		}
	})
}

// converse executes a line in a conversation; if it is refused, the typed text is restored.
func (od *orders) converse(line, typed string) tea.Cmd {
	if od.p.scene.End == nil {
		od.p.d.Refuse("the debate has not ended: no decision yet")
		return nil
	}
	env := od.p.d.Slash(od.p.scene.Frame.Dir)
	return od.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		e, err := slash.Run(ctx, env, "/"+strings.TrimSpace(line))
		return func() tea.Cmd {
			if err != nil {
				od.p.d.Fail(err)
				od.p.d.GiveBack(od.p.input, "/"+strings.TrimSpace(typed))
				return nil
			}
			od.p.d.Tell(e.Text)
			return tea.Batch(contradicted(od.p.standing), od.p.d.Reread())
		}
	})
}

// after handles messages to a debate that has ended; ok is false for those that its record accepts.
func (od *orders) after(message people.Message) (cmd tea.Cmd, ok bool) {
	switch p := od.p; message.Verb {
	case people.Outcome, people.Share, people.Choose:
		return nil, false
	case people.Veto:
		if len(p.scene.Result().Blocked) > 0 {
			return nil, false
		}
	case people.Poll:
		p.shown.show(scoreView)
		p.d.Tell(p.came())
		return nil, true
	case people.Join:
		return od.sit(message.Spec), true
	case people.Drop:
		for _, s := range p.scene.Seats {
			if s.Info.ID == message.Seat {
				return od.stand(s.Info.Spec), true
			}
		}
		return od.stand(message.Seat), true
	}
	od.p.d.Refuse("the debate has ended: type another question for these seats")
	return nil, true
}
