package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// wide is how many columns a text takes.
func wide(s string) int { return ansi.StringWidth(s) }

// clip cuts a drawn text to a width, with a mark where it was cut.
func clip(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, "…")
}

// tailKept is what stays of the end of a text that is cut in its middle.
const tailKept = 18

// middle cuts a plain text to a width in its middle: its end says what came of it.
func middle(s string, w int) string {
	n := wide(s)
	if n <= w || w < 3*tailKept {
		return clip(s, w)
	}
	end := ansi.TruncateLeft(s, n-tailKept, "")
	if i := strings.LastIndex(end, "… "); i >= 0 { // it was cut before
		end = end[i+len("…"):]
	}
	return ansi.Truncate(s, w-wide(end)-1, "") + "…" + end
}

// named cuts the name of a file to a width: first the folders that it is in go.
func named(path string, w int) string {
	if wide(path) <= w {
		return path
	}
	for i, r := range path {
		if r == '/' && i > 0 && wide(path[i:])+1 <= w {
			return "…" + path[i:]
		}
	}
	return middle(path[strings.LastIndexByte(path, '/')+1:], w)
}

// hang breaks a line of ours: what goes on hangs under its text, or under its last column.
func hang(line string, w int) []string {
	text := strings.TrimLeft(line, " ")
	at := len(line) - len(text)
	if i := strings.LastIndex(text, "  "); i >= 0 && wide(line[:at+i+2]) <= w/2 {
		at += i + 2
	}
	if at = wide(line[:at]); at > w/2 || wide(line) <= w {
		return wrap(line, w)
	}
	out := wrap(strings.TrimLeft(ansi.TruncateLeft(line, at, ""), " "), w-at)
	for i := range out {
		out[i] = strings.Repeat(" ", at) + out[i]
	}
	out[0] = ansi.Truncate(line, at, "") + out[0][at:]
	return out
}

// pad makes a drawn text exactly w wide.
func pad(s string, w int) string {
	n := wide(s)
	if n > w {
		return ansi.Truncate(s, w, "")
	}
	return s + strings.Repeat(" ", w-n)
}

// oneLine is a text on one line, without anything that moves a cursor.
func oneLine(s string) string { return strings.TrimSpace(clean.Line(s)) }

// fill makes lines h in number and none wider than w.
func fill(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range min(h, len(lines)) {
		out[i] = lines[i]
		if wide(out[i]) > w {
			out[i] = ansi.Truncate(out[i], w, "")
		}
	}
	return out
}

// wrap breaks a cleaned text into lines of a width.
func wrap(text string, w int) []string {
	if w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(strings.ReplaceAll(text, "\t", "    "), w, ""), "\n")
}

// inked draws every line.
func inked(ink theme.Ink, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ink.On(l)
	}
	return out
}

// beside puts two columns next to each other: left is lw wide, then a rule.
func beside(left, right []string, lw, h int, rule string) []string {
	out := make([]string, h)
	for i := range h {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = pad(l, lw) + rule + r
	}
	return out
}

// boxed draws a box w wide around lines.
func boxed(t theme.Theme, title string, lines []string, w int) []string {
	inner := w - 4
	if t.Plain {
		return append([]string{theme.Bold.On(clip(title, w))}, append(indent(indent(slices.Clone(lines))), "")...)
	}
	title = clip(title, max(0, inner-2))
	head := "╭─ " + title + " " + strings.Repeat("─", max(0, w-5-wide(title))) + "╮"
	if title == "" {
		head = "╭" + strings.Repeat("─", w-2) + "╮"
	}
	out := []string{t.Line.On("╭─ ") + theme.Bold.On(title) + t.Line.On(strings.TrimPrefix(head, "╭─ "+title))}
	if title == "" {
		out[0] = t.Line.On(head)
	}
	for _, l := range lines {
		out = append(out, t.Line.On("│")+" "+pad(l, inner)+" "+t.Line.On("│"))
	}
	return append(out, t.Line.On("╰"+strings.Repeat("─", w-2)+"╯"))
}

// over lays a box over the middle of a screen and says where its corner is.
func over(lines, box []string, w, h int) (out []string, x, y int) {
	bw := 0
	for _, l := range box {
		bw = max(bw, wide(l))
	}
	x, y = max(0, (w-bw)/2), max(0, (h-len(box))/2)
	for i, l := range box {
		if at := y + i; at < len(lines) {
			under := lines[at]
			right := ansi.TruncateLeft(under, x+bw, "")
			if wide(right) > max(0, wide(under)-x-bw) { // the box ends in the middle of a wide letter
				right = " " + ansi.TruncateLeft(under, x+bw+1, "")
			}
			lines[at] = pad(ansi.Truncate(under, x, ""), x) + l + strings.Repeat(" ", bw-wide(l)) + right
		}
	}
	return lines, x, y
}

// handy is how wide a box is at most whose text is read from left to right.
const handy = 110

// recede takes the colours out of what lies under a dialog, so that the eye finds what the keys are for.
func recede(t theme.Theme, lines []string) {
	if t.Plain || t.Dim == "" {
		return
	}
	for i, l := range lines {
		lines[i] = t.Dim.On(ansi.Strip(l))
	}
}

// rule is a line between two parts of a page.
func rule(t theme.Theme, ink theme.Ink, w int) string {
	if t.Plain {
		return ""
	}
	return ink.On(strings.Repeat("─", max(0, w)))
}

// sign is what marks a line for the eye, or for those who have it read, a word.
func sign(t theme.Theme, mark, word string) string {
	if t.Plain {
		return word
	}
	return mark
}
