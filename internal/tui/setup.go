package tui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// begins says whether nothing was said or opened yet: then the setup may come by itself.
func (d *Desk) begins() bool {
	p, ok := d.current().(*chatPage)
	return ok && len(d.tabs) == 1 && len(d.Dialogs) == 0 && p.env.Tree == "" && p.input.Empty()
}

// setup shows what was found of programs, keys and servers, and what can be done: at least a rehearsal, which needs none.
func (d *Desk) setup() tea.Cmd {
	return d.found(func(all []Seat) tea.Cmd {
		title := "Who answers, and how to sign in"
		if d.noModel != nil {
			title = "Welcome. Nobody answers here yet."
		}
		d.offer(title, d.setupItems(all))
		return nil
	})
}

// offer lists what can be done.
func (d *Desk) offer(title string, items []picker.Item) {
	d.Push(dialog.NewPick(d.Screen, title, items, func(i picker.Item) tea.Cmd { return i.Value.(func() tea.Cmd)() }))
}

// setupItems are what can be done: with who is there, with what a person has, at once, and by what is not there yet.
func (d *Desk) setupItems(all []Seat) []picker.Item {
	at := func(group, title, note string, do func() tea.Cmd) picker.Item {
		return picker.Item{Group: group, Title: title, Note: line.One(d.Clean(note)), Value: do}
	}
	var ready, found, keys, lack []picker.Item
	for _, s := range all {
		switch {
		case s.Source == "config" || s.byRule():
		case s.Ready:
			ready = append(ready, at("ready: Enter chooses who answers, and with which model", s.Name, "✓ "+d.answering(s)+s.Why, func() tea.Cmd { return d.take(s) }))
		case s.SignIn == nil && s.Source != "key":
			lack = append(lack, at("not there", s.Name, s.Why, func() tea.Cmd { d.Tell(s.Name + ": " + cmp.Or(s.How, s.Why)); return nil }))
		case s.Source == "key":
			keys = append(keys, at("with a key or an account", s.Name, s.How+screen.Between+s.Why, func() tea.Cmd { return d.enter(s) }))
		default:
			found = append(found, at("found here", s.Name, s.How+screen.Between+s.Why, func() tea.Cmd { return d.program(s) }))
		}
	}
	rehearsal := at("without a model", "watch a rehearsal debate", "rules play the seats; nothing leaves this machine", d.rehearsal)
	more := []picker.Item{at("else", "name a model yourself", "/models SPEC", d.nameModel),
		at("else", "look again", "after something was installed, started or set", func() tea.Cmd { return d.lookModel(d.setup) })}
	if len(lack) > 0 {
		more = append(more, at("else", strconv.Itoa(len(lack))+" not found here", names(lack), func() tea.Cmd { d.offer("What could be, and is not there", lack); return nil }))
	}
	return slices.Concat(ready, found, []picker.Item{rehearsal}, keys, more)
}

// rehearsal shows how a debate goes, without a model.
func (d *Desk) rehearsal() tea.Cmd {
	if d.demo == nil {
		d.Tell("there is no rehearsal here")
		return nil
	}
	return d.newRoom().Begin("A rehearsal", "", "", d.demo)
}

// answering says which model of a seat answers, if that is known.
func (d *Desk) answering(s Seat) string {
	name, tier := d.named(s.Open, "")
	if name == s.Name {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, s.Name+":")+screen.Between+tier, screen.Between) + screen.Between
}

// names are the titles of items, in one line.
func names(items []picker.Item) string {
	var out []string
	for _, i := range items {
		out = append(out, i.Title)
	}
	return strings.Join(out, ", ")
}

// nameModel begins the command that names a model.
func (d *Desk) nameModel() tea.Cmd {
	if p, ok := d.current().(*chatPage); ok {
		p.input.Set("/models ")
	}
	return nil
}

// program signs in to a program, by starting it; who may be signed in already can be taken at their word.
func (d *Desk) program(s Seat) tea.Cmd {
	if !s.Unsure {
		return d.signIn(s)
	}
	c := dialog.New(d.Screen, s.Name, func(w int) []string {
		return line.Wrap(line.One(d.Clean(s.Name+" is installed, and may be signed in: "+s.Why+".")), w)
	})
	c.Cancel = d.setup
	c.Offer("a", "let it answer", func() tea.Cmd { return d.take(s) })
	c.Offer("s", "start it, to sign in there", func() tea.Cmd { return d.signIn(s) })
	c.Offer("esc", "go back", nil)
	d.Push(c)
	return nil
}

// enter signs in to a vendor with a key, or in the browser.
func (d *Desk) enter(s Seat) tea.Cmd {
	if s.Browser {
		return d.login(s, "")
	}
	return d.askKey(s)
}

// signIn hands the terminal to the command that signs in, and looks again when it has ended.
func (d *Desk) signIn(s Seat) tea.Cmd {
	return tea.Exec(inPlace{exec.CommandContext(d.Ctx, s.SignIn[0], s.SignIn[1:]...)}, func(err error) tea.Msg {
		return screen.Turn(func() tea.Cmd {
			if err != nil {
				d.Tell(strings.Join(s.SignIn, " ") + ": " + err.Error())
				d.Note.Bad = true
			}
			return d.lookModel(d.setup)
		})
	})
}

// findModel looks up who answers in conversations that begin here. If nobody does, the first thing to be seen is what can be
// done.
func (d *Desk) findModel() tea.Cmd {
	return d.lookModel(func() tea.Cmd {
		if d.noModel != nil && d.Seats != nil && d.begins() {
			return d.setup()
		}
		return nil
	})
}

func (d *Desk) lookModel(then func() tea.Cmd) tea.Cmd {
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		spec, err := d.Model(ctx)
		var refused error // who was named cannot answer
		if err == nil {
			_, refused = d.Engine.Do(ctx, engine.Set{Key: "model", Value: spec})
		}
		return func() tea.Cmd {
			d.Fail(refused)
			d.model, d.noModel, d.names = spec, err, nil
			return then()
		}
	})
}

// inPlace is a command that has the terminal to itself, and that the person dismisses: what it said last can be read.
type inPlace struct{ *exec.Cmd }

func (c inPlace) SetStdin(r io.Reader)  { c.Stdin = r }
func (c inPlace) SetStdout(w io.Writer) { c.Stdout = w }
func (c inPlace) SetStderr(w io.Writer) { c.Stderr = w }

func (c inPlace) Run() error {
	err := c.Cmd.Run()
	fmt.Fprint(c.Stdout, "\nEnter goes back to socrates. ")
	for b := make([]byte, 1); ; {
		if n, failed := c.Stdin.Read(b); failed != nil || n == 1 && (b[0] == '\n' || b[0] == '\r') {
			return err
		}
	}
}
