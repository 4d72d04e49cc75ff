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

// Inline, what is finished in a conversation is printed once, above what is drawn anew: the terminal keeps it. Only what
// grows, the input and the line of how things stand are drawn. Everything else (a debate, a tree, a search, scrolling back)
// has a screen of its own while it is shown.

// settleTime is how long after another screen nothing is printed: the terminal must have left that screen.
const settleTime = 60 * time.Millisecond

// below says whether only the foot of the screen is drawn.
func (d *Desk) below() bool {
	p, ok := d.current().(*chatPage)
	return d.Inline && ok && (len(d.Dialogs) == 0 || d.Plain) && p.AtEnd()
}

// drawBelow draws what is not printed yet, the input, and how things stand.
func (d *Desk) drawBelow(w, h int) ([]string, *tea.Cursor) {
	p := d.current().(*chatPage)
	var lines []string
	if len(d.tabs) > 1 {
		lines = append(lines, d.tabBar(w))
	}
	body, cursor := p.DrawBelow(w, h-len(lines)-1)
	if n := len(d.Dialogs); n > 0 {
		body, cursor = d.Dialogs[n-1].Draw(w, h-len(lines)-1)
	}
	if cursor != nil {
		cursor.Y += len(lines)
	}
	return append(append(lines, body...), d.statusLine(w)), cursor
}

// reflowed goes to where the picture begins on a terminal that became narrower: it has broken the lines of the picture in two,
// which the renderer does not know and would leave above the next.
func (d *Desk) reflowed(w int) {
	if d.Raw == nil || !d.below() || w >= d.Width || w < 1 {
		return
	}
	more := 0
	for _, l := range d.drawn[:max(0, min(d.typedAt, len(d.drawn)))] {
		more += max(0, min(line.Wide(strings.TrimRight(ansi.Strip(l), " ")), d.Width)-1) / w
	}
	if more > 0 {
		d.Raw(ansi.CursorUp(more))
	}
}

// Reflows says whether a terminal breaks its lines anew when it becomes narrower, as all do but a few old ones.
func Reflows(env func(string) string) bool {
	return env("XTERM_VERSION") == "" && env("STY") == "" && env("TERM") != "linux"
}

// print prints what was finished since, in the order it came.
func (d *Desk) print() tea.Cmd {
	if !d.Inline || d.printing {
		return nil
	}
	if !d.below() {
		d.settled = false
		return nil
	}
	if !d.settled {
		d.printing = true
		return tea.Tick(settleTime, func(time.Time) tea.Msg {
			return screen.Turn(func() tea.Cmd { d.printing, d.settled = false, true; return nil })
		})
	}
	lines, above := d.current().(*chatPage).Unprinted(max(d.Width, leastWidth), d.above)
	d.above = above
	if len(lines) == 0 && d.left {
		if len(d.drawn) > 1 {
			return nil // once the picture is gone
		}
		return tea.Quit
	} else if len(lines) == 0 {
		return nil
	}
	most := max(1, d.Height-len(d.drawn)-1)
	var cmds []tea.Cmd
	for chunk := range slices.Chunk(lines, most) {
		cmds = append(cmds, tea.Println(strings.Join(chunk, "\n")))
	}
	d.printing = true
	return tea.Sequence(append(cmds, func() tea.Msg { return screen.Turn(func() tea.Cmd { d.printing = false; return nil }) })...)
}

// lowerTime is how long a picture that is lower than the one before keeps the height of that one: until it was shown.
const lowerTime = 4 * quickBeat

// lower makes a picture as high as the one before, at first. The renderer takes its cursor to be inside of what it draws next,
// and clears too little if it is below: so the cursor goes up in a picture of the same height.
func (d *Desk) lower(lines []string, cursor *tea.Cursor) []string {
	if d.typedAt = len(lines) - 1; cursor != nil {
		d.typedAt = cursor.Y
	}
	if len(lines) < len(d.drawn) {
		if d.wanted != len(lines) {
			d.wanted, d.lowered = len(lines), time.Now()
		}
		if time.Since(d.lowered) < lowerTime {
			d.Again(lowerTime)
			d.drawn = append(slices.Clone(lines), slices.Repeat([]string{""}, len(d.drawn)-len(lines))...)
			return d.drawn
		}
		if d.left {
			d.Again(lowerTime)
		}
	}
	d.drawn, d.wanted = lines, 0
	return lines
}
