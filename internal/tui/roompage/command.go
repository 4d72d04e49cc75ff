package roompage

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// debateCommand is what can be typed on a debate's page besides people.Verbs and the commands of the screen.
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
		line("models", "", "drop or add a seat; after the end, choose the panel for the next question",
			bare(func(p *Page) tea.Cmd { return p.orders.seats() })),
		line("confirm", "[REASON]", "after the end: confirm the decision, if your call is needed",
			func(p *Page, args string) tea.Cmd { return p.orders.decide("confirm", args) }),
		line("overrule", "OPTION [REASON]", "after the end: choose another option, if your call is needed",
			func(p *Page, args string) tea.Cmd { return p.orders.decide("overrule", args) }),
		line("supersede", "DEBATE [REASON]", "after the end: replace another debate's decision with this one",
			func(p *Page, args string) tea.Cmd { return p.orders.replace(args) }),
		line("check", "", "after the end: check if the decision still holds",
			bare(func(p *Page) tea.Cmd { return p.orders.hold() })),
		line("help", "[COMMAND]", "list the commands for a debate, or explain one", helped),
	}
}

// debateCommands returns all commands of a debate's page, with those of the screen itself.
func debateCommands(own []slash.Command) (out []slash.Command) {
	for _, v := range people.Verbs {
		form, args, _ := strings.Cut(v.Form, " ")
		if name, ok := strings.CutPrefix(form, "/"); ok && name != people.Share { // it has its own line below
			out = append(out, slash.Command{Name: name, Args: args, Doc: v.Doc})
		}
	}
	for _, c := range ownDebateCommands() {
		out = append(out, c.Command)
	}
	return append(out, own...)
}

// helped shows all commands of a debate, or the named one.
func helped(p *Page, name string) tea.Cmd {
	all, name := debateCommands(p.d.Desk.Commands), strings.TrimPrefix(name, "/")
	if name != "" {
		all = slices.DeleteFunc(all, func(c slash.Command) bool { return c.Name != name && !slices.Contains(c.Also, name) })
	}
	if len(all) == 0 {
		p.d.Refuse("no command /" + name + " in a debate; list them: /help")
		return nil
	}
	p.d.Push(helpOf(p.d, all, name == ""))
	return nil
}

// helpOf describes commands, and with text what a line that is no command does.
func helpOf(s *screen.Screen, all []slash.Command, text bool) *dialog.Choice {
	c := dialog.New(s, "Commands for this debate", func(w int) (out []string) {
		add := func(form, doc string) {
			out = append(out, s.Theme.Code.On(line.Clip(form, w)))
			out = append(out, line.Shifted(line.Wrap(doc, w-3))...)
		}
		if text {
			add(people.Verbs[0].Form, people.Verbs[0].Doc)
		}
		for _, c := range all {
			add(c.Form(), c.Doc)
		}
		return out
	})
	c.Offer("enter", "close", dialog.Nothing)
	return c
}
