package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// counts tells every input how the terminal counts cells, and has all drawn anew.
func (d *Desk) counts(m tea.ModeReportMsg) tea.Cmd {
	if !editor.ByGrapheme(m) {
		return nil
	}
	d.cells = ansi.GraphemeWidth
	var cmds []tea.Cmd
	for _, t := range d.tabs {
		cmds = append(cmds, t.Update(m), t.Update(themeMsg{}))
	}
	for _, p := range d.dialogs {
		cmds = append(cmds, p.Update(m))
	}
	return tea.Batch(cmds...)
}

// countable takes out of a text what makes an emoji another one, if the terminal counts cells by letter: it and we would not
// agree on how wide it is. What a terminal says of itself comes right after the start.
func (d *Desk) countable(text string) string {
	if d.cells == ansi.GraphemeWidth || !strings.ContainsAny(text, modifiers) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(modifiers, r) {
			return -1
		}
		return r
	}, text)
}

// modifiers say that a sign is an emoji, and its tone of skin, and that two are one.
const modifiers = "\u200d\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff\u20e3"
