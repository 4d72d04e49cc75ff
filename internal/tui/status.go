package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// part is a piece of the status line. Where there is no room those of the highest rank become short first.
type part struct {
	text, short string // an empty one is left out
	rank        int
	right       bool // at the right
}

// between stands between two parts.
const between = " · "

// fitted makes parts short until they have room in a line. What is still too wide then loses its end.
func fitted(parts []part, w int) (left, right string) {
	parts = slices.Clone(parts)
	order := make([]int, len(parts))
	for i := range parts {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[b].rank, parts[a].rank) })
	for _, i := range order {
		if left, right = joined(parts); line.Wide(left)+line.Wide(right)+3 <= w || parts[i].rank == 0 {
			break
		}
		parts[i].text = parts[i].short
	}
	left, right = joined(parts)
	right = line.Clip(right, max(0, w-3))
	return line.Clip(left, max(0, w-line.Wide(right)-3)), right
}

func joined(parts []part) (left, right string) {
	var l, r []string
	for _, p := range parts {
		if p.text != "" && p.right {
			r = append(r, p.text)
		} else if p.text != "" {
			l = append(l, p.text)
		}
	}
	return strings.Join(l, between), strings.Join(r, between)
}

// statusLine says how things stand. Where the page has no room for the newest sentence there is to say, it does.
func (d *Desk) statusLine(w int) string {
	if text, ink := d.said(); text != "" && !d.ruled() {
		return d.Theme.Bar.And(ink).On(line.Pad(" "+line.Clip(text, w-2), w))
	}
	left, right := "", ""
	if p := d.current(); p != nil {
		left, right = fitted(p.parts(), w)
	}
	return d.Theme.Bar.On(" " + left + strings.Repeat(" ", max(1, w-2-line.Wide(left)-line.Wide(right))) + right + " ")
}

// said is the newest sentence, as long as it is new.
func (d *Desk) said() (text string, ink theme.Ink) {
	if d.note.text == "" || !time.Now().Before(d.note.till) {
		return "", ""
	}
	if d.note.bad {
		return d.note.text, d.Theme.Bad
	}
	return d.note.text, ""
}

// ruled says whether the page that is shown has a rule above an input that can be seen.
func (d *Desk) ruled() bool {
	if p, ok := d.current().(*chatPage); ok && (p.ask != nil || p.gone != "" && p.input.Empty()) {
		return false
	}
	return d.input() != nil && len(d.dialogs) == 0
}

// mostSaid is how many lines a sentence above the input may take.
const mostSaid = 3

// rule is the line above the input, with the newest sentence in it; one that is too long for that stands above it.
func (d *Desk) rule(ink theme.Ink, w int) []string {
	text, of := d.said()
	l := box.Rule(d.Theme, ink, w)
	switch {
	case text == "" || !d.ruled():
		return []string{l}
	case d.Theme.Plain:
		return line.Wrap(text, w)
	case line.Wide(text) <= w-6:
		return []string{ink.On("── ") + cmp.Or(of, d.Theme.Program).On(text) + ink.On(" "+strings.Repeat("─", w-4-line.Wide(text)))}
	}
	said := line.Wrap(text, w-2)
	if len(said) > mostSaid {
		said = append(said[:mostSaid-1:mostSaid-1], line.Clip(strings.Join(said[mostSaid-1:], " "), w-2))
	}
	return append(line.Indent(line.Inked(cmp.Or(of, d.Theme.Program), said)), l)
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
