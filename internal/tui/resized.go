package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// widenTime is more than the time from one frame to the next.
const widenTime = 100 * time.Millisecond

// resized takes in how large the terminal is. The renderer forgets what its first wider frame has beyond the old width, and
// would leave it standing under later ones: so once that frame is out, all is drawn again from nothing.
func (d *Desk) resized(m tea.WindowSizeMsg) tea.Cmd {
	wider := d.sized && m.Width > d.width
	d.width, d.height, d.sized = m.Width, m.Height, true
	if !wider {
		return nil
	}
	return d.away(func(ctx context.Context) func() tea.Cmd {
		select {
		case <-ctx.Done():
		case <-time.After(widenTime):
		}
		return func() tea.Cmd {
			if d.width == m.Width {
				return tea.ClearScreen
			}
			return nil
		}
	})
}
