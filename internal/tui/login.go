package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// askKey asks for the key of a vendor, which is not shown.
func (d *Desk) askKey(s Seat) tea.Cmd {
	p := dialog.NewPrompt(d.Screen, "Key of "+s.Name, "it is not shown", "", func(key string) tea.Cmd {
		if key == "" {
			return d.askKey(s)
		}
		return d.login(s, key)
	})
	p.Secret, p.Back = true, d.setup
	d.Push(p)
	return nil
}

// login has the key of a vendor checked and kept; without one its browser page makes it. The person can go back at any time.
func (d *Desk) login(s Seat, key string) tea.Cmd {
	ctx, cancel := context.WithCancel(d.Ctx)
	told := "Asking " + s.Name + " whether the key works…"
	if key == "" {
		told = ""
	}
	c := dialog.New(d.Screen, "Sign in to "+s.Name, func(w int) []string { return line.Wrap(strings.TrimSpace(d.Clean(told)), w) })
	c.Cancel = func() tea.Cmd { cancel(); return d.setup() }
	if key == "" {
		c.Offer("c", "copy the address", func() tea.Cmd { d.Push(c); return d.Copy(addressIn(told)) })
		c.Offer("p", "the browser is on another machine", func() tea.Cmd { cancel(); return d.signIn(s) })
	}
	c.Offer("esc", "go back", nil)
	d.Push(c)
	tell := func(text string) { d.Send(screen.Turn(func() tea.Cmd { told += text; return nil })) }
	return d.Away(func(context.Context) func() tea.Cmd {
		said, err := d.Login(ctx, s.Name, key, tell)
		return func() tea.Cmd {
			gone := ctx.Err() != nil
			cancel()
			d.Pop(c)
			switch {
			case gone && err != nil: // it was gone back from
				return nil
			case err != nil && key != "":
				d.Fail(err)
				return d.askKey(s)
			case err != nil:
				d.Fail(err)
				return d.setup()
			}
			d.Tell(said)
			return d.signedIn(s)
		}
	})
}

// signedIn goes on with somebody who can answer now: who had nobody is asked which model it shall be.
func (d *Desk) signedIn(s Seat) tea.Cmd {
	first := d.noModel != nil
	d.relook()
	return d.lookModel(func() tea.Cmd {
		return d.found(func(all []Seat) tea.Cmd {
			for _, is := range all {
				if is.Name == s.Name && is.Source == s.Source && is.Ready && first {
					return d.take(is)
				}
			}
			return d.setup()
		})
	})
}

// addressIn is the last address in a text.
func addressIn(text string) string {
	address := ""
	for _, word := range strings.Fields(text) {
		if strings.Contains(word, "://") {
			address = word
		}
	}
	return address
}
