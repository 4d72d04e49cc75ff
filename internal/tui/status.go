package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// statusLine says how things stand. Where the page has no room for the newest sentence there is to say, it does.
func (d *Desk) statusLine(w int) string {
	if text, ink := d.Said(); text != "" && !d.ruled() {
		return d.Theme.Bar.And(ink).On(line.Pad(" "+line.Clip(text, w-2), w))
	}
	left, right := "", ""
	if p := d.current(); p != nil {
		left, right = screen.Fitted(p.Parts(), w)
	}
	return d.Theme.Bar.On(" " + left + strings.Repeat(" ", max(1, w-2-line.Wide(left)-line.Wide(right))) + right + " ")
}

// ruled says whether the page that is shown has a rule above an input that can be seen.
func (d *Desk) ruled() bool {
	p := d.current()
	return p != nil && p.State().Ruled && len(d.Dialogs) == 0
}
