package picker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

const (
	previewFrom = 90 // minimum width for a preview beside the list
	belowFrom   = 16 // minimum height for one below it
	prompt      = "> "
)

// preview is the last drawn preview, and its item.
type preview struct {
	item, width, height int
	lines               []string
}

func width(s string) int { return ansi.StringWidth(s) }

// Lines draws the list with its title, filter and keys: high lines, none wider than wide.
func (p *Picker) Lines(wide, high int) []string {
	wide, high = max(wide, 10), max(high, 3)
	if p.theme.Plain {
		return p.aloud(wide, high)
	}
	out := []string{p.head(wide), p.typed(wide)}
	p.cursorY = 1
	p.page = high - 2
	if high > 4 {
		p.page--
	}
	listed := wide
	if p.Preview != nil && wide >= previewFrom && !p.Below {
		listed = wide * 2 / 5
	}
	below := 0
	if p.Preview != nil && listed == wide && high >= belowFrom {
		below = max(p.page*2/5, p.page-max(p.Rows(), 3)) // the space that a short list leaves
		p.page -= below
	}
	rows := p.list(listed)
	if listed < wide {
		p.beside(rows, listed, wide-listed-3)
	}
	out = append(out, rows...)
	if below > 0 {
		out = append(out, p.theme.Line.On(strings.Repeat("─", wide)))
		lines := p.previewed(wide, below-1)
		out = append(append(out, lines...), make([]string, below-1-len(lines))...)
	}
	if high > 4 {
		out = append(out, p.theme.Dim.On(ansi.Truncate(p.hint(wide), wide, "…")))
	}
	return out
}

// Rows counts the rows of all items and group names, and of what is read aloud below them.
func (p *Picker) Rows() int {
	rows := len(p.items)
	if p.theme.Plain {
		rows += asideRows - 1
	}
	for i, it := range p.items {
		if it.Group != "" && (i == 0 || p.items[i-1].Group != it.Group) {
			rows++
		}
	}
	return rows
}

// Cursor returns where the next letter goes, in the output of Lines.
func (p *Picker) Cursor() (x, y int) { return p.cursorX, p.cursorY }

func (p *Picker) head(wide int) string {
	count := fmt.Sprintf("%d/%d", len(p.shown), len(p.items))
	if len(p.marked) > 0 {
		count = fmt.Sprintf("%d marked  %s", len(p.marked), count)
	}
	title := ansi.Truncate(clean.Line(p.Title), max(wide-width(count)-1, 0), "…")
	return p.theme.Heading.On(title) + strings.Repeat(" ", max(wide-width(title)-width(count), 0)) +
		p.theme.Dim.On(ansi.Truncate(count, wide, ""))
}

func (p *Picker) typed(wide int) string {
	p.filter.Placeholder = "type to filter"
	prompt := prompt
	if p.theme.Plain {
		prompt = "Filter: "
	}
	rows, x, _ := p.filter.Lines(wide-len(prompt), 1)
	p.cursorX = len(prompt) + x
	return p.theme.Focus.On(prompt) + rows[0]
}

// hints name the keys.
func (p *Picker) hints() (hints []string) {
	keys := []Key{{"↑↓", "move"}, {"enter", "choose"}, {"esc", "close"}}
	if p.theme.Plain {
		keys[0].Name = "up, down"
	}
	if p.Multi {
		does := "mark"
		if len(p.shown) > 0 && p.marked[p.shown[p.current].Index] {
			does = "unmark"
		}
		keys = slices.Insert(keys, 1, Key{"space", does})
	}
	for _, k := range append(keys, p.Keys...) {
		if k.Does != "" {
			hints = append(hints, k.Name+" "+k.Does)
		}
	}
	return hints
}

