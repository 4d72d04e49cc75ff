package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// command is a line that the screen itself executes, in the input of every page.
type command struct {
	slash.Command
	// do returns ok false if the line is meant for the conversation.
	do func(d *Desk, args string) (cmd tea.Cmd, ok bool)
}

// commands returns those of the screen, by name.
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
	alone := func(do func(d *Desk) tea.Cmd) func(*Desk, string) (tea.Cmd, bool) { // with arguments, it belongs to the conversation
		return func(d *Desk, args string) (tea.Cmd, bool) {
			if args != "" {
				return nil, d.commands.onlyChat()
			}
			return do(d), true
		}
	}
	all := []command{
		line("changes", "", "files changed in this conversation, with diffs",
			bare(func(d *Desk) tea.Cmd { return d.pages.changes() })),
		line("close", "", "close the tab; the conversation is kept", bare((*Desk).closeCurrent)),
		line("compare", "", "compare two answers side by side", bare(func(d *Desk) tea.Cmd { return d.pages.compare() })),
		line("copy", "[code [N]]", "copy the last answer, or one of its code blocks",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.copying(args) }),
		line("diff", "[A [B]]", "files changed in this conversation, with diffs; with nodes, since A",
			alone(func(d *Desk) tea.Cmd { return d.pages.changes() })),
		line("export", "[FILE]", "write the conversation or debate so far to a file, shown first: .md, .html; a conversation also as "+
			".json or .jsonl",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.exporting(args) }),
		line("history", "[N | WORDS]", "past conversations and debates: search, rename, delete, export; with N the last N turns, "+
			"word for word", func(d *Desk, args string) (tea.Cmd, bool) {
			if _, err := strconv.Atoi(args); err == nil {
				return nil, d.commands.onlyChat()
			}
			return d.sessions(args), true
		}),
		line("log", "", "the program's messages since the screen opened", bare((*Desk).logPanel)),
		line("login", "", "detected programs, keys and servers, and how to sign in",
			bare(func(d *Desk) tea.Cmd { return d.people.Setup() })),
		line("models", "[SPEC]", "choose the model; in a debate, the next panel",
			alone(func(d *Desk) tea.Cmd { return d.people.Models() })),
		line("new", "[debate] [NAME] or KIND TITLE", "open a conversation or debate in a new tab; with a KIND, create a document",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.begin(args) }),
		line("paste", "", "paste a picture or text from the clipboard", bare(func(d *Desk) tea.Cmd { return d.commands.pasting() })),
		line("quit", "", "quit; everything is saved", bare((*Desk).leave)),
		line("rename", "TITLE", "rename the conversation",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.renaming(args) }),
		line("runs", "[RUN]", "runs and queued prompts of all projects; with a name, that run",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.pages.runs(args), true }),
		line("search", "[WORDS]", "search past conversations and debates, and open what is found",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.sessions(args), true }),
		line("seats", "", "choose the panel for the next debates",
			bare(func(d *Desk) tea.Cmd { return d.people.PickSeats() })),
		line("settings", "", "show, search and change settings", bare((*Desk).settings)),
		line("spent", "", "cost by model and by tab", bare(func(d *Desk) tea.Cmd { return d.pages.spent() })),
		line("tab", "[N]", "go to the next tab, or to tab N",
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.tab(args) }),
		line("theme", "[NAME]", "set the theme: "+strings.Join(theme.Choices(), ", "),
			func(d *Desk, args string) (tea.Cmd, bool) { return d.commands.theme(args) }),
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

// Commands returns the screen's commands as a conversation offers and explains them.
func Commands() (out []slash.Command) {
	for _, c := range commands() {
		out = append(out, c.Command)
	}
	return out
}

// commandLine executes typed lines that are not the page's own.
type commandLine struct{ d *Desk }

// execute executes a line that is a command of the screen itself; ok is false for another line.
func (cl *commandLine) execute(name, args string) (cmd tea.Cmd, ok bool) {
	for _, c := range commands() {
		if c.Name == name || slices.Contains(c.Also, name) {
			return c.do(cl.d, args)
		}
	}
	if _, room := cl.d.current().(*roompage.Page); !room && slices.Contains([]string{"pause", "resume", "consensus"}, name) {
		cl.d.Refuse("/" + name + " works only in a debate; open one: " + cl.d.keys.key("history"))
		return nil, true
	}
	return nil, false
}

