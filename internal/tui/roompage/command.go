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
		line(people.Poll, "", "after the end: check if the decision still holds",
			bare(func(p *Page) tea.Cmd { return p.orders.hold() })),
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
		line("help", "[COMMAND]", "list the commands for a debate, or explain one", helped),
	}
}

// debateCommands returns all commands of a debate's page, with those of the screen itself.
func debateCommands(own []slash.Command) (out []slash.Command) {
	return append(roomCommands(func(string) bool { return true }, true, true), own...)
}

// possible returns those that can be executed now. A command whose meaning changes with the end has the present one.
func (st *standing) possible() (out []slash.Command) {
	ended := st.scene.End != nil
	return append(roomCommands(st.can, !ended, ended), st.d.Desk.Commands...)
}

// roomCommands returns the commands that only a debate has, of those that can be executed; /check means one thing before
// the end of the debate and another one after it.
func roomCommands(can func(name string) bool, before, after bool) (out []slash.Command) {
	for _, v := range people.Verbs {
		form, args, _ := strings.Cut(v.Form, " ")
		name, ok := strings.CutPrefix(form, "/")
		if ok && name != people.Share && can(name) && (before || name != people.Poll) { // sharing has its own line below
			out = append(out, slash.Command{Name: name, Args: args, Doc: v.Doc})
		}
	}
	for _, c := range ownDebateCommands() {
		if can(c.Name) && (after || c.Name != people.Poll) {
			out = append(out, c.Command)
		}
	}
	return out
}

// can reports whether a command of a debate can be executed now. What /drop and /add do after the end, /models does too.
func (st *standing) can(name string) bool {
	ended := st.scene.End != nil
	switch name {
	case people.Pause, people.Go, people.Answer, people.Deadline, people.Assert, people.Drop, people.Join, "resume", "stop":
		return !ended
	case people.Veto:
		return !ended || len(st.scene.Result().Blocked) > 0
	case people.Choose:
		return !ended || st.canChoose()
	case "execute":
		return ended && st.scene.End.Outcome.Decision() && !st.scene.Frame.Rehearsal
	case people.Outcome, "confirm", "overrule", "supersede", "copy":
		return ended
	}
	return true
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
