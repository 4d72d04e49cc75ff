// Package scroll shows long runs of lines, of which only those in sight are drawn, and finds words in them.
package scroll

// Scroll shows a long run of blocks, of which only those in sight are drawn. It stays at the end until a person goes
// elsewhere, and then where that person is.
type Scroll struct {
	Top, Off int  // the first block in sight, and how many of its lines are above
	Away     bool // from the end
	Height   int  // as drawn last
}

// Blocks are n runs of lines; block i is drawn when it is asked for.
type Blocks struct {
	N    int
	Draw func(i int) []string
}

// Flat are lines as blocks.
func Flat(lines []string) Blocks {
	return Blocks{N: len(lines), Draw: func(i int) []string { return lines[i : i+1] }}
}

// Lines draws h lines.
func (s *Scroll) Lines(b Blocks, h int) []string {
	s.Height = h
	if !s.Away {
		s.bottom(b, h)
	}
	s.Top = min(s.Top, max(0, b.N-1))
	var out []string
	for i := s.Top; i < b.N && len(out) < h; i++ {
		l := b.Draw(i)
		if i == s.Top {
			l = l[min(s.Off, len(l)):]
		}
		out = append(out, l...)
	}
	return out[:min(h, len(out))]
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

// Move goes down by so many lines, up by a negative number, and says by how many it went.
func (s *Scroll) Move(b Blocks, by int) (went int) {
	if b.N == 0 {
		return 0
	}
	went = by
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
func (s *Scroll) Home() { s.Top, s.Off, s.Away = 0, 0, true }

// End goes to the end and stays there.
func (s *Scroll) End() { s.Away = false }

// To brings a block into sight, at the top.
func (s *Scroll) To(i int) { s.Top, s.Off, s.Away = i, 0, true }
