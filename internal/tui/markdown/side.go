package markdown

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

const (
	together = 60     // columns from which on two texts are shown side by side
	longSide = 20_000 // lines that are compared; the time grows with the square of the difference
)

// Side draws two texts side by side, equal lines beside each other. Between them is a sign: < a line only on
// the left, > only on the right, ≠ they differ. If that would be too narrow it is a Diff.
func Side(t theme.Theme, left, right string, width int) []string {
	left, right = ended(clean.Text(left)), ended(clean.Text(right))
	if width < together {
		return Diff(t, udiff.Unified("left", "right", left, right), width)
	}
	s := sider{theme: t, width: (width - 3) / 2}
	from := 0
	for _, e := range lineEdits(left, right) {
		s.same(left[from:e.Start])
		s.changed(lines(left[e.Start:e.End]), lines(e.New))
		from = e.End
	}
	s.same(left[from:])
	return s.out
}

func lineEdits(left, right string) []udiff.Edit {
	if min(strings.Count(left, "\n"), strings.Count(right, "\n")) > longSide && left != right {
		return []udiff.Edit{{Start: 0, End: len(left), New: right}}
	}
	return udiff.Lines(left, right)
}

type sider struct {
	theme theme.Theme
	width int // of each side
	out   []string
}

func (s *sider) same(text string) {
	for _, line := range lines(text) {
		s.row(plainly(line), plainly(line), "│", s.theme.Line)
	}
}

func (s *sider) changed(left, right []string) {
	for i := range max(len(left), len(right)) {
		switch {
		case i >= len(right):
			s.row(inked(left[i], s.theme.Removed), &piece{}, "<", s.theme.Removed)
		case i >= len(left):
			s.row(&piece{}, inked(right[i], s.theme.Added), ">", s.theme.Added)
		default:
			from, to := changed(left[i], right[i])
			before := inked(left[i], s.theme.Removed).stressed(from, s.theme.Removed.And(theme.Reverse))
			after := inked(right[i], s.theme.Added).stressed(to, s.theme.Added.And(theme.Reverse))
			s.row(before, after, "≠", s.theme.Hunk)
		}
	}
}

// row draws two lines beside each other, the shorter one padded below.
func (s *sider) row(left, right *piece, sign string, ink theme.Ink) {
	a, b := left.wrap(s.width), right.wrap(s.width)
	for i := range max(len(a), len(b), 1) {
		row := at(a, i)
		row += strings.Repeat(" ", max(s.width-ansi.StringWidth(row), 0)) + " " + ink.On(sign) + " " + at(b, i)
		s.out = append(s.out, strings.TrimRight(row, " "))
		if i == 0 && sign != "│" {
			sign = "┊"
		}
	}
}

// ended adds a missing line end to text.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
