package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// debateCommand is what can be typed on a debate's page beside debate.Verbs and the commands of the screen.
type debateCommand struct {
	slash.Command
	do func(p *debatePage, args string) tea.Cmd
}

func ownDebateCommands() []debateCommand {
	bare := func(do func(p *debatePage) tea.Cmd) func(*debatePage, string) tea.Cmd {
		return func(p *debatePage, args string) tea.Cmd {
			if args != "" {
				p.d.Refuse(nothingFollows)
				return nil
			}
			return do(p)
		}
	}
	line := func(name, args, doc string, do func(p *debatePage, args string) tea.Cmd) debateCommand {
		return debateCommand{slash.Command{Name: name, Args: args, Doc: doc}, do}
	}
	return []debateCommand{
		line("consensus", "", "the same as /check", bare(func(p *debatePage) tea.Cmd { return p.tell(debate.Word{Verb: debate.Poll}) })),
		line("resume", "", "go on after a pause, or with a debate that rests", bare((*debatePage).resume)),
		line("execute", "", "take what was decided to a conversation that carries it out", bare((*debatePage).execute)),
		line("context", "[list]", "what all seats were given to read", (*debatePage).context),
		line("debate", "QUESTION", "let a panel decide another question, in a tab of its own", (*debatePage).another),
		line("help", "", "what can be said to a debate", bare(func(p *debatePage) tea.Cmd { p.d.Push(p.help()); return nil })),
	}
}

// debateCommands are all commands that a debate's page takes.
func debateCommands() (out []slash.Command) {
	for _, v := range debate.Verbs {
		form, args, _ := strings.Cut(v.Form, " ")
		if name, ok := strings.CutPrefix(form, "/"); ok {
			out = append(out, slash.Command{Name: name, Args: args, Doc: v.Doc})
		}
	}
	for _, c := range ownDebateCommands() {
		out = append(out, c.Command)
	}
	return append(out, Commands()...)
}

// submit does what was typed: a command, or something said to the seats.
func (p *debatePage) submit(text string) tea.Cmd {
	p.menu.Close()
	cmd, _ := p.d.TypedIn(p.input, text, func() (tea.Cmd, bool) {
		if cmd, ok := p.command(text); ok {
			return cmd, true
		}
		if word, ok := p.letter(text); ok {
			return p.tell(word), true
		}
		return p.say(text), true
	})
	return cmd
}

// command carries out what is no word to the seats; ok is false of one that is.
func (p *debatePage) command(text string) (cmd tea.Cmd, ok bool) {
	name, args, ok := slash.Parse(text)
	if !ok {
		return nil, false
	}
	for _, c := range ownDebateCommands() {
		if c.Name == name {
			return c.do(p, args), true
		}
	}
	if cmd, ok := p.d.command(name, args); ok {
		return cmd, true
	}
	if name == "history" || name == "sessions" {
		p.view = transcriptView
		p.move(1 << 20)
		return nil, true
	}
	called := func(c slash.Command) bool { return c.Name == name || slices.Contains(c.Also, name) }
	if !slices.ContainsFunc(debateCommands(), called) && slices.ContainsFunc(slash.Table(), called) {
		p.d.Refuse("/" + name + " is done in a conversation: /new opens one")
		return nil, true
	}
	return nil, false
}

// another begins a debate of its own.
func (p *debatePage) another(question string) tea.Cmd {
	if question = slash.Unquoted(question); question == "" {
		p.d.Refuse("/debate lacks a question")
		return nil
	}
	if p.gone != "" && p.room == "" { // it could not begin, and does so anew
		cmd := p.d.debate(question, p.back)
		p.d.closeTab(slices.IndexFunc(p.d.tabs, func(t *tab) bool { return t.Page == screen.Page(p) }))
		return cmd
	}
	return p.d.debate(question, "")
}

// context shows what the seats were given. It is the same for all of them to the end.
func (p *debatePage) context(args string) tea.Cmd {
	switch {
	case args != "" && args != "list":
		p.d.Refuse("what the seats were given stays as it is; say more to them, or begin another debate")
		return nil
	case p.room == "":
		p.d.Refuse("the debate has not begun yet")
		return nil
	}
	hash := p.scene.Given()
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		text, err := "", error(nil)
		if hash != "" {
			text, err = p.d.Engine.Text(ctx, hash)
		}
		return func() tea.Cmd {
			if err != nil {
				p.d.Fail(err)
				return nil
			}
			text = p.d.Clean(cmp.Or(strings.TrimSpace(text), "The seats were given nothing but the question."))
			dialog.Panel(p.d.Screen, "What all seats were given to read", func(w int) []string { return line.Wrap(text, w) })
			return nil
		}
	})
}

func (p *debatePage) help() *dialog.Choice {
	c := dialog.New(p.d.Screen, "What can be said to a debate", func(w int) (out []string) {
		add := func(form, doc string) {
			out = append(out, p.d.Theme.Code.On(line.Clip(form, w)))
			out = append(out, line.Shifted(line.Wrap(doc, w-3))...)
		}
		add(debate.Verbs[0].Form, debate.Verbs[0].Doc)
		for _, c := range debateCommands() {
			add(c.Form(), c.Doc)
		}
		return out
	})
	c.Offer("enter", "close", dialog.Nothing)
	return c
}
