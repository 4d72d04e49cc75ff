package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// command is a line that the screen itself carries out, in the input of every page.
type command struct {
	slash.Command
	// do is not ok if the line is meant for the conversation.
	do func(d *Desk, args string) (cmd tea.Cmd, ok bool)
}

// commands are those of the screen, by name.
func commands() []command {
	line := func(name, args, doc string, do func(d *Desk, args string) (tea.Cmd, bool)) command {
		return command{slash.Command{Name: name, Args: args, Doc: doc}, do}
	}
	bare := func(do func(d *Desk) tea.Cmd) func(*Desk, string) (tea.Cmd, bool) {
		return func(d *Desk, args string) (tea.Cmd, bool) {
			if args != "" {
				d.RefuseRest()
				return nil, true
			}
			return do(d), true
		}
	}
	alone := func(do func(d *Desk) tea.Cmd) func(*Desk, string) (tea.Cmd, bool) { // with more behind it, it is the conversation's
		return func(d *Desk, args string) (tea.Cmd, bool) {
			if args != "" {
				return nil, d.onlyChat()
			}
			return do(d), true
		}
	}
	all := []command{
		line("changes", "", "the files that were changed in this conversation, with what changed in them", bare((*Desk).changes)),
		line("close", "", "close the tab; what is said is kept", bare((*Desk).closeCurrent)),
		line("compare", "", "choose two answers and see them side by side", bare((*Desk).compareAnswers)),
		line("export", "[FILE]", "the conversation or debate to here, shown or written to a file: .md, .html; a conversation also as .json or .jsonl", (*Desk).exportCommand),
		line("history", "[N]", "past conversations and debates: search, rename, delete, export; with N the last N turns, word for word", alone((*Desk).sessions)),
		line("log", "", "what the program said while the screen is open", bare((*Desk).logPanel)),
		line("login", "", "what was found of programs, keys and servers, and how to sign in", bare(func(d *Desk) tea.Cmd { return d.people.Setup() })),
		line("models", "[SPEC]", "who answers from now on; in a debate, who sits in the next ones", alone(func(d *Desk) tea.Cmd { return d.people.Models() })),
		line("new", "[NAME] or KIND TITLE", "begin a conversation in a new tab; with a kind and a title write a ticket or document", (*Desk).newCommand),
		line("quit", "", "leave; everything is kept", bare((*Desk).leave)),
		line("rename", "NAME", "give the conversation another name", (*Desk).renameCommand),
		line("seats", "", "choose who sits in the next debates of this screen", bare(func(d *Desk) tea.Cmd { return d.people.PickSeats() })),
		line("spent", "", "what was spent, by model and by tab", bare((*Desk).spent)),
		line("tab", "[N]", "go to the next tab, or to the one of this number", (*Desk).tabCommand),
		line("theme", "[NAME]", "the colours of the screen: "+strings.Join(theme.Choices(), ", "), (*Desk).themeCommand),
	}
	for i := range all {
		switch c := &all[i]; c.Name {
		case "history":
			c.Also = []string{"sessions"}
		case "models":
			c.Also = []string{"model"}
		case "quit":
			c.Also = []string{"exit", "q"}
		case "theme":
			c.Complete = func(context.Context, *slash.Env, []string) []string { return theme.Choices() }
		}
	}
	return all
}

// Commands are the screen's commands as a conversation offers and explains them.
func Commands() (out []slash.Command) {
	for _, c := range commands() {
		out = append(out, c.Command)
	}
	return out
}

// command carries out a line that is a command of the screen itself; ok is false of one that is not.
func (d *Desk) command(name, args string) (cmd tea.Cmd, ok bool) {
	for _, c := range commands() {
		if c.Name == name || slices.Contains(c.Also, name) {
			return c.do(d, args)
		}
	}
	if _, room := d.current().(*roompage.Page); !room && slices.Contains([]string{"pause", "resume", "consensus", "execute"}, name) {
		d.Refuse("/" + name + " is said to a debate: " + d.keys.key("history") + " finds one")
		return nil, true
	}
	return nil, false
}

// tabCommand goes to another tab.
func (d *Desk) tabCommand(args string) (tea.Cmd, bool) {
	n, err := strconv.Atoi(args)
	switch {
	case args == "":
		d.turnTo((d.at + 1) % len(d.tabs))
	case err != nil || n < 1 || n > len(d.tabs):
		d.Refuse("there is no tab " + args + ": they have the numbers from 1 to " + strconv.Itoa(len(d.tabs)))
	default:
		d.turnTo(n - 1)
	}
	return nil, true
}

// newCommand begins a conversation, named or not, unless a kind of document is named.
func (d *Desk) newCommand(args string) (tea.Cmd, bool) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		d.open(d.newChat)
		return nil, true
	case len(words) > 1:
		return nil, d.onlyChat()
	}
	for _, t := range d.Slash(d.Dir).Templates() {
		if t.Name == words[0] {
			return nil, d.onlyChat()
		}
	}
	return d.Do(engine.NewTree{Name: words[0], Dir: d.Dir}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return d.openChat(words[0])
	}), true
}

// onlyChat is true, with a word of explanation, where a conversation would have to carry a line out and there is none.
func (d *Desk) onlyChat() bool {
	if _, ok := d.current().(*chatpage.Page); ok {
		return false
	}
	d.Refuse("this is done in a conversation: /new opens one")
	return true
}

// renameCommand gives the conversation that is shown another name.
func (d *Desk) renameCommand(name string) (tea.Cmd, bool) {
	p, ok := d.current().(*chatpage.Page)
	switch {
	case !ok:
		d.Refuse("only conversations can be renamed")
		return nil, true
	case p.Kept().Name == "":
		d.Refuse("nothing was said yet; /new NAME begins a conversation of that name")
		return nil, true
	case name == "":
		return d.askRename(p.Kept().Name, nil), true
	}
	return d.rename(p.Kept().Name, name, nil), true
}

// askRename asks for the new name of a conversation.
func (d *Desk) askRename(tree string, then func() tea.Cmd) tea.Cmd {
	d.Push(dialog.NewPrompt(d.Screen, "Rename "+tree, "small letters, digits and dashes", tree, func(name string) tea.Cmd { return d.rename(tree, name, then) }))
	return nil
}

// rename gives a conversation another name, on the pages that show it too.
func (d *Desk) rename(tree, name string, then func() tea.Cmd) tea.Cmd {
	return d.Do(engine.RenameTree{Tree: tree, Name: name}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		var cmds []tea.Cmd
		for _, t := range d.tabs {
			cmds = append(cmds, t.Renamed(tree, name))
		}
		d.Tell(tree + " is called " + name + " now")
		if then != nil {
			cmds = append(cmds, then())
		}
		return tea.Batch(cmds...)
	})
}
