package chatpage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// leastAsked is how many rows a question has before the input gets any.
const leastAsked = 8

// above draws the question above the input, which gives it room if there is little. What was typed has the cursor.
func (a *askDialog) above(input []string, typed *tea.Cursor, w, h int) ([]string, *tea.Cursor) {
	cut := max(0, len(input)-max(0, h-leastAsked))
	frame, cursor := a.Draw(w, h-len(input)+cut)
	if cursor == nil && typed != nil && typed.Y >= cut && !a.p.input.Empty() {
		typed.Y += len(frame) - cut
		cursor = typed
	}
	return append(frame, input[cut:]...), cursor
}

// Draw draws the box of the question above the input; it grows upwards, h rows at most. With little room it has
// no border, but always its keys.
func (a *askDialog) Draw(w, h int) ([]string, *tea.Cursor) {
	t, inner := a.p.d.Theme, w-4
	title, edge := "Question", t.Focus
	if a.need.Question == nil {
		title, edge = told.Heading(a.need), map[told.Level]theme.Ink{told.Routine: t.Focus, told.Leaves: t.Warn,
			told.Grave: t.Bad}[told.Gravest(a.need)]
	}
	bare := h < leastAsked
	around := 3 // the border, and a blank row above the keys
	if bare {
		inner, around = w, 1
	}
	lines := a.lines(inner)
	foot, x, y := a.foot(inner)
	if a.page == 0 && a.input == nil {
		a.read = len(lines) <= h-around-len(foot)
		foot, x, y = a.foot(inner)
	}
	lines = a.part(lines, max(1, h-around-len(foot)))
	var cursor *tea.Cursor
	if bare {
		if a.input != nil {
			cursor = tea.NewCursor(x, y+len(lines)+1)
		}
		return append(append([]string{edge.And(theme.Bold).On(line.Clip(title, w))}, lines...), foot...), cursor
	}
	if a.input != nil {
		cursor = tea.NewCursor(x+2, y+len(lines)+2)
	}
	lines = append(append(lines, ""), foot...)
	f := box.Frame{Title: title, Note: line.One(a.p.d.Clean(filepath.Base(a.p.env.Dir))), Edge: edge}
	return f.Around(t, lines, w), cursor
}

// foot returns the possible answers, or the answer being typed and its cursor.
func (a *askDialog) foot(w int) (out []string, x, y int) {
	t := a.p.d.Theme
	if a.input == nil {
		keys, right := a.keys(w)
		if w < narrowAsked {
			return keyed(t, []string{line.Clip(keys, w)}), 0, 0
		}
		return keyed(t, ends(keys, right, w)), 0, 0
	}
	label, hint := line.Sign(t, "❯ ", "> "), "enter answer   esc stop"
	if a.deny {
		label, hint = "Reason (optional): ", "enter deny   esc back"
	}
	at := line.Wide(label)
	typed, x, y := a.input.Lines(max(4, w-at), 5)
	for i, l := range typed {
		out = append(out, cmp.Or(map[bool]string{true: t.Person.On(label)}[i == 0], strings.Repeat(" ", at))+l)
	}
	return append(out, t.Dim.On(line.Clip(hint, w))), x + at, y
}

// narrowAsked is the width below which only the shortest names of the keys fit.
const narrowAsked = 40

// ends puts text at the left and, in the last row with room, other text at the right.
func ends(left, right string, w int) []string {
	out := line.Wrap(left, w)
	if right == "" {
		return out
	}
	last := out[len(out)-1]
	if room := w - line.Wide(last) - line.Wide(right); room >= 3 {
		out[len(out)-1] = last + strings.Repeat(" ", room) + right
		return out
	}
	return append(out, right)
}

// gap separates two answers.
const gap = "   "

// keyed draws answers with their keys emphasized.
func keyed(t theme.Theme, lines []string) (out []string) {
	for _, l := range lines {
		var row strings.Builder
		for i, answer := range strings.Split(l, gap) {
			if i > 0 {
				row.WriteString(gap)
			}
			named := strings.TrimLeft(answer, " ") // text at the right has more than a gap before it
			row.WriteString(answer[:len(answer)-len(named)])
			key, does, _ := strings.Cut(named, " ")
			row.WriteString(theme.Bold.On(key))
			if does != "" {
				row.WriteString(t.Dim.On(" " + does))
			}
		}
		out = append(out, row.String())
	}
	return out
}

// keys returns the possible answers, and what is at their right. What was not read to its end cannot be allowed.
func (a *askDialog) keys(w int) (answers, right string) {
	switch narrow := w < narrowAsked; {
	case !a.p.input.Empty() && narrow:
		return "enter send  esc deny", ""
	case !a.p.input.Empty():
		return "enter send your message" + gap + "ctrl+c clear it to answer", "esc deny"
	case a.lasting() && narrow:
		return "enter allow  esc back", ""
	case a.lasting():
		return "enter allow for this " + scopeNames[a.choice] + gap + "esc back", ""
	case narrow:
		return map[bool]string{true: "y once  n deny", false: "pgdown  n deny"}[a.read], ""
	case !a.read:
		return "pgdown: read to the end to allow it" + gap + "n deny, say why", "enter deny"
	}
	all := []string{"y once"}
	switch {
	case told.Gravest(a.need) == told.Grave && a.sure:
		all[0] = "y again to allow once"
	case told.Gravest(a.need) == told.Grave:
		all[0] = "y twice: allow once"
	}
	for _, scope := range told.Scopes(a.need) {
		all = append(all, scope[:1]+" "+scopeNames[scope]+"…")
	}
	all = append(all, "n deny, say why")
	if line.Wide(strings.Join(all, gap)) > w {
		all[len(all)-1] = "n deny"
	}
	return strings.Join(all, gap), "enter deny"
}

