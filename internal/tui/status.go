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

// named is how a person knows the model that answers with a setting, and its tier. It is looked up once.
func (d *Desk) named(spec, phase string) (name, tier string) {
	if d.Named == nil || spec == "" {
		return spec, ""
	}
	key := [2]string{spec, phase}
	is, ok := d.names[key]
	if !ok {
		if d.names == nil {
			d.names = map[[2]string][2]string{}
		}
		name, tier := d.Named(spec, phase)
		is = [2]string{line.One(d.Clean(name)), line.One(d.Clean(tier))}
		d.names[key] = is
	}
	return is[0], is[1]
}
