package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// follow has the news of a tree that wants lets through sent to the page of a tab, pause apart at least, until what it
// returns is called.
func (d *Desk) follow(id int, root tree.ID, seq int64, pause time.Duration, wants func(engine.Batch) bool) context.CancelFunc {
	ctx, cancel := context.WithCancel(d.ctx)
	d.aside(func() {
		for b, err := range d.Engine.Follow(ctx, root, seq) {
			if err != nil || wants(b) {
				d.send(toTab{id, newsMsg{b, err}})
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
	return cancel
}

// everything lets all news through.
func everything(engine.Batch) bool { return true }

// on does something with the page that is shown, if it is of that kind, and says otherwise where it is done.
func on[P page](f func(p P) tea.Cmd, elsewhere string) func(d *Desk) tea.Cmd {
	return func(d *Desk) tea.Cmd {
		if p, ok := d.current().(P); ok {
			return f(p)
		}
		d.tell(elsewhere)
		return nil
	}
}
