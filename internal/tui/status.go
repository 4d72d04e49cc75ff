package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// statusLine shows the state, or the newest sentence if the page has no room for it.
func (d *Desk) statusLine(w int) string {
	if text, ink := news(d); text != "" && !d.ruled() {
		return d.Theme.Bar.And(ink).On("  " + line.Clip(text, w-4))
	}
	left, right := "", ""
	if p := d.current(); p != nil {
		left, right = screen.Fitted(p.Parts(), w-2)
	}
	gap := strings.Repeat(" ", max(1, w-4-line.Wide(left)-line.Wide(right)))
	if len(gap) <= line.Wide(screen.Between) && left != "" && right != "" { // two facts must not look like one
		gap = screen.Between
	}
	row := "  " + left + gap + right
	return d.Theme.Bar.Under(strings.TrimRight(row, " "))
}

// overflow returns the lines of the newest sentence while a dialog is open, if the status line is too short for
// it. Only two rows are free below a dialog; the end of a sentence says what to do, or where something was
// saved.
func overflow(d *Desk, w int) []string {
	text, ink := news(d)
	if len(d.Dialogs) == 0 || line.Wide(text) <= w-4 {
		return nil
	}
	said := line.Wrap(text, w-4)
	if len(said) > 2 && !d.Theme.Plain { // read aloud, a sentence is complete or left out
		said = []string{said[0], line.Middle(strings.Join(said[1:], " "), w-4)}
	}
	for i, l := range said {
		said[i] = d.Theme.Bar.And(ink).On("  " + line.Pad(l, w-4))
	}
	return said
}

// news returns the newest sentences on one line.
func news(d *Desk) (text string, ink theme.Ink) {
	said := d.Said()
	if len(said) == 0 {
		return "", ""
	}
	if text = said[len(said)-1].Text; len(said) > 1 {
		text = said[0].Text + screen.Between + text
	}
	return text, d.Ink(said[0])
}

// ruled reports whether the current page has a rule above a visible input.
func (d *Desk) ruled() bool {
	p := d.current()
	return p != nil && p.State().Ruled && len(d.Dialogs) == 0
}
