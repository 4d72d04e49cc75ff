package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Mark precedes the continuation of a line that had to be cut.
const Mark = "↳ "

// piece is a text with inks: each run extends from the end of the one before to its own end.
type piece struct {
	text strings.Builder
	runs []run
}

type run struct {
	end int
	ink theme.Ink
}

func (p *piece) add(text string, ink theme.Ink) {
	p.text.WriteString(text)
	if n := len(p.runs); n > 0 && p.runs[n-1].ink == ink {
		p.runs[n-1].end = p.text.Len()
		return
	}
	p.runs = append(p.runs, run{p.text.Len(), ink})
}

// wrap draws a piece in rows that break between words.
func (p *piece) wrap(width int) (rows []string) {
	text := p.text.String()
	for _, s := range words(text, width) {
		rows = append(rows, paint(text, p.runs, s))
	}
	return rows
}

// flow draws prose in rows that break between words, and marks those that continue: copied, they are one line.
func (p *piece) flow(t theme.Theme, width int) []string {
	text, rows := p.text.String(), p.wrap(width)
	if t.Plain || len(rows) < 2 {
		return rows
	}
	for i, s := range words(text, width) {
		switch {
		case i == 0 || text[s.from-1] == '\n':
		case text[s.from-1] == ' ':
			rows[i] = theme.Joined.Mark() + rows[i]
		default:
			rows[i] = theme.Glued.Mark() + rows[i]
		}
	}
	return rows
}

// span is a row's part of a text.
type span struct{ from, to int }

// paint draws a span, without the blanks at its end.
func paint(text string, runs []run, s span) string {
	s.to = s.from + len(strings.TrimRight(text[s.from:s.to], " \t"))
	for selects(text[s.from:min(s.to, s.from+3)]) { // would select a variant of what is before the row
		s.from += 3
	}
	bare := strings.ReplaceAll(text[s.from:s.to], "\t", "    ")
	if len(runs) == 0 {
		return bare
	}
	var out strings.Builder
	pieces, from := 0, s.from
	for _, r := range runs {
		if r.end <= from {
			continue
		}
		end := min(r.end, s.to)
		out.WriteString(r.ink.On(strings.ReplaceAll(text[from:end], "\t", "    ")))
		pieces++
		if from = end; from == s.to {
			break
		}
	}
	if from < s.to {
		out.WriteString(strings.ReplaceAll(text[from:s.to], "\t", "    "))
	}
	// A change of ink within a grapheme can make it wider.
	if pieces > 1 && !ascii(bare) && ansi.StringWidth(out.String()) > ansi.StringWidth(bare) {
		return bare
	}
	return out.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// step returns the length and width of a text's first letter. No letter is too long for a row.
func step(text string) (size, width int) {
	if text[0] == '\t' {
		return 1, 4
	}
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return 1, 1
	}
	n := min(len(text), 128)
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	cluster, width := ansi.FirstGraphemeCluster(text[:n], ansi.GraphemeWidth)
	return len(cluster), max(width, 1)
}

// closing are marks that do not begin a row.
const closing = "、。，．」』）】》！？：；"

// words breaks a text at spaces and beside wide letters, and within a word that is wider than a row. A row has one
// letter at least.
func words(text string, width int) (rows []span) {
	from, w := 0, 0        // of this row
	at, placeWidth := 0, 0 // where it can break
	wide := false          // the letter before was wide
	for i := 0; i < len(text); {
		if text[i] == '\n' {
			rows = append(rows, span{from, i})
			i++
			from, at, w, wide = i, i, 0, false
			continue
		}
		size, cw := step(text[i:])
		isWide := cw == 2 && size > 1
		if i > from && (text[i-1] == ' ' && text[i] != ' ' || (wide || isWide) && !strings.Contains(closing, text[i:i+size])) {
			at, placeWidth = i, w
		}
		if w+cw <= width || i == from { // a letter that is wider than the row has one of its own
			w, wide = w+cw, isWide
			i += size
			continue
		}
		switch {
		case text[i] == ' ':
			rows = append(rows, span{from, i})
			for i < len(text) && text[i] == ' ' {
				i++
			}
			from, at, w = i, i, 0
		case at > from:
			rows = append(rows, span{from, at})
			from, w = at, w-placeWidth
		default:
			rows = append(rows, span{from, i})
			from, at, w = i, i, 0
		}
	}
	if from < len(text) {
		rows = append(rows, span{from, len(text)})
	}
	return rows
}

// hard breaks a line wherever a row is full. The first row may have another width than the rest. There is
// always a row.
func hard(line string, first, rest int) (rows []span) {
	from, w, width := 0, 0, first
	for i := 0; i < len(line); {
		size, cw := step(line[i:])
		if w+cw > width {
			rows = append(rows, span{from, i})
			from, w, width = i, 0, rest
		}
		i, w = i+size, w+cw
	}
	return append(rows, span{from, len(line)})
}
