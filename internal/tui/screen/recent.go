package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
)

// Reread reads the recent conversations again, in the background.
func (s *Screen) Reread() tea.Cmd {
	if s.rereading {
		return nil
	}
	s.rereading = true
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := conversation.In(s.Engine).List(ctx, s.Dir)
		return func() tea.Cmd {
			if s.rereading = false; err == nil { // nothing needs them
				s.Recent = all
			}
			return nil
		}
	})
}
