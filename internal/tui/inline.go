package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Inline, finished items of a conversation are printed once, above what is redrawn: the terminal keeps them.
// Only what grows, the input and the status line are drawn. The same applies to a debate for people who use a
// screen reader. Everything else (a tree, a search, scrolling back) has a screen of its own while it is shown.

// below is the part of the screen drawn below the terminal's own lines, and what is printed above it.
type below struct {
	d        *Desk
	printing bool      // lines are being printed above what is drawn
	settled  bool      // the terminal shows its normal screen, not ours
	above    int       // the tab that was printed last
	drawn    []string  // lines of the last frame
	typedAt  int       // the line of its cursor
	wanted   int       // number of lines of a lower frame, if one is due
	lowered  time.Time // when it became due
}

// settleTime is how long after another screen nothing is printed: the terminal must have left that screen.
const settleTime = 60 * time.Millisecond

// shown reports whether only the bottom of the screen is drawn.
func (bl *below) shown() bool {
	return bl.d.Inline && (bl.d.left || bl.page().Below != nil && (len(bl.d.Dialogs) == 0 || bl.d.Plain))
}

// page returns the state of the page that is shown.
func (bl *below) page() screen.State {
	if p := bl.d.current(); p != nil {
		return p.State()
	}
	return screen.State{}
}

// draw draws what is not printed yet, the input, and the status line.
func (bl *below) draw(w, h int) ([]string, *tea.Cursor) {
	var lines []string
	if len(bl.d.tabs) > 1 {
		lines = append(lines, bl.d.tabBar(w))
	}
	foot := overflow(bl.d, w)
	if foot == nil {
		foot = []string{bl.d.statusLine(w)}
	}
	h -= len(lines) + len(foot) + 1 // tmux keeps lines cleared from the first row of the terminal on, as if they had been printed
	body, cursor := bl.page().Below(w, h)
	if n := len(bl.d.Dialogs); n > 0 {
		body, cursor = bl.d.Dialogs[n-1].Draw(w, h)
	}
	if cursor != nil {
		cursor.Y += len(lines)
	}
	return append(append(lines, body...), foot...), cursor
}

// reflowed moves to the beginning of the frame on a terminal that became narrower: it has wrapped the lines of
// the frame, which the renderer does not know and would leave above the next.
func (bl *below) reflowed(w int) {
	if bl.d.Raw == nil || !bl.shown() || w >= bl.d.Width || w < 1 {
		return
	}
	more := 0
	for _, l := range bl.drawn[:max(0, min(bl.typedAt, len(bl.drawn)))] {
		more += max(0, min(line.Wide(strings.TrimRight(ansi.Strip(l), " ")), bl.d.Width)-1) / w
	}
	if more > 0 {
		bl.d.Raw(ansi.CursorUp(more))
	}
}

// Reflows reports whether a terminal wraps its lines again when it becomes narrower, as all but a few old ones
// do.
func Reflows(env func(string) string) bool {
	return env("XTERM_VERSION") == "" && env("STY") == "" && env("TERM") != "linux"
}

// unprinted returns the lines to print now, below the title of their tab if another one was printed last.
func (bl *below) unprinted(w int) (lines []string) {
	p := bl.page()
	if p.Unprinted == nil {
		return nil
	}
	if lines = p.Unprinted(w); len(lines) == 0 {
		return nil
	}
	t := bl.d.tabs[bl.d.at]
	if bl.above != 0 && bl.above != t.id {
		title, ink := line.One(bl.d.Clean(t.Title())), bl.d.Theme.Dim
		lines = append([]string{ink.On(line.Clip(line.Sign(bl.d.Theme, "— "+title+" —", title+":"), w)), ""}, lines...)
	}
	bl.above = t.id
	return lines
}

// print prints what was finished since, in order.
func (bl *below) print() tea.Cmd {
	if !bl.d.Inline || bl.printing {
		return nil
	}
	if !bl.shown() {
		bl.settled = false
		return nil
	}
	if !bl.settled {
		bl.printing = true
		return tea.Tick(settleTime, func(time.Time) tea.Msg {
			return screen.Update(func() tea.Cmd { bl.printing, bl.settled = false, true; return nil })
		})
	}
	lines := bl.unprinted(max(bl.d.Width, screen.LeastWidth))
	if len(lines) == 0 && bl.d.left {
		if len(bl.drawn) > 1 {
			return nil // after the frame is gone
		}
		return tea.Quit
	} else if len(lines) == 0 {
		return nil
	}
	most := max(1, bl.d.Height-len(bl.drawn)-1)
	var cmds []tea.Cmd
	for chunk := range slices.Chunk(lines, most) {
		cmds = append(cmds, tea.Println(strings.Join(chunk, "\n")))
	}
	bl.printing = true
	return tea.Sequence(append(cmds, func() tea.Msg { return screen.Update(func() tea.Cmd { bl.printing = false; return nil }) })...)
}

// lowerTime is how long a lower frame keeps the height of the previous one: until it was shown.
const lowerTime = 4 * quickBeat

// lower gives a frame the height of the previous one at first. The renderer takes its cursor to be inside of
// what it draws next, and clears too little if it is below: so the cursor moves up in a frame of the same
// height.
func (bl *below) lower(lines []string, cursor *tea.Cursor) []string {
	if bl.typedAt = len(lines) - 1; cursor != nil {
		bl.typedAt = cursor.Y
	}
	if len(lines) < len(bl.drawn) {
		if bl.wanted != len(lines) {
			bl.wanted, bl.lowered = len(lines), time.Now()
		}
		if time.Since(bl.lowered) < lowerTime {
			bl.d.Again(lowerTime)
			bl.drawn = append(slices.Clone(lines), slices.Repeat([]string{""}, len(bl.drawn)-len(lines))...)
			return bl.drawn
		}
		if bl.d.left {
			bl.d.Again(lowerTime)
		}
	}
	bl.drawn, bl.wanted = lines, 0
	return lines
}
