package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

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
		if d.span = nil; m.X < 0 || m.Y < 0 || m.X >= d.Width || m.Y >= d.Height { // nobody's: there is nothing
			return nil, true
		}
		if m.Button != tea.MouseLeft {
			return nil, false
		}
		at := tea.Position{X: m.X, Y: m.Y}
		if d.click.at != at || time.Since(d.click.on) > clickTime {
			d.click.run = 0
		}
		d.click = click{at, time.Now(), d.click.run + 1}
		lines, _ := d.draw(max(d.Width, leastWidth), max(d.Height, leastHeight))
		s := newSpan(lines, d.zoneAt(m.X, m.Y), m)
		if d.click.run > 1 && s.from.Y < len(s.lines) {
			s.grow(d.click.run)
			return d.copySpan(s), true
		}
		d.span = s
		return nil, true
	case tea.MouseMotionMsg:
		if d.span == nil {
			return nil, false
		}
		return d.drag(m.X, m.Y), true
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
	if n := len(d.Dialogs); n > 0 {
		return d.Dialogs[n-1].Update(m)
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
	d.Tell("copied " + spelling.Many(len([]rune(text)), "character"))
	return d.Copy(text)
}

// pullTime is how often a part scrolls while the mouse is held beside it.
const pullTime = 50 * time.Millisecond

// drag takes in where the mouse is while its button is down.
func (d *Desk) drag(x, y int) tea.Cmd {
	s := d.span
	pulled := s.pull != 0
	s.pull = min(0, y-s.Y0) + max(0, y-s.Y1+1)
	s.to, s.moved = tea.Position{X: max(0, x), Y: max(s.Y0, min(y, s.Y1-1)) - s.Y0 + s.skip}, true
	if s.Scroll == nil || s.pull == 0 || pulled {
		return nil
	}
	return d.pulls(s)
}

// pulls scrolls what is selected as long as the mouse is held above or below it; the farther, the faster.
func (d *Desk) pulls(s *span) tea.Cmd {
	if d.span != s || s.pull == 0 {
		return nil
	}
	by := max(-s.height(), min(s.pull, s.height()))
	if went := s.Scroll(by); went != 0 {
		lines, _ := d.draw(max(d.Width, leastWidth), max(d.Height, leastHeight))
		s.rolled(lines, went)
	}
	return tea.Tick(pullTime, func(time.Time) tea.Msg { return screen.Turn(func() tea.Cmd { return d.pulls(s) }) })
}

// zoneAt is the part of the screen that a cell is in.
func (d *Desk) zoneAt(x, y int) scroll.Zone {
	w, h := max(d.Width, leastWidth), max(d.Height, leastHeight)
	all := scroll.Zone{X1: w, Y1: h}
	if n := len(d.Dialogs); n > 0 {
		bw := min(w, 110)
		at := (w - bw) / 2
		all.X0, all.X1 = at+2, at+bw-2
		return all
	}
	if p := d.current(); p != nil {
		return p.Zone(x, y, all)
	}
	return all
}