// copying copies the last answer of a conversation, or the decision of a debate.
func (cl *commandLine) copying(args string) (tea.Cmd, bool) {
	name := map[action.Scope]string{action.InChat: "chat-copy", action.InDebate: "debate-copy"}[cl.d.scope()]
	if what, n, _ := strings.Cut(args, " "); what == "code" {
		if p, ok := cl.d.current().(*chatpage.Page); ok {
			return p.Copier.Code(strings.TrimSpace(n)), true
		}
	}
	for i := range cl.d.keys.all {
		if a := &cl.d.keys.all[i]; args == "" && a.Name == name {
			return a.Do(cl.d), true
		}
	}
	cl.d.Refuse("/copy copies the last answer of a conversation, or the decision of a debate; /copy code [N] copies a code block")
	return nil, true
}

// pasting types the clipboard into the input of a conversation: a debate takes no pictures.
func (cl *commandLine) pasting() tea.Cmd {
	if p, ok := cl.d.current().(*chatpage.Page); ok {
		return chatpage.Paste(p)
	}
	cl.d.Refuse("/paste works only in a conversation")
	return nil
}

// tab goes to another tab.
func (cl *commandLine) tab(args string) (tea.Cmd, bool) {
	n, err := strconv.Atoi(args)
	switch {
	case args == "":
		cl.d.show((cl.d.at + 1) % len(cl.d.tabs))
	case err != nil || n < 1 || n > len(cl.d.tabs):
		cl.d.Refuse("no tab " + args + "; tabs are numbered 1 to " + strconv.Itoa(len(cl.d.tabs)))
	default:
		cl.d.show(n - 1)
	}
	return nil, true
}

// begin begins a conversation, named or not, unless the argument is a kind of document.
func (cl *commandLine) begin(args string) (tea.Cmd, bool) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return cl.d.pages.begin(), true
	case words[0] == "debate":
		cl.d.pages.newRoom().Ask(strings.TrimSpace(strings.TrimPrefix(args, words[0])))
		return nil, true
	case len(words) > 1:
		return nil, cl.onlyChat()
	}
	for _, t := range cl.d.Slash(cl.d.Dir).Templates() {
		if t.Name == words[0] {
			return nil, cl.onlyChat()
		}
	}
	return cl.d.Do(conversation.NewTree{Name: words[0], Dir: cl.d.Dir}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return cl.d.pages.openChat(words[0])
	}), true
}

// onlyChat is true, with a notice, if a line needs a conversation and none is shown.
func (cl *commandLine) onlyChat() bool {
	if _, ok := cl.d.current().(*chatpage.Page); ok {
		return false
	}
	cl.d.Refuse("only available in a conversation: /new opens one")
	return true
}

// renaming gives the conversation that is shown another name.
func (cl *commandLine) renaming(name string) (tea.Cmd, bool) {
	p, ok := cl.d.current().(*chatpage.Page)
	switch {
	case !ok:
		cl.d.Refuse("only conversations can be renamed")
		return nil, true
	case p.Kept().Name == "":
		cl.d.Refuse("no messages yet: /new NAME starts a conversation with that name")
		return nil, true
	case name == "":
		return cl.askRename(p.Kept().Name, p.Title(), nil), true
	}
	return cl.rename(p.Kept().Name, name, nil), true
}

// askRename asks for a new name of a conversation.
func (cl *commandLine) askRename(name, was string, then func() tea.Cmd) tea.Cmd {
	cl.d.Push(dialog.NewPrompt(cl.d.Screen, "Rename", "a title", was, func(title string) tea.Cmd { return cl.rename(name, title, then) }))
	return nil
}

// rename gives a conversation a title, also on the pages that show it. A title that is a valid name becomes its
// name as well.
func (cl *commandLine) rename(from, title string, then func() tea.Cmd) tea.Cmd {
	op := conversation.Rename{Tree: from, Name: title}
	return cl.d.Do(op, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		var cmds []tea.Cmd
		for _, t := range cl.d.tabs {
			cmds = append(cmds, t.Renamed(from, op.After()))
		}
		cl.d.Tell("renamed to " + title)
		if then != nil {
			cmds = append(cmds, then())
		}
		return tea.Batch(cmds...)
	})
}
