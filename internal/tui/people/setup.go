package people

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Setup shows the programs, keys and servers that were found, and what can be done: at least a rehearsal, which
// needs none.
func (ps *People) Setup() tea.Cmd {
	return ps.found(func(all []Candidate) tea.Cmd {
		title := "Providers and sign-in"
		if ps.Nobody != nil {
			title = "Welcome. No model is connected yet."
		}
		ps.offer(title, ps.items(all))
		return nil
	})
}

// offer lists what can be done. Typed text that matches nothing was meant for the conversation, whose input
// gets it.
func (ps *People) offer(title string, items []picker.Item) {
	p := dialog.NewPick(ps.Screen, title, items, func(i picker.Item) tea.Cmd { return i.Value.(func() tea.Cmd)() })
	if c, ok := ps.desk.Here(); ok {
		p.List.Free, p.List.Unmatched = true, "Nothing matches. Enter moves the text to your message."
		p.Typed = func(text string) tea.Cmd { c.Add(text); return nil }
	}
	ps.Push(p)
}

// items returns what can be done: with available seats, with what the person has, at once, and after installing
// something.
func (ps *People) items(all []Candidate) []picker.Item {
	at := func(group, title, note string, do func() tea.Cmd) picker.Item {
		return picker.Item{Group: group, Title: title, Note: line.One(ps.Clean(note)), Value: do}
	}
	var ready, found, keys, lack []picker.Item
	for _, s := range all {
		switch {
		case s.Source == "config" || s.byRule():
		case s.Ready:
			ready = append(ready, at("Ready: Enter chooses the model", s.Name,
				"✓ "+ps.answering(s)+s.Why, func() tea.Cmd { return ps.take(s) }))
		case s.SignIn == nil && s.Source != "key":
			lack = append(lack, at("Not installed", s.Name, s.Why,
				func() tea.Cmd { ps.Tell(s.Name + ": " + cmp.Or(s.How, s.Why)); return nil }))
		case s.Source == "key":
			row := at("With an API key or an account", s.Name, s.adds(), func() tea.Cmd { return ps.enter(s) })
			if s.Browser { // the easiest, as on the page of a conversation that has not begun
				keys = slices.Insert(keys, 0, row)
			} else {
				keys = append(keys, row)
			}
		default:
			found = append(found, at("Installed here", s.Name, s.How+screen.Between+briefly(s.Why),
				func() tea.Cmd { return ps.program(s) }))
		}
	}
	var none []picker.Item
	if ps.Nobody != nil && len(ps.Program) > 0 {
		none = append(none, at("Without a model", "Take the tour", tourNote, ps.Tour))
	}
	none = append(none, at("Without a model", "Watch a rehearsal debate", "offline, rule-based; nothing is sent anywhere",
		func() tea.Cmd { return ps.desk.Rehearsal("") }))
	more := []picker.Item{at("More", "Enter a model's name", "/models SPEC", ps.nameModel),
		at("More", "Scan again", "after installing, starting or configuring something", func() tea.Cmd { return ps.Look(ps.Setup) })}
	if len(lack) > 0 {
		more = append(more, at("More", strconv.Itoa(len(lack))+" not installed", names(lack),
			func() tea.Cmd { ps.offer("Not connected", lack); return nil }))
	}
	return slices.Concat(ready, found, none, keys, more)
}

// answering names the model of a seat, if known.
func (ps *People) answering(s Candidate) string {
	name, tier := ps.Called(s.Open, "")
	if name == s.Name {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, s.Name+":")+screen.Between+tier, screen.Between) + screen.Between
}

// names joins the titles of items in one line.
func names(items []picker.Item) string {
	var out []string
	for _, i := range items {
		out = append(out, i.Title)
	}
	return strings.Join(out, ", ")
}

// nameModel begins to type the command that names a model.
func (ps *People) nameModel() tea.Cmd {
	if c, ok := ps.desk.Here(); ok {
		c.Type("/models ")
	}
	return nil
}

// program signs in to a program by starting it; a person who may be signed in already can say so.
func (ps *People) program(s Candidate) tea.Cmd {
	if !s.Unsure {
		return ps.signIn(s)
	}
	c := dialog.New(ps.Screen, s.Name, func(w int) []string {
		return line.Wrap(line.One(ps.Clean(s.Name+" is installed and may be signed in: "+s.Why+".")), w)
	})
	c.Cancel = ps.again
	c.Offer("a", "use it", func() tea.Cmd { return ps.take(s) })
	c.Offer("s", "start it and sign in there", func() tea.Cmd { return ps.signIn(s) })
	c.Offer("esc", "go back", nil)
	ps.Push(c)
	return nil
}

// enter signs in to a vendor with a key, or in the browser.
func (ps *People) enter(s Candidate) tea.Cmd {
	if s.Browser {
		return ps.login(s, "")
	}
	return ps.askKey(s)
}

// signIn runs the command that signs in, in the terminal, and discovers again when it has ended.
func (ps *People) signIn(s Candidate) tea.Cmd {
	return ps.inTerminal(s.SignIn, func() tea.Cmd { return ps.Look(ps.again) })
}

// inTerminal runs a command in the terminal, and continues when it has ended.
func (ps *People) inTerminal(argv []string, then func() tea.Cmd) tea.Cmd {
	return tea.Exec(inPlace{exec.CommandContext(ps.Ctx, argv[0], argv[1:]...)}, func(err error) tea.Msg {
		return screen.Update(func() tea.Cmd {
			if err != nil {
				ps.Tell(strings.Join(argv, " ") + ": " + err.Error())
				ps.Note.Bad = true
			}
			return then()
		})
	})
}

// Look finds the default model, and continues when it is known.
func (ps *People) Look(then func() tea.Cmd) tea.Cmd {
	return ps.Away(func(ctx context.Context) func() tea.Cmd {
		spec, err := ps.Model(ctx)
		var refused error // the requested model cannot answer
		if err == nil {
			_, refused = ps.Engine.Do(ctx, turns.Set{Key: "model", Value: spec})
		}
		return func() tea.Cmd {
			ps.Fail(refused)
			ps.Spec, ps.Nobody, ps.names = spec, err, nil
			return then()
		}
	})
}

// inPlace is a command that has the terminal to itself until the person dismisses it, so that its last output
// can be read.
type inPlace struct{ *exec.Cmd }

// SetStdin gives the command the terminal itself, not the screen's reader of it.
func (c inPlace) SetStdin(io.Reader) { c.Stdin = os.Stdin }

// SetStdout gives the command the terminal.
func (c inPlace) SetStdout(w io.Writer) { c.Stdout = w }

// SetStderr gives the command the terminal.
func (c inPlace) SetStderr(w io.Writer) { c.Stderr = w }

// Run waits for Enter after the command, so that its last lines can be read.
func (c inPlace) Run() error {
	err := c.Cmd.Run()
	fmt.Fprint(c.Stdout, "\nEnter goes back to socrates. ")
	for b := make([]byte, 1); ; {
		if n, failed := c.Stdin.Read(b); failed != nil || n == 1 && (b[0] == '\n' || b[0] == '\r') {
			return err
		}
	}
}
