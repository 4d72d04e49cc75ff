package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// pointer handles the mouse: selections and clicks.
type pointer struct {
	d     *Desk
	span  *span // nil: nothing is selected
	click click
}

// click is where and when a button was last pressed.
type click struct {
	at  tea.Position
	on  time.Time
	run int // consecutive clicks
}

// clickTime is the maximum time between clicks that belong together.
const clickTime = 400 * time.Millisecond

// hear handles the left button: a click goes to the page once the button is up, a drag selects and copies.
// taken is false for events that only the page handles.
func (pt *pointer) hear(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		if pt.span = nil; m.X < 0 || m.Y < 0 || m.X >= pt.d.Width || m.Y >= pt.d.Height { // outside the screen
			return nil, true
		}
		if m.Button != tea.MouseLeft {
			return nil, false
		}
		at := tea.Position{X: m.X, Y: m.Y}
		if pt.click.at != at || time.Since(pt.click.on) > clickTime {
			pt.click.run = 0
		}
		pt.click = click{at, time.Now(), pt.click.run + 1}
		lines := pt.lines()
		s := newSpan(lines, pt.zone(m.X, m.Y), m)
		if pt.click.run > 1 && s.from.Y < len(s.lines) {
			s.grow(pt.click.run)
			return pt.copy(s), true
		}
		pt.span = s
		return nil, true
	case tea.MouseMotionMsg:
		if pt.span == nil {
			return nil, false
		}
		return pt.drag(m.X, m.Y), true
	case tea.MouseReleaseMsg:
		s := pt.span
		pt.span = nil
		switch {
		case s == nil:
			return nil, false
		case s.moved:
			return pt.copy(s), true
		}
		return pt.clicked(s.down), true
	}
	return nil, false
}

// lines draws the screen to select from: without marks over the text of pages.
func (pt *pointer) lines() []string {
	pt.d.Selecting = true
	lines, _ := pt.d.draw(max(pt.d.Width, screen.LeastWidth), max(pt.d.Height, screen.LeastHeight))
	pt.d.Selecting = false
	return lines
}

// clicked sends a click to the dialog or page it hits.
func (pt *pointer) clicked(m tea.MouseClickMsg) tea.Cmd {
	if n := len(pt.d.Dialogs); n > 0 {
		return pt.d.Dialogs[n-1].Update(m)
	}
	if m.Y < top(pt.d) {
		return pt.d.clickTab(m.X)
	}
	if p := pt.d.current(); p != nil {
		return p.Update(pt.d.inside(m))
	}
	return nil
}

// copy copies the selection to the terminal's clipboard.
func (pt *pointer) copy(s *span) tea.Cmd {
	text := s.text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	pt.d.Tell("copied " + spelling.Many(len([]rune(text)), "character"))
	return pt.d.Copy(text)
}

// pullTime is how often a zone scrolls while the mouse is held outside it.
const pullTime = 50 * time.Millisecond

// drag handles mouse movement while the button is down.
func (pt *pointer) drag(x, y int) tea.Cmd {
	s := pt.span
	pulled := s.pull != 0
	s.pull = min(0, y-s.Y0) + max(0, y-s.Y1+1)
	s.to, s.moved = tea.Position{X: max(0, x), Y: max(s.Y0, min(y, s.Y1-1)) - s.Y0 + s.skip}, true
	if s.Scroll == nil || s.pull == 0 || pulled {
		return nil
	}
	return pt.pull(s)
}

// pull scrolls the selected zone while the mouse is held above or below it; the farther, the faster.
func (pt *pointer) pull(s *span) tea.Cmd {
	if pt.span != s || s.pull == 0 {
		return nil
	}
	by := max(-s.height(), min(s.pull, s.height()))
	if went := s.Scroll(by); went != 0 {
		lines := pt.lines()
		s.rolled(lines, went)
	}
	return tea.Tick(pullTime, func(time.Time) tea.Msg { return screen.Update(func() tea.Cmd { return pt.pull(s) }) })
}

// zone returns the part of the screen that contains a cell.
func (pt *pointer) zone(x, y int) scroll.Zone {
	w, h := max(pt.d.Width, screen.LeastWidth), max(pt.d.Height, screen.LeastHeight)
	all := scroll.Zone{X1: w, Y1: h}
	if n := len(pt.d.Dialogs); n > 0 {
		bw := min(w, 110)
		at := (w - bw) / 2
		all.X0, all.X1 = at+2, at+bw-2
		return all
	}
	if p := pt.d.current(); p != nil {
		below := top(pt.d) - 1 // pages count from the row below the tabs
		all.Y0, all.Y1 = all.Y0-below, all.Y1-below
		z := p.Zone(x, y-below, all)
		z.Y0, z.Y1 = z.Y0+below, z.Y1+below
		return z
	}
	return all
}
