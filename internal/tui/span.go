package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// span is a mouse selection: lines as they were when the button was pressed. While it is held the screen is
// frozen, but its zone scrolls when the mouse is above or below it; lines that become visible are added.
type span struct {
	scroll.Zone
	screen   []string // the screen behind the selection
	lines    []string // of the zone, including those scrolled away
	skip     int      // how many of them are above the visible part
	from, to tea.Position
	down     tea.MouseClickMsg
	moved    bool
	pull     int // lines that the mouse is above (negative) or below the zone
}

// newSpan begins a selection where a button was pressed.
func newSpan(screen []string, p scroll.Zone, down tea.MouseClickMsg) *span {
	p.Y0, p.Y1 = max(0, p.Y0), min(p.Y1, len(screen))
	at := tea.Position{X: down.X, Y: down.Y - p.Y0}
	return &span{Zone: p, screen: screen, lines: slices.Clone(screen[p.Y0:p.Y1]), from: at, to: at, down: down}
}

func (s *span) height() int { return s.Y1 - s.Y0 }

// rolled updates the screen after the zone scrolled by went lines; the end under the mouse moves with it.
func (s *span) rolled(screen []string, went int) {
	if len(screen) < s.Y1 {
		return
	}
	s.screen = screen
	now := screen[s.Y0:s.Y1]
	s.skip += went
	if n := min(-s.skip, len(now)); n > 0 {
		s.lines = slices.Concat(now[:n], s.lines)
		s.from.Y, s.skip = s.from.Y-s.skip, 0
	}
	if n := min(s.skip+len(now)-len(s.lines), len(now)); n > 0 {
		s.lines = append(s.lines, now[len(now)-n:]...)
	}
	s.to.Y = s.skip
	if went > 0 {
		s.to.Y += s.height() - 1
	}
}

// sorted returns the ends of a span in reading order, the last cell included.
func (s *span) sorted() (a, b tea.Position) {
	a, b = s.from, s.to
	if b.Y < a.Y || b.Y == a.Y && b.X < a.X {
		a, b = b, a
	}
	return a, b
}

// columns returns the selected cells of a line, always whole characters.
func (s *span) columns(y int) (from, to int) {
	a, b := s.sorted()
	if y < a.Y || y > b.Y {
		return 0, 0
	}
	from, to = s.X0, s.X1
	if y == a.Y {
		from = max(from, a.X)
	}
	if y == b.Y {
		to = min(to, b.X+1)
	}
	whole := line.Wide(s.lines[y])
	if from < whole {
		from = line.Wide(ansi.Truncate(s.lines[y], from, ""))
	}
	if to < whole && line.Wide(ansi.Truncate(s.lines[y], to, "")) < to {
		to++
	}
	return from, max(from, to)
}

// text returns the selected text, without trailing blanks.
func (s *span) text() string {
	a, b := s.sorted()
	var out []string
	for y := max(0, a.Y); y <= b.Y && y < len(s.lines); y++ {
		from, to := s.columns(y)
		text, goesOn, between := undecorated(ansi.Cut(s.lines[y], from, to))
		joined, blank := s.joined(y)
		if joined {
			text, between = strings.TrimLeft(ansi.Strip(text), " "), blank
		}
		if text = strings.TrimRight(ansi.Strip(text), " "); (goesOn || joined) && len(out) > 0 {
			out[len(out)-1] += between + text
			continue
		}
		out = append(out, text)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// marks matches marks, which take no cell.
var marks = pattern.Of(`10((?:;0)+)m\x1b\[m`)

// joined reports whether a row of prose continues the row before it, and returns the blank between them, if
// any. A mark outside the zone does not count.
func (s *span) joined(y int) (yes bool, between string) {
	l := s.lines[y]
	for _, at := range marks().FindAllStringSubmatchIndex(l, -1) {
		if col := line.Wide(l[:at[0]] + "m"); col < s.X0 || col >= s.X1 {
			continue
		}
		switch theme.Decoration + theme.Ink(l[at[2]:at[3]]) {
		case theme.Joined:
			return true, " "
		case theme.Glued:
			return true, ""
		}
	}
	return false, ""
}

// decoration matches a piece that is drawn as decoration.
var decoration = pattern.Of(`\x1b\[(?:[0-9;]*;)?10(?:;[0-9;]*)?m([^\x1b]*)\x1b\[m`)

// undecorated removes what we put beside a line's text; goesOn reports that it continues the line before it,
// and between is the blank between them, if any.
func undecorated(drawn string) (text string, goesOn bool, between string) {
	for _, at := range decoration().FindAllStringIndex(drawn, -1) {
		if piece := drawn[at[0]:at[1]]; strings.Contains(piece, markdown.Mark) {
			if strings.Contains(piece, "10;10;") {
				between = " "
			}
			return drawn[at[1]:], true, between
		}
	}
	return decoration().ReplaceAllString(drawn, ""), false, ""
}

// draw draws the screen with the selection.
func (s *span) draw(t theme.Theme) []string {
	out := slices.Clone(s.screen)
	if !s.moved {
		return out
	}
	for y := s.Y0; y < s.Y1; y++ {
		at := y - s.Y0 + s.skip
		if at >= len(s.lines) {
			break
		}
		l, under := s.lines[at], out[y]
		if s.Scroll != nil { // the rest of the screen does not move
			l = line.Pad(ansi.Truncate(under, s.X0, ""), s.X0) + line.Pad(ansi.Cut(l, s.X0, s.X1), s.X1-s.X0) +
				ansi.TruncateLeft(under, s.X1, "")
		}
		if from, to := s.columns(at); to > from {
			l = line.Pad(l, max(line.Wide(l), to))
			l = ansi.Truncate(l, from, "") + t.Chosen.On(ansi.Strip(ansi.Cut(l, from, to))) + ansi.TruncateLeft(l, to, "")
		}
		out[y] = l
	}
	return out
}

// grow extends a position to its word, or its line.
func (s *span) grow(run int) {
	s.moved = true
	if run > 2 {
		s.from.X, s.to.X = s.X0, s.X1-1
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
	for in(s.from.X) && s.from.X > s.X0 && in(s.from.X-1) {
		s.from.X--
	}
	for in(s.to.X) && s.to.X < s.X1-1 && in(s.to.X+1) {
		s.to.X++
	}
}
