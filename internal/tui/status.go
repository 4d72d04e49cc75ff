package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// statusLine says how things stand. Where the page has no room for the newest sentence there is to say, it does.
func (d *Desk) statusLine(w int) string {
	if said := d.Said(); len(said) > 0 && !d.ruled() {
		text := said[len(said)-1].Text
		if len(said) > 1 {
			text = said[0].Text + screen.Between + text
		}
		return d.Theme.Bar.And(d.Ink(said[0])).On("  " + line.Clip(text, w-4))
	}
	left, right := "", ""
	if p := d.current(); p != nil {
		left, right = screen.Fitted(p.Parts(), w-2)
	}
	row := "  " + left + strings.Repeat(" ", max(1, w-4-line.Wide(left)-line.Wide(right))) + right
	return d.Theme.Bar.Under(strings.TrimRight(row, " "))
}

// ruled says whether the page that is shown has a rule above an input that can be seen.
func (d *Desk) ruled() bool {
	p := d.current()
	return p != nil && p.State().Ruled && len(d.Dialogs) == 0
}
