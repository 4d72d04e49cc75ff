package people

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// askKey asks for the key of a vendor without showing it.
func (ps *People) askKey(s Candidate) tea.Cmd {
	p := dialog.NewPrompt(ps.Screen, "API key for "+s.Name, "hidden while you type", "", func(key string) tea.Cmd {
		if key == "" {
			return ps.askKey(s)
		}
		return ps.login(s, key)
	})
	p.Secret, p.Back = true, ps.again
	ps.Push(p)
	return nil
}

// login checks and stores the key of a vendor; without a key its browser page makes one. The person can go back
// at any time.
func (ps *People) login(s Candidate, key string) tea.Cmd {
	ctx, cancel := context.WithCancel(ps.Ctx)
	told := "Asking " + s.Name + " whether the key works…"
	if key == "" {
		told = ""
	}
	c := dialog.New(ps.Screen, "Sign in to "+s.Name, func(w int) []string { return line.Wrap(strings.TrimSpace(ps.Clean(told)), w) })
	c.Cancel = func() tea.Cmd { cancel(); return ps.again() }
	if key == "" {
		c.Offer("c", "copy the address", func() tea.Cmd { ps.Push(c); return ps.Copy(addressIn(told)) })
		c.Offer("p", "the browser is on another machine", func() tea.Cmd { cancel(); return ps.signIn(s) })
	}
	c.Offer("esc", "go back", nil)
	ps.Push(c)
	tell := func(text string) { ps.Send(screen.Update(func() tea.Cmd { told += text; return nil })) }
	return ps.Away(func(context.Context) func() tea.Cmd {
		said, err := ps.Login(ctx, s.Name, key, tell)
		return func() tea.Cmd {
			gone := ctx.Err() != nil
			cancel()
			ps.Pop(c)
			switch {
			case gone && err != nil: // the person went back
				return nil
			case err != nil && key != "":
				ps.Fail(err)
				return ps.askKey(s)
			case err != nil:
				ps.Fail(err)
				return ps.again()
			}
			ps.Tell(said)
			return ps.signedIn(s)
		}
	})
}

// signedIn continues with a seat that can answer now: a person who had none chooses the model.
func (ps *People) signedIn(s Candidate) tea.Cmd {
	first := ps.Nobody != nil
	ps.desk.Renew()
	return ps.Look(func() tea.Cmd {
		return ps.found(func(all []Candidate) tea.Cmd {
			for _, is := range all {
				if is.Name == s.Name && is.Source == s.Source && is.Ready && first {
					return ps.take(is)
				}
			}
			return ps.again()
		})
	})
}

// addressIn returns the last address in a text.
func addressIn(text string) string {
	address := ""
	for _, word := range strings.Fields(text) {
		if strings.Contains(word, "://") {
			address = word
		}
	}
	return address
}
