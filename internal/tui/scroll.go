package tui

// scroll shows a long run of blocks, of which only those in sight are drawn. It stays at the end until a person goes
// elsewhere, and then where that person is.
type scroll struct {
	top, off int  // the first block in sight, and how many of its lines are above
	away     bool // from the end
	height   int  // as drawn last
}

// blocks are n runs of lines; block i is drawn when it is asked for.
type blocks struct {
	n    int
	draw func(i int) []string
}

// lines draws h lines.
func (s *scroll) lines(b blocks, h int) []string {
	s.height = h
	if !s.away {
		s.bottom(b, h)
	}
	s.top = min(s.top, max(0, b.n-1))
	var out []string
	for i := s.top; i < b.n && len(out) < h; i++ {
		l := b.draw(i)
		if i == s.top {
			l = l[min(s.off, len(l)):]
		}
		out = append(out, l...)
	}
	return out[:min(h, len(out))]
}

// bottom goes to the end.
func (s *scroll) bottom(b blocks, h int) {
	s.top, s.off = 0, 0
	for i := b.n - 1; i >= 0; i-- {
		n := len(b.draw(i))
		if n >= h {
			s.top, s.off = i, n-h
			return
		}
		h -= n
	}
}

// move goes down by so many lines, up by a negative number, and says by how many it went.
func (s *scroll) move(b blocks, by int) (went int) {
	if b.n == 0 {
		return 0
	}
	went = by
	s.off += by
	for s.off < 0 && s.top > 0 {
		s.top--
		s.off += len(b.draw(s.top))
	}
	if s.off < 0 {
		went, s.off = went-s.off, 0
	}
	for s.top < b.n-1 && s.off >= len(b.draw(s.top)) {
		s.off -= len(b.draw(s.top))
		s.top++
	}
	end := scroll{}
	end.bottom(b, s.height)
	if s.away = s.top < end.top || s.top == end.top && s.off < end.off; s.away {
		return went
	}
	went += end.off - s.off
	for i := end.top; i < s.top; i++ {
		went -= len(b.draw(i))
	}
	s.top, s.off = end.top, end.off
	return went
}

// home goes to the beginning.
func (s *scroll) home() { s.top, s.off, s.away = 0, 0, true }

// end goes to the end and stays there.
func (s *scroll) end() { s.away = false }

// to brings a block into sight, at the top.
func (s *scroll) to(i int) { s.top, s.off, s.away = i, 0, true }
