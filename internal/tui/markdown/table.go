package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	extra "github.com/yuin/goldmark/extension/ast"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// between is the space between two columns.
const between = 2

// table draws a table; if its columns would be too narrow to read, or are read aloud, a list of its cells, each
// after the name of its column.
func (d drawer) table(n *extra.Table, width int, ink theme.Ink) []string {
	var rows [][]*piece
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cellInk := ink
		if len(rows) == 0 {
			cellInk = with(ink, theme.Bold)
		}
		var cells []*piece
		for cell := row.FirstChild(); cell != nil && len(cells) < len(n.Alignments); cell = cell.NextSibling() {
			cells = append(cells, d.inline(cell, cellInk))
		}
		for len(cells) < len(n.Alignments) {
			cells = append(cells, &piece{})
		}
		rows = append(rows, cells)
	}
	widths := columns(rows, width)
	if widths == nil || d.theme.Plain {
		return d.pairs(rows, width)
	}
	return d.grid(rows, widths, n.Alignments)
}

// longWord is the longest word for which a column is kept wide enough.
const longWord = 24

// parts reports whether a line may end at a rune: a space, or beside a letter of two columns.
func parts(r rune) bool { return r == ' ' || r > 0x1000 && ansi.StringWidth(string(r)) > 1 }

// columns returns the widths of a table's columns: what they need or, if that is too much, less for the widest,
// as long as no word is broken. None if a column would be too narrow.
func columns(rows [][]*piece, width int) []int {
	need, least := make([]int, len(rows[0])), make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			for line := range strings.SplitSeq(cell.text.String(), "\n") {
				need[i] = max(need[i], ansi.StringWidth(line), 1)
				for word := range strings.FieldsFuncSeq(line, parts) {
					least[i] = max(least[i], min(ansi.StringWidth(word), longWord))
				}
			}
		}
	}
	room, total := width-between*(len(need)-1), 0
	for i, n := range need {
		least[i] = max(least[i], min(n, narrow-2))
		total += n
	}
	for ; total > room; total-- {
		widest := -1
		for i, n := range need {
			if n > least[i] && (widest < 0 || n > need[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil
		}
		need[widest]--
	}
	return need
}

func (d drawer) grid(rows [][]*piece, widths []int, align []extra.Alignment) (lines []string) {
	var rule []string
	for _, w := range widths {
		rule = append(rule, strings.Repeat("─", w))
	}
	line := d.theme.Line.On(strings.Join(rule, strings.Repeat("─", between)))
	drawn := make([][][]string, len(rows))
	high := false // a cell below the header has several lines
	for r, row := range rows {
		for c, cell := range row {
			drawn[r] = append(drawn[r], cell.wrap(widths[c]))
			high = high || r > 0 && len(drawn[r][c]) > 1
		}
	}
	for r, cells := range drawn {
		if r == 1 || r > 1 && high {
			lines = append(lines, line)
		}
		height := 1
		for _, cell := range cells {
			height = max(height, len(cell))
		}
		for h := range height {
			var out []string
			for c, cell := range cells {
				text := ""
				if h < len(cell) {
					text = cell[h]
				}
				out = append(out, pad(text, widths[c], align[c]))
			}
			lines = append(lines, strings.TrimRight(strings.Join(out, strings.Repeat(" ", between)), " "))
		}
	}
	return lines
}

func pad(s string, width int, align extra.Alignment) string {
	free := max(width-ansi.StringWidth(s), 0)
	left := 0
	switch align {
	case extra.AlignRight:
		left = free
	case extra.AlignCenter:
		left = free / 2
	}
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", free-left)
}

// pairs draws each row as lines of "name: value", with a blank line between rows.
func (d drawer) pairs(rows [][]*piece, width int) (lines []string) {
	for r, row := range rows[1:] {
		if r > 0 {
			lines = append(lines, "")
		}
		for c, cell := range row {
			if d.theme.Plain && cell.text.Len() == 0 { // a name with nothing after it sounds unfinished
				continue
			}
			var p piece
			p.join(rows[0][c])
			p.add(": ", "")
			p.join(cell)
			lines = append(lines, p.wrap(width)...)
		}
	}
	if len(rows) == 1 {
		for _, cell := range rows[0] {
			lines = append(lines, cell.wrap(width)...)
		}
	}
	return lines
}

func (p *piece) join(other *piece) {
	text, from := other.text.String(), 0
	for _, r := range other.runs {
		p.add(text[from:r.end], r.ink)
		from = r.end
	}
}
