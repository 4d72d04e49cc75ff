// Package box arranges lines in boxes, side by side or stacked.
package box

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Fill makes h lines, none wider than w.
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
	return Frame{Title: title, Edge: t.Line}.Around(t, lines, w)
}

// Frame is a box with a title at the left of its upper edge and a note at the right.
type Frame struct {
	Title, Note string
	Edge        theme.Ink
}

// Around draws the frame, w wide, around lines.
func (f Frame) Around(t theme.Theme, lines []string, w int) []string {
	inner := w - 4
	if t.Plain {
		return append([]string{theme.Bold.On(line.Clip(f.Title, w))}, append(line.Indent(line.Indent(slices.Clone(lines))), "")...)
	}
	title, note := line.Clip(f.Title, max(0, inner-2)), ""
	if f.Note != "" && line.Wide(title)+line.Wide(f.Note)+8 <= inner {
		note = " " + f.Note + " ─"
	}
	head := f.Edge.On("╭" + strings.Repeat("─", max(0, w-2)) + "╮")
	if title != "" {
		ink := theme.Bold
		if f.Edge != t.Line {
			ink = f.Edge.And(theme.Bold)
		}
		rule := " " + strings.Repeat("─", max(0, w-5-line.Wide(title)-line.Wide(note)))
		head = f.Edge.On("╭─ ") + ink.On(title)
		if note == "" {
			head += f.Edge.On(rule + "╮")
		} else {
			head += f.Edge.On(rule) + t.Dim.On(" "+f.Note+" ") + f.Edge.On("─╮")
		}
	}
	out := []string{head}
	for _, l := range lines {
		out = append(out, f.Edge.On("│")+" "+line.Pad(l, inner)+" "+f.Edge.On("│"))
	}
	return append(out, f.Edge.On("╰"+strings.Repeat("─", max(0, w-2))+"╯"))
}

// foot is how many rows stay free below a box: the input and the status line.
const foot = 2

// Over draws a box over the bottom of a screen, upwards from above the input, and returns the position of its
// corner.
func Over(lines, box []string, w, h int) (out []string, x, y int) {
	bw := 0
	for _, l := range box {
		bw = max(bw, line.Wide(l))
	}
	y = max(0, min(1, h-len(box)), h-foot-len(box))
	for i, l := range box {
		if at := y + i; at < len(lines) {
			under := lines[at]
			right := ansi.TruncateLeft(under, x+bw, "")
			if line.Wide(right) > max(0, line.Wide(under)-x-bw) { // the box ends in the middle of a wide character
				right = " " + ansi.TruncateLeft(under, x+bw+1, "")
			}
			lines[at] = line.Pad(ansi.Truncate(under, x, ""), x) + l + strings.Repeat(" ", bw-line.Wide(l)) + right
		}
	}
	return lines, x, y
}

// Handy is the maximum width of a box with text to read.
const Handy = 110

// Roomy is the width from which on a page shows something beside its text.
const Roomy = 100

// Recede removes the colours below a dialog, so that the eye finds what the keys apply to.
func Recede(t theme.Theme, lines []string) {
	if t.Plain || t.Dim == "" {
		return
	}
	for i, l := range lines {
		lines[i] = t.Dim.On(ansi.Strip(l))
	}
}

// Rule draws a line between two parts of a page.
func Rule(t theme.Theme, ink theme.Ink, w int) string {
	if t.Plain {
		return ""
	}
	return ink.On(strings.Repeat("─", max(0, w)))
}