// hint joins as many of them as fit: what everybody knows is dropped first.
func (p *Picker) hint(wide int) string {
	hints := p.hints()
	known := []string{"↑↓ move", "esc close", "enter choose"}
	for ; len(hints) > 1 && width(strings.Join(hints, "  ")) > wide; known = known[min(1, len(known)):] {
		at := 0
		if len(known) > 0 {
			at = max(0, slices.Index(hints, known[0]))
		}
		hints = slices.Delete(hints, at, at+1)
	}
	return strings.Join(hints, "  ")
}

// list draws the page of items around the current one.
func (p *Picker) list(wide int) []string {
	if len(p.shown) == 0 {
		text := "Nothing matches."
		if p.Free && p.Typed() != "" {
			text = cmp.Or(p.Unmatched, "Press Enter to use what you typed.")
		} else if len(p.items) == 0 {
			text = p.Nothing
		}
		return slices.Insert(make([]string, p.page-1), 0, "  "+p.theme.Dim.On(ansi.Truncate(text, wide-2, "…")))
	}
	p.scroll()
	var rows []string
	i := p.top
	for ; i < len(p.shown) && len(rows)+p.cost(i, p.top) <= p.page; i++ {
		if p.cost(i, p.top) > 1 {
			group := p.items[p.shown[i].Index].Group
			rows = append(rows, p.theme.Dim.And(theme.Bold).On(ansi.Truncate(group, wide-2, "…")))
		}
		rows = append(rows, p.row(i, wide-2))
	}
	if p.theme.Plain {
		return append(rows, make([]string, p.page-len(rows))...)
	}
	if p.top > 0 {
		rows[0] = fit(rows[0], wide-1) + p.theme.Dim.On("↑")
	}
	if last := len(rows) - 1; i < len(p.shown) {
		rows[last] = fit(rows[last], wide-1) + p.theme.Dim.On("↓")
	}
	return append(rows, make([]string, p.page-len(rows))...)
}

// cost is how many rows the shown item i takes if top is the first: one, and one for the name of its group.
func (p *Picker) cost(i, top int) int {
	group := p.items[p.shown[i].Index].Group
	if group != "" && p.page > 1 && p.filter.Empty() && (i == top || p.items[p.shown[i-1].Index].Group != group) {
		return 2
	}
	return 1
}

// fits reports whether the shown items from top to last fit on a page.
func (p *Picker) fits(top, last int) bool {
	for i, used := top, 0; i <= last; i++ {
		if used += p.cost(i, top); used > p.page {
			return false
		}
	}
	return true
}

// scroll moves the first item as little as necessary: the current one is visible, and no row is wasted.
func (p *Picker) scroll() {
	if p.theme.Plain && p.top < p.current && !p.fits(p.top, p.current) {
		p.top = p.current // long text is read again
	}
	p.top = max(min(p.top, p.current), p.current-p.page+1)
	for p.top < p.current && !p.fits(p.top, p.current) {
		p.top++
	}
	for p.top > 0 && p.fits(p.top-1, len(p.shown)-1) {
		p.top--
	}
}

// row draws a shown item: the current one has an arrow and a bar.
func (p *Picker) row(n, wide int) string {
	if p.theme.Plain {
		return p.spokenRow(n, wide)
	}
	match := p.shown[n]
	item := p.items[match.Index]
	base, found, dim := theme.Ink(""), p.theme.Focus.And(theme.Underline), p.theme.Dim
	head := "  "
	if n == p.current {
		base, found, dim, head = p.theme.Chosen, p.theme.Chosen.And(theme.Underline), p.theme.Chosen, "› "
	}
	if p.Multi {
		head += map[bool]string{true: "[x] ", false: "[ ] "}[p.marked[match.Index]]
	}
	if p.marks > 0 {
		head += fit(item.Mark, p.marks+1)
	}
	head = ansi.Truncate(head, wide, "")
	room := wide - width(head)
	if found, ok := p.found[match.Index]; ok {
		item.Note, match.At = clean.Line(found), nil
	}
	note := ansi.Truncate(item.Note, max(room-min(width(item.Title), room*3/5)-len(gap), 0), "…")
	if note != "" {
		room -= width(note) + len(gap)
	}
	title, used := inked(item.Title, match.At, 0, room, base, found)
	if say := p.said(item, room, used); say != "" {
		title, used = title+base.On(say[:len(say)-len(strings.TrimLeft(say, " "))])+dim.On(strings.TrimLeft(say, " ")), used+width(say)
	}
	space := room - used
	if note != "" {
		space += len(gap)
		note, _ = inked(note, match.At, len(item.Title)+len(gap), width(note), dim, found)
	}
	if n != p.current && note == "" {
		space = 0
	}
	return base.On(head) + title + base.On(strings.Repeat(" ", space)) + note
}

