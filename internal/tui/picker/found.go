package picker

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// Found is an item that has what is typed elsewhere than in its row, and what its note says of that.
type Found struct {
	Index int
	Note  string
}

// Find shows items that have what is typed elsewhere, until other words are typed: behind those that have it in their row
// letter by letter, before those that only have its letters. What was looked for other words comes too late and changes
// nothing.
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
