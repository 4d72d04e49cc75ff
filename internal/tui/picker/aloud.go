package picker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
)

// asideRows are the rows below a list that is read aloud: for the description of the current item, and for the
// keys.
const asideRows = 4

// aloud draws the list for screen readers. Its rows do not change while keys move in it, and change by the
// page: only the sentence below them does, which describes the current item in full.
func (p *Picker) aloud(wide, high int) []string {
	out, hint, said := wrapped(clean.Line(p.Title), wide), wrapped(strings.Join(p.hints(), "; "), wide), wrapped(p.sentence(), wide)
	p.page = max(1, high-len(out)-1-len(hint)-max(len(said), asideRows-1))
	p.cursorY = len(out)
	out = append(out, p.typed(wide))
	out = append(out, p.list(wide)...)
	out = append(out, said...)
	return append(append(out, make([]string, max(0, high-len(out)-len(hint)))...), hint...)
}

// sentence describes the current item: its position and everything its row may have no room for.
func (p *Picker) sentence() string {
	i, ok := p.Current()
	if !ok {
		return ""
	}
	text := p.spoken(p.shown[p.current].Index)
	if p.marked[p.shown[p.current].Index] {
		text += ", marked"
	}
	if !p.filter.Empty() && i.Say == "" && i.Also != "" {
		text += ", also: " + i.Also
	}
	return fmt.Sprintf("Selected, %d of %d: %s", p.current+1, len(p.shown), text)
}

// spoken returns the full text of an item, without the blanks that align columns.
func (p *Picker) spoken(index int) string {
	i := p.items[index]
	if found, ok := p.found[index]; ok {
		i.Note = clean.Line(found)
	}
	parts := slices.DeleteFunc([]string{i.Title, i.Say, i.Note}, func(s string) bool { return strings.TrimSpace(s) == "" })
	for n := range len(parts) - 1 {
		parts[n] = strings.TrimSuffix(parts[n], ".")
	}
	return strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
}

// spokenRow draws a row: the full text of its item if that fits, else its name alone.
func (p *Picker) spokenRow(n, wide int) string {
	index := p.shown[n].Index
	head := "  "
	if p.Multi {
		head += map[bool]string{true: "[x] ", false: "[ ] "}[p.marked[index]]
	}
	if text := head + p.spoken(index); width(text) <= wide {
		return text
	}
	return ansi.Truncate(head+strings.Join(strings.Fields(p.items[index].Title), " "), wide, "…")
}

func wrapped(text string, wide int) []string {
	if text == "" {
		return nil
	}
	return strings.Split(ansi.Wrap(text, wide, ""), "\n")
}
