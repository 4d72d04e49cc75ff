package roompage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// debateCommand is what can be typed on a debate's page beside people.Verbs and the commands of the screen.
type debateCommand struct {
	slash.Command
	do func(p *Page, args string) tea.Cmd
}

func ownDebateCommands() []debateCommand {
	bare := func(do func(p *Page) tea.Cmd) func(*Page, string) tea.Cmd {
		return func(p *Page, args string) tea.Cmd {
			if args != "" {
				p.d.RefuseRest()
				return nil
			}
			return do(p)
		}
	}
	line := func(name, args, doc string, do func(p *Page, args string) tea.Cmd) debateCommand {
		return debateCommand{slash.Command{Name: name, Args: args, Doc: doc}, do}
	}
	return []debateCommand{
		line("resume", "", "continue a paused or stopped debate", bare((*Page).resume)),
		line("execute", "", "plan the decision in a conversation; /exec then executes it", bare((*Page).execute)),
		line("context", "[list] or add FILE", "show the files that all seats see; add shares another",
			func(p *Page, args string) tea.Cmd { return p.orders.context(args) }),
		line("debate", "QUESTION", "debate another question in a new tab",
			func(p *Page, args string) tea.Cmd { return p.orders.another(args) }),
		line("models", "", "the panel: drop or add a seat; after the end, for the next question",
			bare(func(p *Page) tea.Cmd { return p.orders.seats() })),
		line("confirm", "[REASON]", "after the end: confirm the decision, if your call is needed",
			func(p *Page, args string) tea.Cmd { return p.orders.decide("confirm", args) }),
		line("overrule", "OPTION [REASON]", "after the end: choose another option, if your call is needed",
			func(p *Page, args string) tea.Cmd { return p.orders.decide("overrule", args) }),
		line("supersede", "DEBATE [REASON]", "after the end: replace another debate's decision with this one",
			func(p *Page, args string) tea.Cmd { return p.orders.replace(args) }),
		line("check", "", "after the end: check if the decision still holds",
			bare(func(p *Page) tea.Cmd { return p.orders.hold() })),
		line("help", "", "list the commands for a debate", bare(func(p *Page) tea.Cmd { p.d.Push(helpOf(p.d)); return nil })),
	}
}

// debateCommands are all commands that a debate's page takes, with those of the screen itself.
func debateCommands(own []slash.Command) (out []slash.Command) {
	for _, v := range people.Verbs {
		form, args, _ := strings.Cut(v.Form, " ")
		if name, ok := strings.CutPrefix(form, "/"); ok && name != people.Share { // which has its own line below
			out = append(out, slash.Command{Name: name, Args: args, Doc: v.Doc})
		}
	}
	for _, c := range ownDebateCommands() {
		out = append(out, c.Command)
	}
	return append(out, own...)
}

// helpOf says what can be said to a debate.
func helpOf(s *screen.Screen) *dialog.Choice {
	c := dialog.New(s, "Commands for this debate", func(w int) (out []string) {
		add := func(form, doc string) {
			out = append(out, s.Theme.Code.On(line.Clip(form, w)))
			out = append(out, line.Shifted(line.Wrap(doc, w-3))...)
		}
		add(people.Verbs[0].Form, people.Verbs[0].Doc)
		for _, c := range debateCommands(s.Desk.Commands) {
			add(c.Form(), c.Doc)
		}
		return out
	})
	c.Offer("enter", "close", dialog.Nothing)
	return c
}
