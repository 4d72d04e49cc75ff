package picker

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// Found is an item that contains the typed text elsewhere than in its row, and its note about that.
type Found struct {
	Index int
	Note  string
}

// Find shows items that contain the typed text elsewhere, until other words are typed: after those whose row
// contains it, before those that only have its letters. A result for other words is too late and ignored.
func (p *Picker) Find(typed string, all []Found) {
	if typed != p.Typed() {
		return
	}
	was := -1
	if len(p.shown) > 0 {
		was = p.shown[p.current].Index
	}
	p.search()
	p.found = map[int]string{}
	literal := func(i int) bool {
		row := p.titles[i]
		if p.full != nil {
			row = p.full[i]
		}
		return strings.Contains(strings.ToLower(row), strings.ToLower(typed))
	}
	at := 0
	for at < len(p.shown) && literal(p.shown[at].Index) {
		at++
	}
	var more []editor.Match
	for _, f := range all {
		p.found[f.Index] = f.Note
		if !slices.ContainsFunc(p.shown[:at], func(m editor.Match) bool { return m.Index == f.Index }) {
			p.shown = slices.DeleteFunc(p.shown, func(m editor.Match) bool { return m.Index == f.Index })
			more = append(more, editor.Match{Index: f.Index})
		}
	}
	p.shown = slices.Insert(p.shown, at, more...)
	if was >= 0 && p.moved {
		p.Select(was)
	}
}