// scopeNames name what a grant is for.
var scopeNames = map[string]string{"session": "conversation", "project": "project"}

// part returns the part of what would happen that fits.
func (a *askDialog) part(lines []string, room int) []string {
	a.page = room
	if len(lines) <= room {
		a.scroll, a.read = 0, true
		return lines
	}
	if room > 1 {
		a.page-- // a row for how many there are below
	}
	a.scroll = max(0, min(a.scroll, len(lines)-a.page))
	out := slices.Clone(lines[a.scroll : a.scroll+a.page])
	below := len(lines) - a.scroll - a.page
	if a.read = a.read || below == 0; room > 1 {
		out = append(out, a.p.d.Theme.Warn.On(fmt.Sprintf("%d of %d lines read", a.scroll+a.page, len(lines))))
	}
	return out
}

// shown makes a text of what would happen safe to show: nothing of it may hide, nor look like a blank without
// being one.
func (a *askDialog) shown(text string) string {
	var out strings.Builder
	start := true // of a line, where tabs are indentation
	for _, r := range clean.Reveal(a.p.d.Redact(text)) {
		if r != ' ' && unicode.Is(unicode.Zs, r) || r == '\t' && !start {
			fmt.Fprintf(&out, "<U+%04X>", r)
		} else {
			out.WriteRune(r)
		}
		start = r == '\n' || start && r == '\t'
	}
	return out.String()
}

// lines describes what would happen: every command and file.
func (a *askDialog) lines(w int) (out []string) {
	t := a.p.d.Theme
	if q := a.need.Question; q != nil {
		out = append(out, line.Wrap(a.shown(q.Text), w)...)
		for i, o := range q.Options {
			out = append(out, line.Wrap(fmt.Sprintf("  %d  %s", i+1, a.shown(o)), w)...)
		}
		if len(q.Options) > 0 {
			out = append(out, t.Dim.On("a number, or your own words"))
		}
		return out
	}
	if tally := told.Tally(a.need); tally != "" {
		out = append(out, t.Dim.On(line.Clip(tally, w)), "")
	}
	for _, act := range a.need.Acts {
		if act.Dir != "" && act.Dir != a.p.env.Dir {
			out = append(out, line.Inked(t.Dim, line.Wrap("in "+a.shown(act.Dir), w))...)
			break
		}
	}
	for i, part := range a.need.Parts {
		out = append(out, a.row(i, part, w)...)
	}
	if len(a.need.Parts) == 0 {
		out = append(out, line.Wrap(a.shown(a.need.Reason), w)...)
	}
	for _, act := range a.need.Acts {
		if act.Effect == tool.Writes && strings.Contains(act.Text, "\n@@ ") {
			out = append(append(out, ""), markdown.Diff(t, a.shown(act.Text), w)...)
		}
	}
	return out
}

// numbered is the number of parts from which on they are numbered.
const numbered = 4

// row formats one part with its mark, and its consequences in words.
func (a *askDialog) row(i int, part asking.Part, w int) (out []string) {
	t, ink := a.p.d.Theme, a.p.d.Theme.Dim
	if part.Asked {
		ink = theme.Bold
	}
	mark, grave := "", t.Dim
	switch told.LevelOf(part) {
	case told.Leaves:
		mark, grave = "! ", t.Warn
	case told.Grave:
		mark, grave = "!! ", t.Bad
	}
	if told.Tally(a.need) == "" {
		mark = "" // the heading says it for all
	}
	lead := grave.On(mark)
	if len(a.need.Parts) >= numbered {
		lead = t.Dim.On(fmt.Sprintf("%2d ", i+1)) + grave.On(line.Pad(mark, 3))
	}
	at := line.Wide(lead)
	for j, l := range line.Wrap(a.shown(part.Text), max(8, w-at)) {
		if j > 0 {
			lead = strings.Repeat(" ", at)
		}
		out = append(out, lead+ink.On(l))
	}
	under := func(ink theme.Ink, text string) {
		for _, l := range line.Wrap(text, max(8, w-at-2)) {
			out = append(out, strings.Repeat(" ", at+2)+ink.On(l))
		}
	}
	if part.Asked {
		for _, text := range told.Consequences(part) {
			ink := t.Dim
			if strings.Contains("; "+part.Lost+";", "; "+text+";") {
				ink = t.Bad
			}
			under(ink, a.shown(text))
		}
	}
	for _, path := range part.Paths {
		under(t.Dim, "→ "+a.shown(path))
	}
	if scopes := told.Scopes(a.need); part.Asked && part.Covers != "" && len(scopes) > 0 {
		letters := map[bool]string{true: "s or p", false: "s"}[len(scopes) > 1]
		under(t.Dim, letters+", then enter, grants: "+a.shown(part.Covers))
	}
	return out
}
