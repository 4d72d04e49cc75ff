// Package scroll shows long runs of lines, of which only visible ones are drawn, and searches them.
package scroll

import (
	"strconv"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Scroll shows a long run of blocks, of which only visible ones are drawn. It stays at the end until a person
// scrolls, and then at that position.
type Scroll struct {
	Top, Off int  // the first visible block, and how many of its lines are above the screen
	Away     bool // from the end
	Height   int  // as drawn last
	long     int  // lines of the first block, as drawn last; 0: not drawn yet
	wide     int  // and how wide it was
}

// Blocks are n runs of lines; block i is drawn on demand.
type Blocks struct {
	N    int
	Wide int // columns they are wrapped to; 0: not wrapped
	Draw func(i int) []string
}

// Flat returns lines as blocks.
func Flat(lines []string) Blocks {
	return Blocks{N: len(lines), Draw: func(i int) []string { return lines[i : i+1] }}
}

// Lines draws h lines.
func (s *Scroll) Lines(b Blocks, h int) []string {
	sized := h != s.Height
	s.Height = h
	if s.Top = min(s.Top, max(0, b.N-1)); s.Away {
		s.keep(b, h, sized)
	}
	if !s.Away {
		s.bottom(b, h)
	}
	var out []string
	for i := s.Top; i < b.N && len(out) < h; i++ {
		l := b.Draw(i)
		if i == s.Top {
			s.long, s.wide = len(l), b.Wide
			l = l[min(s.Off, len(l)):]
		}
		out = append(out, l...)
	}
	return out[:min(h, len(out))]
}

// keep stays at the same fraction of the first block, which another width makes longer or shorter, and never
// below the end. A resized page that shows the end follows it.
func (s *Scroll) keep(b Blocks, h int, sized bool) {
	if b.N == 0 || s.Top == 0 && s.Off == 0 {
		return
	}
	n := len(b.Draw(s.Top))
	if b.Wide != s.wide && s.long > 0 {
		s.Off, sized = s.Off*n/s.long, true
	}
	rest := n - s.Off
	for i := s.Top + 1; i < b.N && rest < h; i++ {
		rest += len(b.Draw(i))
	}
	if rest < h {
		s.bottom(b, h)
		s.Away = !sized
	}
}

// bottom goes to the end.
func (s *Scroll) bottom(b Blocks, h int) {
	s.Top, s.Off = 0, 0
	for i := b.N - 1; i >= 0; i-- {
		n := len(b.Draw(i))
		if n >= h {
			s.Top, s.Off = i, n-h
			return
		}
		h -= n
	}
}

// Move scrolls down by a number of lines, up if negative, and returns by how many it went.
func (s *Scroll) Move(b Blocks, by int) (went int) {
	if b.N == 0 {
		return 0
	}
	went, s.long = by, 0
	s.Off += by
	for s.Off < 0 && s.Top > 0 {
		s.Top--
		s.Off += len(b.Draw(s.Top))
	}
	if s.Off < 0 {
		went, s.Off = went-s.Off, 0
	}
	for s.Top < b.N-1 && s.Off >= len(b.Draw(s.Top)) {
		s.Off -= len(b.Draw(s.Top))
		s.Top++
	}
	end := Scroll{}
	end.bottom(b, s.Height)
	if s.Away = s.Top < end.Top || s.Top == end.Top && s.Off < end.Off; s.Away {
		return went
	}
	went += end.Off - s.Off
	for i := end.Top; i < s.Top; i++ {
		went -= len(b.Draw(i))
	}
	s.Top, s.Off = end.Top, end.Off
	return went
}

// Home goes to the beginning.
func (s *Scroll) Home() { s.To(0) }

// End goes to the end and stays there.
func (s *Scroll) End() { s.Away = false }

// To scrolls a block to the top.
func (s *Scroll) To(i int) { s.Top, s.Off, s.Away, s.long = i, 0, true, 0 }

// mostBelow is how many lines below a page are counted.
const mostBelow = 999

// Page draws h lines of w columns like Lines, with a mark if there are more below.
func (s *Scroll) Page(t theme.Theme, b Blocks, w, h int) []string {
	out := s.Lines(b, h)
	below := -s.Off - len(out)
	for i := s.Top; i < b.N && below <= mostBelow; i++ {
		below += len(b.Draw(i))
	}
	return Marked(t, out, below, w)
}

// Marked says in the last of the visible lines how many more there are below them. A line that is too long for both
// counts as one of those.
func Marked(t theme.Theme, lines []string, below, w int) []string {
	last := len(lines) - 1
	if below < 1 || last < 1 {
		return lines
	}
	said := func(n int) string {
		return map[bool]string{true: strconv.Itoa(n), false: strconv.Itoa(mostBelow) + "+"}[n <= mostBelow] + " more "
	}
	under, mark := lines[last], line.Sign(t, "↓ ", "below: ")
	if line.Wide(under)+line.Wide(mark+said(below))+2 > w {
		under, below = "", below+1
	}
	mark += said(below)
	return append(lines[:last:last], line.Pad(under, max(0, w-line.Wide(mark)))+t.Dim.On(mark))
}
