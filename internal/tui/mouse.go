package tui

import (
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// span is what the mouse selects: lines of the screen as they were when its button went down. While it is held nothing
// moves under it.
type span struct {
	lines    []string
	from, to tea.Position
	x0, x1   int // the columns of what it began in
	down     tea.MouseClickMsg
	moved    bool
}

// click is where and when a button went down last.
type click struct {
	at  tea.Position
	on  time.Time
	run int // how many in a row
}

// clickTime is how soon a click must follow another to belong to it.
const clickTime = 400 * time.Millisecond

// mouse takes in what the left button does: a click is for the page once the button is up, a drag selects and copies.
// taken is false of what is the page's alone.
func (d *Desk) mouse(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if d.span = nil; m.Button != tea.MouseLeft || m.X < 0 || m.Y < 0 || m.X >= d.width || m.Y >= d.height {
			return nil, false
		}
		at := tea.Position{X: m.X, Y: m.Y}
		if d.click.at != at || time.Since(d.click.on) > clickTime {
			d.click.run = 0
		}
		d.click = click{at, time.Now(), d.click.run + 1}
		lines, _ := d.draw(max(d.width, leastWidth), max(d.height, leastHeight))
		s := &span{lines: lines, from: at, to: at, down: m}
		s.x0, s.x1 = d.column(m.X, m.Y)
		if d.click.run > 1 && m.Y < len(lines) {
			s.grow(d.click.run)
			return d.copySpan(s), true
		}
		d.span = s
		return nil, true
	case tea.MouseMotionMsg:
		if d.span != nil {
			d.span.to, d.span.moved = tea.Position{X: max(0, m.X), Y: max(0, m.Y)}, true
		}
		return nil, d.span != nil
	case tea.MouseReleaseMsg:
		s := d.span
		d.span = nil
		switch {
		case s == nil:
			return nil, false
		case s.moved:
			return d.copySpan(s), true
		}
		return d.clicked(s.down), true
	}
	return nil, false
}

// clicked brings a click to whom it is for.
func (d *Desk) clicked(m tea.MouseClickMsg) tea.Cmd {
	if n := len(d.dialogs); n > 0 {
		return d.dialogs[n-1].Update(m)
	}
	if m.Y == 0 {
		return d.clickTab(m.X)
	}
	if p := d.current(); p != nil {
		return p.Update(d.inside(m))
	}
	return nil
}

// copySpan puts what is selected into the clipboard of the terminal.
func (d *Desk) copySpan(s *span) tea.Cmd {
	text := s.text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	d.tell("copied " + spelling.Many(len([]rune(text)), "character"))
	return d.copy(text)
}

// column is what a selection that begins at a cell is kept to: what stands beside it is not meant.
func (d *Desk) column(x, y int) (from, to int) {
	w := max(d.width, leastWidth)
	if n := len(d.dialogs); n > 0 {
		bw := min(w, 110)
		at := (w - bw) / 2
		return at + 2, at + bw - 2
	}
	switch p := d.current().(type) {
	case *chatPage:
		if x >= p.width {
			return p.width + 2, w
		}
		return 1, p.width
	case *debatePage:
		if b, ok := p.under(x, y-1); ok {
			return b.x, b.x + b.w
		}
	}
	return 0, w
}

// sorted are the ends of a span in the order of reading, the last cell included.
func (s *span) sorted() (a, b tea.Position) {
	a, b = s.from, s.to
	if b.Y < a.Y || b.Y == a.Y && b.X < a.X {
		a, b = b, a
	}
	return a, b
}

// columns are the cells of a line that are selected, whole characters always.
func (s *span) columns(y int) (from, to int) {
	a, b := s.sorted()
	if y < a.Y || y > b.Y {
		return 0, 0
	}
	from, to = s.x0, s.x1
	if y == a.Y {
		from = max(from, a.X)
	}
	if y == b.Y {
		to = min(to, b.X+1)
	}
	whole := wide(s.lines[y])
	if from < whole {
		from = wide(ansi.Truncate(s.lines[y], from, ""))
	}
	if to < whole && wide(ansi.Truncate(s.lines[y], to, "")) < to {
		to++
	}
	return from, max(from, to)
}

// text is what is selected, without the blanks that end lines.
func (s *span) text() string {
	a, b := s.sorted()
	var out []string
	for y := max(0, a.Y); y <= b.Y && y < len(s.lines); y++ {
		from, to := s.columns(y)
		out = append(out, strings.TrimRight(ansi.Strip(ansi.Cut(s.lines[y], from, to)), " "))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// draw is the screen with what is selected.
func (s *span) draw(t theme.Theme) []string {
	out := slices.Clone(s.lines)
	for y, l := range out {
		if from, to := s.columns(y); to > from && s.moved {
			l = pad(l, max(wide(l), to))
			out[y] = ansi.Truncate(l, from, "") + t.Chosen.On(ansi.Strip(ansi.Cut(l, from, to))) + ansi.TruncateLeft(l, to, "")
		}
	}
	return out
}

// grow makes a place a word, or its whole line.
func (s *span) grow(run int) {
	s.moved = true
	if run > 2 {
		s.from.X, s.to.X = s.x0, s.x1-1
		return
	}
	line := s.lines[s.from.Y]
	in := func(x int) bool {
		cell := ansi.Strip(ansi.Cut(line, x, x+1))
		if cell == "" { // the second half of a wide character
			cell = ansi.Strip(ansi.Cut(line, x-1, x+1))
		}
		return strings.IndexFunc(cell, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./~:@%+#", r)
		}) == 0
	}
	for in(s.from.X) && s.from.X > s.x0 && in(s.from.X-1) {
		s.from.X--
	}
	for in(s.to.X) && s.to.X < s.x1-1 && in(s.to.X+1) {
		s.to.X++
	}
}
