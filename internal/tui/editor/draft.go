package editor

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// line is one line of the draft and where its rows begin at a width, as far as that was looked at: rows are found when they
// are first drawn, and again from a change on.
type line struct {
	text  string
	rows  []int
	width int
	whole bool // rows has all of them
}

// place is between two bytes of the draft.
type place struct{ line, at int }

func (e *Editor) end() place {
	last := len(e.lines) - 1
	return place{last, len(e.lines[last].text)}
}

// slice is the text between two places.
func (e *Editor) slice(from, to place) string {
	if from.line == to.line {
		return e.lines[from.line].text[from.at:to.at]
	}
	var out strings.Builder
	out.WriteString(e.lines[from.line].text[from.at:])
	for _, l := range e.lines[from.line+1 : to.line] {
		out.WriteByte('\n')
		out.WriteString(l.text)
	}
	out.WriteByte('\n')
	out.WriteString(e.lines[to.line].text[:to.at])
	return out.String()
}

// splice puts text between two places and says where it ends.
func (e *Editor) splice(from, to place, text string) place {
	head, tail := e.lines[from.line].text[:from.at], e.lines[to.line].text[to.at:]
	e.edits++
	if from.line == to.line && !strings.Contains(text, "\n") {
		l := &e.lines[from.line]
		// A change may pull a word up a row, or join two letters around a row's beginning, and reaches no further back.
		keep := sort.SearchInts(l.rows, from.at+1) - 2
		*l = line{text: head + text + tail, rows: l.rows[:max(keep, 0)], width: l.width}
		return past(from, text)
	}
	var fresh []line
	for part := range strings.SplitSeq(head+text+tail, "\n") {
		fresh = append(fresh, line{text: part})
	}
	e.lines = slices.Replace(e.lines, from.line, to.line+1, fresh...)
	return past(from, text)
}

// past is where text ends that begins at p.
func past(p place, text string) place {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return place{p.line + strings.Count(text, "\n"), len(text) - i - 1}
	}
	return place{p.line, p.at + len(text)}
}

// left is the place one cluster before p, over the end of a line if need be.
func (e *Editor) left(p place) place {
	switch {
	case p.at > 0:
		return place{p.line, before(e.lines[p.line].text, p.at)}
	case p.line > 0:
		return place{p.line - 1, len(e.lines[p.line-1].text)}
	}
	return p
}

func (e *Editor) right(p place) place {
	switch text := e.lines[p.line].text; {
	case p.at < len(text):
		return place{p.line, after(text, p.at)}
	case p.line < len(e.lines)-1:
		return place{p.line + 1, 0}
	}
	return p
}

// wordLeft goes over what is not inside, then over what is.
func (e *Editor) wordLeft(p place, inside func(rune) bool) place {
	for met := false; ; {
		q := e.left(p)
		in := inside(e.rune(q))
		if q == p || met && !in {
			return p
		}
		p, met = q, in
	}
}

func (e *Editor) wordRight(p place, inside func(rune) bool) place {
	for met := false; ; {
		q, in := e.right(p), inside(e.rune(p))
		if q == p || met && !in {
			return p
		}
		p, met = q, in
	}
}

// rune is the first one of the cluster behind p.
func (e *Editor) rune(p place) rune {
	text := e.lines[p.line].text[p.at:]
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

// after is the end of the cluster that begins at a place of s.
func after(s string, at int) int {
	if plain(s, at) {
		return at + 1
	}
	cluster, _ := ansi.FirstGraphemeCluster(s[at:], ansi.GraphemeWidth)
	return at + max(len(cluster), 1)
}

// before is the beginning of the cluster that holds the byte in front of a place. Between two letters of ASCII there is
// always an end of a cluster, so it need not look further back than to there.
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

// snap is the next end of a cluster at or behind a place.
func snap(s string, at int) int {
	if at == 0 || at == len(s) {
		return at
	}
	return after(s, before(s, at))
}

// plain says whether a cluster of one letter of ASCII begins at a place of s.
func plain(s string, at int) bool {
	return s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf)
}