// said returns the sentence after a title, aligned with those of the other items, in a row of room cells of
// which some are used; empty: none, or no room.
func (p *Picker) said(i Item, room, used int) string {
	say := i.Say
	if say == "" && i.Also != "" && !p.filter.Empty() {
		say = "also: " + i.Also
	}
	before := max(min(p.names, room*2/5)-used, 0) + len(gap)
	if room -= used + before; say == "" || room < 12 {
		return ""
	}
	return strings.Repeat(" ", before) + ansi.Truncate(say, room, "…")
}

// inked draws text with the matched letters, at bytes counted from offset, and returns its width. If it is too
// wide it loses its end, or its beginning if the match is at the end.
func inked(text string, at []int, offset, room int, base, found theme.Ink) (string, int) {
	if wide := width(text); wide > room {
		cut := ansi.Truncate(text, room, "…")
		if seen := offset + len(cut) - len("…"); len(at) > 0 && at[len(at)-1] >= seen && at[len(at)-1] < offset+len(text) && room > 1 {
			cut = ansi.TruncateLeft(text, wide-room+1, "…")
			if width(cut) > room { // half a wide letter cannot be removed
				cut = ansi.TruncateLeft(text, wide-room+2, "…")
			}
			offset += len(text) - len(cut)
		}
		text = cut
	}
	var out strings.Builder
	run, ink := 0, base
	for i := 0; i < len(text); {
		cluster, _ := ansi.FirstGraphemeCluster(text[i:], ansi.GraphemeWidth)
		next := base
		if hit(at, offset+i, offset+i+len(cluster)) {
			next = found
		}
		if next != ink {
			out.WriteString(ink.On(text[run:i]))
			run, ink = i, next
		}
		i += max(len(cluster), 1)
	}
	out.WriteString(ink.On(text[run:]))
	return out.String(), width(text)
}

func hit(at []int, from, to int) bool {
	i, met := slices.BinarySearch(at, from)
	return met || i < len(at) && at[i] < to
}

// fit cuts or pads s to a width.
func fit(s string, wide int) string {
	s = ansi.Truncate(s, wide, "…")
	return s + strings.Repeat(" ", wide-width(s))
}

// beside draws the preview of the current item to the right of rows.
func (p *Picker) beside(rows []string, listed, wide int) {
	lines := p.previewed(wide, len(rows))
	for i := range rows {
		right := ""
		if i < len(lines) {
			right = lines[i]
		}
		rows[i] = fit(rows[i], listed) + " " + p.theme.Line.On("│") + " " + right
	}
}

// previewed returns the preview of the current item, at most high lines.
func (p *Picker) previewed(wide, high int) []string {
	if len(p.shown) == 0 {
		return nil
	}
	i := p.shown[p.current].Index
	if v := p.previews; v.lines == nil || v.item != i || v.width != wide || v.height != high {
		lines := p.Preview(p.items[i], wide, high)
		p.previews = preview{i, wide, high, []string{}}
		for _, l := range lines[:min(high, len(lines))] {
			p.previews.lines = append(p.previews.lines, ansi.Truncate(l, wide, "…"))
		}
	}
	return p.previews.lines
}
