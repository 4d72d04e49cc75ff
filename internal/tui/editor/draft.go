package editor

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// draft is the typed text, in lines.
type draft struct {
	lines  []line // never empty
	blocks []block
	edits  int // increases with every change of the text
}

// line is one line of the draft and the beginnings of its rows at a width, as far as they were computed: rows
// are found when they are first drawn, and again after a change.
type line struct {
	text  string
	rows  []int
	width int
	whole bool // rows is complete
}

// position is a place between two bytes of the draft.
type position struct{ line, at int }

func (d *draft) end() position {
	last := len(d.lines) - 1
	return position{last, len(d.lines[last].text)}
}

// slice returns the text between two positions.
func (d *draft) slice(from, to position) string {
	if from.line == to.line {
		return d.lines[from.line].text[from.at:to.at]
	}
	var out strings.Builder
	out.WriteString(d.lines[from.line].text[from.at:])
	for _, l := range d.lines[from.line+1 : to.line] {
		out.WriteByte('\n')
		out.WriteString(l.text)
	}
	out.WriteByte('\n')
	out.WriteString(d.lines[to.line].text[:to.at])
	return out.String()
}

// splice replaces the text between two positions and returns its new end.
func (d *draft) splice(from, to position, text string) position {
	head, tail := d.lines[from.line].text[:from.at], d.lines[to.line].text[to.at:]
	d.edits++
	if from.line == to.line && !strings.Contains(text, "\n") {
		l := &d.lines[from.line]
		// A change may pull a word up a row, or combine two letters at a row's beginning, but reaches no
		// further back.
		keep := sort.SearchInts(l.rows, from.at+1) - 2
		*l = line{text: head + text + tail, rows: l.rows[:max(keep, 0)], width: l.width}
		return past(from, text)
	}
	var fresh []line
	for part := range strings.SplitSeq(head+text+tail, "\n") {
		fresh = append(fresh, line{text: part})
	}
	d.lines = slices.Replace(d.lines, from.line, to.line+1, fresh...)
	return past(from, text)
}

// past returns the end of a text that begins at p.
func past(p position, text string) position {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return position{p.line + strings.Count(text, "\n"), len(text) - i - 1}
	}
	return position{p.line, p.at + len(text)}
}

// left returns the position one cluster before p, possibly on the line before.
func (d *draft) left(p position) position {
	switch {
	case p.at > 0:
		return position{p.line, before(d.lines[p.line].text, p.at)}
	case p.line > 0:
		return position{p.line - 1, len(d.lines[p.line-1].text)}
	}
	return p
}

func (d *draft) right(p position) position {
	switch text := d.lines[p.line].text; {
	case p.at < len(text):
		return position{p.line, after(text, p.at)}
	case p.line < len(d.lines)-1:
		return position{p.line + 1, 0}
	}
	return p
}

// wordLeft skips what is not inside, then what is.
func (d *draft) wordLeft(p position, inside func(rune) bool) position {
	for met := false; ; {
		q := d.left(p)
		in := inside(d.rune(q))
		if q == p || met && !in {
			return p
		}
		p, met = q, in
	}
}

func (d *draft) wordRight(p position, inside func(rune) bool) position {
	for met := false; ; {
		q, in := d.right(p), inside(d.rune(p))
		if q == p || met && !in {
			return p
		}
		p, met = q, in
	}
}

// rune returns the first rune of the cluster after p.
func (d *draft) rune(p position) rune {
	text := d.lines[p.line].text[p.at:]
	if text == "" {
		return '\n'
	}
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func isWord(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) || isBlock(r)
}

func isDark(r rune) bool { return !unicode.IsSpace(r) }

// after returns the end of the cluster that begins at an index of s.
func after(s string, at int) int {
	if plain(s, at) {
		return at + 1
	}
	cluster, _ := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
	return at + max(len(cluster), 1)
}

// before returns the beginning of the cluster that contains the byte before an index. A cluster always ends
// between two ASCII letters, so it looks back no further than that.
func before(s string, at int) int {
	from := max(at-1, 0)
	for from > 0 && (s[from] >= utf8.RuneSelf || s[from-1] >= utf8.RuneSelf) {
		from--
	}
	for {
		next := after(s, from)
		if next >= at {
			return from
		}
		from = next
	}
}

// snap returns the next end of a cluster at or after an index.
func snap(s string, at int) int {
	if at == 0 || at == len(s) {
		return at
	}
	return after(s, before(s, at))
}

// plain reports whether a cluster of one ASCII letter begins at an index of s.
func plain(s string, at int) bool {
	return s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf)
}
