// Package line measures, cuts and breaks the lines of the screen by their width in a terminal, and formats
// numbers.
package line

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Wide counts the columns of a text.
func Wide(s string) int { return ansi.StringWidth(s) }

// Clip cuts a drawn text to a width, and marks the cut.
func Clip(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, "…")
}

// Rows returns a drawn text cut to a width, or all of it if it is read aloud.
func Rows(t theme.Theme, s string, w int) []string {
	if t.Plain {
		return Wrap(s, w)
	}
	return []string{Clip(s, w)}
}

// tailKept is how much of the end stays when a text is cut in its middle.
const tailKept = 18

// Middle cuts a plain text to a width in its middle, because its end contains the result.
func Middle(s string, w int) string {
	n := Wide(s)
	if n <= w || w < 3*tailKept {
		return Clip(s, w)
	}
	end := ansi.TruncateLeft(s, n-tailKept, "")
	if i := strings.LastIndex(end, "… "); i >= 0 { // it was cut already
		end = end[i+len("…"):]
	}
	return ansi.Truncate(s, w-Wide(end)-1, "") + "…" + end
}

// Named cuts the name of a file to a width, its folders first.
func Named(path string, w int) string {
	if Wide(path) <= w {
		return path
	}
	for i, r := range path {
		if r == '/' && i > 0 && Wide(path[i:])+1 <= w {
			return "…" + path[i:]
		}
	}
	return Middle(path[strings.LastIndexByte(path, '/')+1:], w)
}

// Hang wraps one of our lines: continuation lines are indented to its text, or to its last column.
func Hang(line string, w int) []string {
	text := strings.TrimLeft(line, " ")
	at := len(line) - len(text)
	if i := strings.LastIndex(text, "  "); i >= 0 && Wide(line[:at+i+2]) <= w/2 {
		at += i + 2
	}
	if at = Wide(line[:at]); at > w/2 || Wide(line) <= w {
		return Wrap(line, w)
	}
	out := Wrap(strings.TrimLeft(ansi.TruncateLeft(line, at, ""), " "), w-at)
	for i := range out {
		out[i] = strings.Repeat(" ", at) + out[i]
	}
	out[0] = ansi.Truncate(line, at, "") + out[0][at:]
	return out
}

// Pad makes a drawn text exactly w wide.
func Pad(s string, w int) string {
	n := Wide(s)
	if n > w {
		return ansi.Truncate(s, w, "")
	}
	return s + strings.Repeat(" ", w-n)
}

// One returns a text on one line, without anything that moves the cursor.
func One(s string) string { return strings.TrimSpace(clean.Line(s)) }

// Tabbed replaces tabs by blanks: four for one at the beginning of a line or after another tab, as in code,
// else up to the next eighth cell, so that columns printed by a program stay aligned.
func Tabbed(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var out strings.Builder
	for row := range strings.Lines(text) {
		at := 0
		for before, after, found := strings.Cut(row, "\t"); ; before, after, found = strings.Cut(after, "\t") {
			out.WriteString(before)
			if !found {
				break
			}
			blanks := 4
			if before != "" {
				at += Wide(before)
				blanks = 8 - at%8
			}
			out.WriteString(strings.Repeat(" ", blanks))
			at += blanks
		}
	}
	return out.String()
}

// Wrap breaks a cleaned text into lines of a width.
func Wrap(text string, w int) []string {
	if w < 1 {
		return nil
	}
	text = Tabbed(text)
	if !strings.Contains(text, "--") {
		return strings.Split(ansi.Wrap(text, w, ""), "\n")
	}
	words := strings.SplitAfter(text, " ")
	for i, word := range words { // a flag is not broken at its hyphens, as other words may be
		if strings.Contains(word, "--") {
			words[i] = strings.ReplaceAll(word, "-", hyphen)
		}
	}
	return strings.Split(strings.ReplaceAll(ansi.Wrap(strings.Join(words, ""), w, ""), hyphen, "-"), "\n")
}

// hyphen replaces one that must not break; it is a private-use code point.
const hyphen = "\ue02d"

// Flow breaks a cleaned text into lines of a width, and marks those that continue: copied, they are one line
// again.
func Flow(t theme.Theme, text string, w int) (out []string) {
	for source := range strings.SplitSeq(Tabbed(text), "\n") {
		rows := Wrap(source, w)
		first := rows[:min(1, len(rows))]
		rest, known := strings.TrimPrefix(source, strings.Join(first, "")), false
		out = append(out, first...)
		for i := 1; i < len(rows); i++ {
			mark := theme.Glued
			if strings.HasPrefix(rest, " ") || strings.HasSuffix(rows[i-1], " ") {
				mark = theme.Joined
			}
			if rest, known = strings.CutPrefix(strings.TrimLeft(rest, " "), rows[i]); !known || t.Plain {
				out = append(out, rows[i:]...)
				break
			}
			out = append(out, mark.Mark()+rows[i])
		}
	}
	return out
}

// Inked draws every line.
func Inked(ink theme.Ink, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ink.On(l)
	}
	return out
}

// Indent indents every line that is not empty by one blank.
func Indent(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = " " + l
		}
	}
	return out
}

// Margin is the column where the text of a conversation begins; marks are before it.
const Margin = 2

// Edged indents every line that is not empty to the margin.
func Edged(lines []string) []string { return shifted(lines, Margin) }

// Below indents every line that is not empty one level beyond the margin.
func Below(lines []string) []string { return shifted(lines, 2*Margin) }

func shifted(lines []string, by int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = strings.Repeat(" ", by) + l
		}
	}
	return out
}

// Row formats a text with its result at the right edge of w columns; the text is cut if needed.
func Row(left, right string, w int) string {
	if right == "" {
		return Middle(left, w)
	}
	left = Middle(left, max(8, w-Wide(right)-2))
	return left + strings.Repeat(" ", max(2, w-Wide(left)-Wide(right))) + right
}

// Shifted indents every line below the text of the one above it.
func Shifted(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = "   " + l
	}
	return out
}

// Sign returns the mark of a line, or a word for it if it is read aloud.
func Sign(t theme.Theme, mark, word string) string {
	if t.Plain {
		return word
	}
	return mark
}

// Hint joins as many of the hints as fit.
func Hint(all []string, w int) (out string) {
	for _, h := range all {
		if out != "" {
			h = out + " · " + h
		}
		if Wide(h) > w && out != "" {
			break
		}
		out = h
	}
	return out
}
