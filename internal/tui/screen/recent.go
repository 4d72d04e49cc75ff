package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
)

// Reread looks the recent conversations up again, beside the screen.
func (s *Screen) Reread() tea.Cmd {
	if s.rereading {
		return nil
	}
	s.rereading = true
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := conversation.In(s.Engine).List(ctx, s.Dir)
		return func() tea.Cmd {
			if s.rereading = false; err == nil { // without them nothing is missed
				s.Recent = all
			}
			return nil
		}
	})
}
