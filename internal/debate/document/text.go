package document

import (
	"fmt"
	"strings"
)

// screenLines and screenColumns limit the first screen.
const (
	screenLines   = 40
	screenColumns = 80
)

// limits say how much of each thing is printed; 0: all of it.
type limits struct {
	width, lines, notices int
	why, items            int  // claims that carried it; dissent, refuted claims and what would flip it
	dense                 bool // no blank line below headings
	terse                 bool // no explanations
}

// bare reports whether only the indispensable is printed.
func (l limits) bare() bool { return l.notices == 1 }

// tighter are the limits of the first screen, from generous to bare.
var tighter = []limits{
	{lines: 3, why: 2, items: 2, notices: 4},
	{lines: 3, why: 2, items: 2, notices: 4, dense: true},
	{lines: 3, why: 2, items: 2, notices: 4, dense: true, terse: true},
	{lines: 3, why: 2, items: 1, notices: 4, dense: true, terse: true},
	{lines: 2, why: 2, items: 1, notices: 3, dense: true, terse: true},
	{lines: 2, why: 1, items: 1, notices: 2, dense: true, terse: true},
	{lines: 1, why: 1, items: 1, notices: 1, dense: true, terse: true},
}

// fit prints with the most generous limits under which it is one screen. A text that does not fit even the tightest limits is printed
// anyway: no answer is worse than a long one.
func fit(width int, print func(limits) string) (text string) {
	for _, l := range tighter {
		l.width = width
		if text = print(l); strings.Count(text, "\n") <= screenLines {
			break
		}
	}
	return text
}

// some cuts a list to its limit; more is how many are left out.
func some[T any](all []T, most int) (shown []T, more int) {
	if most == 0 || len(all) <= most {
		return all, 0
	}
	return all[:most], len(all) - most
}

// titled returns a heading and, if its list was cut, how much of it is shown.
func titled(heading string, all, most int) string {
	if most == 0 || all <= most {
		return heading
	}
	return fmt.Sprintf("%s (%d of %d)", heading, most, all)
}

// wrap breaks a text at words into lines of the limits' width, each shorter by before columns. A longer word is broken. Lines beyond
// the limit are left out, with an ellipsis.
func (l limits) wrap(text string, before int) []string {
	if l.width == 0 {
		return []string{text}
	}
	var out []string
	line, room := "", l.width-before
	for _, word := range strings.Fields(text) {
		if line != "" && wide(line)+1+wide(word) > room {
			out, line = append(out, line), ""
		}
		for wide(word) > room {
			at := cut(word, room)
			if lead := strings.TrimRight(word[:at], `\`); (at-len(lead))%2 == 1 && at > 1 { // it would escape the end of the line
				at--
			}
			out, word = append(out, word[:at]), word[at:]
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	out = append(out, line)
	if l.lines > 0 && len(out) > l.lines {
		last := out[l.lines-1]
		for wide(last) > room-1 {
			last = last[:cut(last, room-1)]
		}
		out = append(out[:l.lines-1:l.lines-1], strings.TrimRight(last, " ,;")+"…")
	}
	return out
}

// cut returns how many bytes of a text fit into the columns.
func cut(text string, columns int) int {
	n := 0
	for i, r := range text {
		if n += wide(string(r)); n > columns && i > 0 {
			return i
		}
	}
	return len(text)
}

// wide returns how many columns a text takes: East Asian letters and emoji take two. It counts as most terminals do, without an
// import; an unknown letter takes one column.
func wide(text string) (n int) {
	for _, r := range text {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) {
			n++
		}
	}
	return n
}
