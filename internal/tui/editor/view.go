package editor

import (
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// spot is a row of the draft as drawn: a line and the index of its row.
type spot struct{ line, row int }

const tab = 4

// Lines draws at most most rows of at least two cells around the cursor, and returns the cursor's position in
// them. The last column is reserved for the cursor and a space that ends a row.
func (e *Editor) Lines(width, most int) (rows []string, cursorX, cursorY int) {
	e.width, most = max(width, 2), max(most, 1)
	if e.Empty() {
		e.top, e.below = spot{}, false
		return []string{e.theme.Dim.On(ansi.Truncate(e.Placeholder, width, "…"))}, 0, 0
	}
	e.scroll(most)
	cursor := e.spot(e.cursor)
	for s := e.top; ; {
		if s == cursor {
			cursorX, cursorY = min(e.column(e.cursor), e.width-1), len(rows)
		}
		rows = append(rows, e.draw(s))
		next := e.step(s, 1)
		e.below = next != s
		if !e.below || len(rows) == most {
			return rows, cursorX, cursorY
		}
		s = next
	}
}

// More reports whether there are rows above and below the drawn ones.
func (e *Editor) More() (above, below bool) { return e.top != spot{}, e.below }

// scroll moves the first drawn row as little as necessary: the cursor is visible, and no row is wasted.
func (e *Editor) scroll(most int) {
	e.top.line = min(e.top.line, len(e.lines)-1)
	e.top.row = min(e.top.row, len(e.rows(e.top.line))-1)
	cursor := e.spot(e.cursor)
	if cursor.above(e.top) {
		e.top = cursor
	}
	lowest := cursor
	for range most - 1 {
		lowest = e.step(lowest, -1)
	}
	if e.top.above(lowest) {
		e.top = lowest
	}
	used := 1
	for s := e.top; used < most && e.step(s, 1) != s; used++ {
		s = e.step(s, 1)
	}
	for ; used < most; used++ {
		e.top = e.step(e.top, -1)
	}
}

func (s spot) above(t spot) bool { return s.line < t.line || s.line == t.line && s.row < t.row }

// step returns the row above or below, or the same one if there is none.
func (e *Editor) step(s spot, by int) spot {
	switch row := s.row + by; {
	case row >= 0 && row < len(e.rows(s.line)):
		return spot{s.line, row}
	case by < 0 && s.line > 0:
		return spot{s.line - 1, len(e.rows(s.line-1)) - 1}
	case by > 0 && s.line < len(e.lines)-1:
		return spot{s.line + 1, 0}
	}
	return s
}

// spot returns the row of a position.
func (e *Editor) spot(p position) spot {
	rows := e.rows(p.line)
	return spot{p.line, sort.Search(len(rows), func(i int) bool { return rows[i] > p.at }) - 1}
}

// bounds returns the positions between which the text of a row is.
func (e *Editor) bounds(s spot) (from, to int) {
	rows := e.rows(s.line)
	if s.row+1 < len(rows) {
		return rows[s.row], rows[s.row+1]
	}
	return rows[s.row], len(e.lines[s.line].text)
}

// column counts the cells before a position on its row.
func (e *Editor) column(p position) (col int) {
	from, _ := e.bounds(e.spot(p))
	for at := from; at < p.at; {
		n, w, _ := e.piece(e.lines[p.line].text, at, col)
		at, col = at+n, col+w
	}
	return col
}

// at returns the position of a row that is nearest to a column.
func (e *Editor) at(s spot, goal int) position {
	text := e.lines[s.line].text
	from, to := e.bounds(s)
	last := to == len(text)
	for at, col := from, 0; ; {
		if at >= to {
			return position{s.line, at}
		}
		n, w, _ := e.piece(text, at, col)
		if col+w > goal || at+n >= to && !last {
			return position{s.line, at}
		}
		at, col = at+n, col+w
	}
}

func (e *Editor) draw(s spot) string {
	var out strings.Builder
	text := e.lines[s.line].text
	from, to := e.bounds(s)
	for at, col := from, 0; at < to; {
		n, w, shown := e.piece(text, at, col)
		out.WriteString(shown)
		at, col = at+n, col+w
	}
	return out.String()
}

// rows returns the beginnings of a line's rows: at words if possible, else inside them.
func (e *Editor) rows(i int) []int {
	l := &e.lines[i]
	if l.width != e.width {
		l.rows, l.width, l.whole = nil, e.width, false
	}
	if l.whole {
		return l.rows
	}
	if len(l.rows) == 0 {
		l.rows = append(l.rows, 0)
	}
	rows, limit := l.rows, e.width-1
	at, col := rows[len(rows)-1], 0
	for word := at; at < len(l.text); {
		n, w, _ := e.piece(l.text, at, col)
		space := l.text[at] == ' ' || l.text[at] == '\t'
		if col > 0 && col+w > limit && !(space && col+w <= e.width) {
			if from := rows[len(rows)-1]; word > from {
				at = word // the word begins the next row
			}
			rows, word, col = append(rows, at), at, 0
			continue
		}
		at, col = at+n, col+w
		if space {
			word = at
		}
	}
	l.rows, l.whole = rows, true
	return rows
}

// piece returns the cluster at an index as drawn at a column: its bytes, its cells and its text.
func (e *Editor) piece(s string, at, col int) (n, w int, shown string) {
	switch {
	case s[at] == '\t':
		w = min(tab-col%tab, max(e.width-1-col, 1))
		return 1, w, "    "[:w]
	case plain(s, at):
		return 1, 1, s[at : at+1]
	}
	cluster, w := ansi.FirstGraphemeCluster(s[at:], e.cells)
	if len(cluster) == 4 {
		if r := []rune(cluster)[0]; isBlock(r) {
			label := ansi.Truncate(e.blocks[r-firstBlock].label, e.width-1, "…")
			return 4, ansi.StringWidth(label), e.theme.Focus.On(label)
		}
	}
	switch {
	case w == 0: // a combining mark without a letter
		return len(cluster), 1, "◌" + cluster
	case w > e.width:
		return len(cluster), 1, "…"
	}
	return len(cluster), w, cluster
}
