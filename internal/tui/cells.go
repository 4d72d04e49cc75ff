package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// counts tells every input how the terminal counts cells, and redraws everything.
func (d *Desk) counts(m tea.ModeReportMsg) tea.Cmd {
	if !editor.ByGrapheme(m) {
		return nil
	}
	d.Cells = ansi.GraphemeWidth
	var cmds []tea.Cmd
	for _, t := range d.tabs {
		cmds = append(cmds, t.Update(m), t.Update(screen.Recolored{}))
	}
	for _, p := range d.Dialogs {
		cmds = append(cmds, p.Update(m))
	}
	return tea.Batch(cmds...)
}
