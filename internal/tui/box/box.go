// Package box puts lines together: into boxes, beside each other, over each other.
package box

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Fill makes lines h in number and none wider than w.
func Fill(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range min(h, len(lines)) {
		out[i] = lines[i]
		if line.Wide(out[i]) > w {
			out[i] = ansi.Truncate(out[i], w, "")
		}
	}
	return out
}

// Beside puts two columns next to each other: left is lw wide, then a rule.
func Beside(left, right []string, lw, h int, rule string) []string {
	out := make([]string, h)
	for i := range h {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = line.Pad(l, lw) + rule + r
	}
	return out
}

// Around draws a box w wide around lines.
func Around(t theme.Theme, title string, lines []string, w int) []string {
	inner := w - 4
	if t.Plain {
		return append([]string{theme.Bold.On(line.Clip(title, w))}, append(line.Indent(line.Indent(slices.Clone(lines))), "")...)
	}
	title = line.Clip(title, max(0, inner-2))
	head := "╭─ " + title + " " + strings.Repeat("─", max(0, w-5-line.Wide(title))) + "╮"
	if title == "" {
		head = "╭" + strings.Repeat("─", w-2) + "╮"
	}
	out := []string{t.Line.On("╭─ ") + theme.Bold.On(title) + t.Line.On(strings.TrimPrefix(head, "╭─ "+title))}
	if title == "" {
		out[0] = t.Line.On(head)
	}
	for _, l := range lines {
		out = append(out, t.Line.On("│")+" "+line.Pad(l, inner)+" "+t.Line.On("│"))
	}
	return append(out, t.Line.On("╰"+strings.Repeat("─", w-2)+"╯"))
}

// Over lays a box over the middle of a screen and says where its corner is.
func Over(lines, box []string, w, h int) (out []string, x, y int) {
	bw := 0
	for _, l := range box {
		bw = max(bw, line.Wide(l))
	}
	x, y = max(0, (w-bw)/2), max(0, (h-len(box))/2)
	for i, l := range box {
		if at := y + i; at < len(lines) {
			under := lines[at]
			right := ansi.TruncateLeft(under, x+bw, "")
			if line.Wide(right) > max(0, line.Wide(under)-x-bw) { // the box ends in the middle of a wide letter
				right = " " + ansi.TruncateLeft(under, x+bw+1, "")
			}
			lines[at] = line.Pad(ansi.Truncate(under, x, ""), x) + l + strings.Repeat(" ", bw-line.Wide(l)) + right
		}
	}
	return lines, x, y
}

// Handy is how wide a box is at most whose text is read from left to right.
const Handy = 110

// Roomy is the width from which on a page has room for something beside its text.
const Roomy = 100

// Recede takes the colours out of what lies under a dialog, so that the eye finds what the keys are for.
func Recede(t theme.Theme, lines []string) {
	if t.Plain || t.Dim == "" {
		return
	}
	for i, l := range lines {
		lines[i] = t.Dim.On(ansi.Strip(l))
	}
}

// Rule is a line between two parts of a page.
func Rule(t theme.Theme, ink theme.Ink, w int) string {
	if t.Plain {
		return ""
	}
	return ink.On(strings.Repeat("─", max(0, w)))
}
