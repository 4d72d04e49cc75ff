package tui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// sources are what the setup lists under, by where seats come from; those that can be signed in to come first.
var sources = map[string]string{"program": "programs", "key": "keys", "local": "servers on this machine"}

// begins says whether nothing was said or opened yet: then the setup may come by itself.
func (d *Desk) begins() bool {
	p, ok := d.current().(*chatPage)
	return ok && len(d.tabs) == 1 && len(d.dialogs) == 0 && p.env.Tree == "" && p.input.Empty()
}

// setup shows what was found of programs, keys and servers, and what can be done: at least a rehearsal, which needs none.
func (d *Desk) setup() tea.Cmd {
	return d.found(func(all []Seat) tea.Cmd {
		title := "Who answers, and how to sign in"
		if d.noModel != nil {
			title = "Welcome. No model was found yet: what shall be done?"
		}
		p := newPick(d, title, d.setupItems(all), func(i picker.Item) tea.Cmd { return i.Value.(func() tea.Cmd)() })
		p.list.Keys = nil
		d.push(p)
		return nil
	})
}

// setupItems are what can be done: what needs nothing first if nobody is there, then who is there and who could be.
func (d *Desk) setupItems(all []Seat) []picker.Item {
	at := func(group, title, note string, do func() tea.Cmd) picker.Item {
		return picker.Item{Group: group, Title: title, Note: oneLine(d.Clean(note)), Value: do}
	}
	first := []picker.Item{at("at once", "watch a rehearsal debate", "rules play the seats; nothing leaves this machine", func() tea.Cmd { return d.debateOn("A rehearsal", "", d.Demo) }),
		at("at once", "look again", "after something was installed, started or set", func() tea.Cmd { return d.lookModel(d.setup) }),
		at("at once", "name a model yourself", "/models SPEC", d.nameModel)}
	var ready, could, lack []picker.Item
	for _, s := range all {
		group, known := sources[s.Source]
		switch {
		case s.Ready && known:
			ready = append(ready, at("ready", s.Spec, "✓ "+s.Model+": "+s.Why, func() tea.Cmd { d.tell(s.Spec + " is ready: /models or /seats takes it"); return nil }))
		case !known || s.Ready:
		case s.SignIn != nil:
			could = append(could, at(group+" to sign in with", s.Spec, s.Why+" → "+s.How, func() tea.Cmd { return d.signIn(s) }))
		default:
			lack = append(lack, at(group+" that are not there", s.Spec, s.Why, func() tea.Cmd { d.tell(s.Spec + ": " + cmp.Or(s.How, s.Why)); return nil }))
		}
	}
	if d.noModel != nil {
		return slices.Concat(first, could, ready, lack)
	}
	return slices.Concat(ready, could, first, lack)
}

// nameModel begins the command that names a model.
func (d *Desk) nameModel() tea.Cmd {
	if p, ok := d.current().(*chatPage); ok {
		p.input.Set("/models ")
	}
	return nil
}

// signIn hands the terminal to the command that signs in, and looks again when it has ended.
func (d *Desk) signIn(s Seat) tea.Cmd {
	return tea.Exec(inPlace{exec.CommandContext(d.ctx, s.SignIn[0], s.SignIn[1:]...)}, func(err error) tea.Msg {
		return turn(func() tea.Cmd {
			if err != nil {
				d.tell(strings.Join(s.SignIn, " ") + ": " + err.Error())
				d.note.bad = true
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
	return d.away(func(ctx context.Context) func() tea.Cmd {
		spec, err := d.Model(ctx)
		return func() tea.Cmd {
			d.model, d.noModel = spec, err
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
