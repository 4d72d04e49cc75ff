package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// on does something with the page that is shown, if it is of that kind, and says otherwise where it is done.
func on[P screen.Page](f func(p P) tea.Cmd, elsewhere string) func(d *Desk) tea.Cmd {
	return func(d *Desk) tea.Cmd {
		if p, ok := d.current().(P); ok {
			return f(p)
		}
		d.Tell(elsewhere)
		return nil
	}
}
