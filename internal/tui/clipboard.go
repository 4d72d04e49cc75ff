package tui

import (
	"context"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// copyTime is how long tmux may take.
const copyTime = 2 * time.Second

// copy puts a text into the clipboard of the terminal, over SSH too (OSC 52). tmux does not let that through unless it is
// told to, so inside it tmux itself is asked.
func (d *Desk) copy(text string) tea.Cmd {
	if !d.Tmux {
		return tea.SetClipboard(text)
	}
	return d.away(func(ctx context.Context) func() tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		c := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
		c.Stdin = strings.NewReader(text)
		err := c.Run()
		return func() tea.Cmd {
			if err != nil {
				return tea.SetClipboard(text)
			}
			return nil
		}
	})
}
