package roompage

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// table draws the seats: a panel for each, with its text.
type table struct {
	*standing
	panels  map[string]*markdown.Grown // by question
	texts   map[string][]string        // of the panels, as drawn last
	scrolls seatScrolls
	boxes   []seatBox // the seats' panels, as drawn last
}

func newTable(st *standing) *table {
	return &table{standing: st, panels: map[string]*markdown.Grown{}, texts: map[string][]string{}, scrolls: seatScrolls{}}
}

// seatBox is the position of a seat's panel on the page.
type seatBox struct {
	seat       *scene.Seat
	x, y, w, h int
}

// under returns the panel at a position of the page.
func (tb *table) under(x, y int) (seatBox, bool) {
	for _, b := range tb.boxes {
		if x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h {
			return b, true
		}
	}
	return seatBox{}, false
}

// panelWidth is the minimum width of a seat's panel beside another; below that they are stacked.
const panelWidth = 36

// seatMark returns the mark for the activity of a seat.
func seatMark(s *scene.Seat) string {
	switch {
	case s.Busy && (s.State == "writing" || s.State == "calling" || s.State == "thinking" || s.State == "reading"):
		return "●"
	case s.Busy:
		return "○"
	case s.Out:
		return "✗"
	}
	switch exchange.State(s.State) {
	case exchange.Answered:
		return "✓"
	case exchange.TimedOut, exchange.Late:
		return "◌"
	case exchange.Broken, exchange.Unusable, exchange.Wrote, exchange.Dropped:
		return "✗"
	}
	return "○"
}

// lost reports whether a seat ended without a complete text to read in its panel.
func lost(s *scene.Seat) bool {
	m := seatMark(s)
	return !s.Busy && (m == "◌" || m == "✗") && !slices.ContainsFunc(s.Turns, func(t *scene.Turn) bool {
		return t.Reply != nil && (t.Reply.State == exchange.Answered || t.Reply.State == exchange.Unusable)
	})
}

// draw draws a panel for each seat: side by side if there is room, else stacked. Lost seats get only a line
// each.
func (tb *table) draw(w, h, top int) []string {
	var at []*scene.Seat
	var gone []string
	for _, s := range tb.scene.Seats {
		if !lost(s) {
			at = append(at, s)
			continue
		}
		name := seatMark(s) + " " + line.One(tb.d.Clean(s.Info.Title()))
		for i, l := range line.Wrap(tb.stateOf(s), max(8, w-line.Wide(name)-2)) {
			if i == 0 {
				gone = append(gone, tb.ink(s.Info.Lineage).And(theme.Bold).On(line.Clip(name, w))+"  "+tb.d.Theme.Dim.On(l))
			} else if len(at) == 0 || i < 2 {
				gone = append(gone, strings.Repeat(" ", line.Wide(name)+2)+tb.d.Theme.Dim.On(l))
			}
		}
	}
	gone = gone[:min(len(gone), max(1, h/2))]
	if tb.boxes = nil; len(at) == 0 {
		return gone
	}
	return append(tb.grid(at, w, h-len(gone), top), gone...)
}

// grid draws panels in rows and columns.
func (tb *table) grid(at []*scene.Seat, w, h, top int) (out []string) {
	n := len(at)
	cols := max(1, min(n, w/panelWidth))
	if tb.d.Plain {
		cols = 1
	}
	rows := (n + cols - 1) / cols
	if h/rows < leastPanel && n > 1 && !tb.d.Plain {
		return tb.heads(at, w, h, top)
	}
	cols = (n + rows - 1) / rows
	for r := range rows {
		ph := (h - len(out)) / (rows - r)
		lines := make([]string, ph)
		row := at[r*cols : min(n, (r+1)*cols)]
		for c, s := range row {
			x, pw := c*(w/len(row)), w/len(row)
			if c == len(row)-1 {
				pw = w - x
			}
			tb.boxes = append(tb.boxes, seatBox{s, x, top + len(out), pw - 1, ph})
			for y, l := range box.Fill(tb.panel(s, pw-1, ph), pw-1, ph) {
				if c > 0 {
					lines[y] += tb.d.Theme.Line.On("│")
				}
				lines[y] += line.Pad(l, pw-1)
			}
		}
		out = append(out, lines...)
	}
	return out
}

// leastPanel is the minimum useful height of a panel.
const leastPanel = 4

// heads draws a line for each seat, and a panel for the one that is answering, or answered last.
func (tb *table) heads(at []*scene.Seat, w, h, top int) (out []string) {
	main := at[0]
	for _, s := range at {
		if len(s.Turns) == 0 || main.State == "writing" {
			continue
		}
		if s.State == "writing" || len(main.Turns) == 0 || s.Turns[len(s.Turns)-1].At.After(main.Turns[len(main.Turns)-1].At) {
			main = s
		}
	}
	for _, s := range at {
		if s != main {
			out = append(out, tb.panel(s, w, 1)...)
			continue
		}
		ph := max(1, h-len(at)+1)
		tb.boxes = append(tb.boxes, seatBox{s, 0, top + len(out), w, ph})
		out = append(out, tb.panel(s, w, ph)...)
	}
	return out[:min(len(out), h)]
}

// markOf returns the mark of a seat; one whose question was interrupted is idle.
func (tb *table) markOf(s *scene.Seat) string {
	if s.Busy && !tb.running() {
		return "○"
	}
	return seatMark(s)
}

// stateOf describes what a seat does, or how its last question ended, and why.
func (tb *table) stateOf(s *scene.Seat) string {
	state := s.State
	if s.Note != "" {
		state += ": " + strings.TrimPrefix(s.Note, "its reply cannot be used: ") // the state says so already
	}
	switch {
	case s.Busy && !tb.running():
		state = "was interrupted; it is asked again when the debate resumes"
	case s.State == string(exchange.Dropped), s.Out && len(s.Turns) == 0:
		state = "dropped by you"
	case s.Out:
		state = "dropped by you; before: " + state
	}
	return line.One(tb.d.Clean(state))
}

// whose returns the lineage of a seat if its name does not show it: two seats of one lineage are not two
// opinions.
func (tb *table) whose(s *scene.Seat) string {
	if strings.Contains(s.Info.ID, s.Info.Lineage) {
		return ""
	}
	return line.One(tb.d.Clean(s.Info.Lineage)) + " · "
}

// panel draws a seat: its name, its state, and its text.
func (tb *table) panel(s *scene.Seat, w, h int) []string {
	t := tb.d.Theme
	ink := tb.ink(s.Info.Lineage).And(theme.Bold)
	head, state := tb.markOf(s)+" "+line.One(tb.d.Clean(s.Info.Title())), tb.whose(s)+tb.stateOf(s)
	if w > 60 && s.Info.Model != s.Info.Lineage {
		state = line.One(tb.d.Clean(s.Info.Model)) + " · " + state
	}
	text := tb.spoken(s, min(w-line.Margin, 100))
	out := []string{ink.On(line.Clip(head, w))}
	if beside := w - line.Wide(head) - 2; h < 6 || line.Wide(state) <= beside {
		out[0] += t.Dim.On(line.Clip("  "+state, max(0, w-line.Wide(head))))
	} else {
		most := max(2, h/3, h-2-len(text)) // its text takes precedence, but a failure is shown in full
		lines := line.Wrap(state, w-line.Margin)
		if len(lines) > most {
			lines = append(lines[:most-1:most-1], line.Clip(lines[most-1]+"…", w-line.Margin))
		}
		out = append(out, line.Edged(line.Inked(t.Dim, lines))...)
	}
	room := h - len(out) - 1
	if room < 1 {
		return out
	}
	tb.texts[s.Info.ID] = text
	own := tb.scrolls.of(s)
	shown := own.Lines(scroll.Flat(text), room)
	out = append(out, line.Edged(shown)...)
	for len(out) < h-1 {
		out = append(out, "")
	}
	return append(out, tb.seatFoot(s, own.Top, len(text)-own.Top-len(shown), w))
}

// seatFoot returns the usage of a seat, and how many lines of its text are above and below the visible ones.
func (tb *table) seatFoot(s *scene.Seat, above, below, w int) string {
	var parts []string
	if n := s.Usage.Total() + s.Tokens; n > 0 && !tb.scene.Frame.Rehearsal {
		parts = append(parts, line.Count(n)+" tokens")
	}
	if s.Usage.Total() > 0 {
		parts = append(parts, s.Usage.Money())
	}
	d := s.Took
	if s.Busy && tb.running() {
		d += tb.asked(s)
	}
	if d >= time.Second/10 {
		parts = append(parts, line.Took(d))
	}
	more := ""
	if above > 0 {
		more += "↑ " + strconv.Itoa(above)
	}
	if below > 0 {
		more += strings.Repeat(" ", min(1, len(more))) + "↓ " + strconv.Itoa(below)
	}
	if more != "" {
		more += " more "
	}
	w -= line.Margin
	foot := line.Clip(line.Hint(parts, w-line.Wide(more)-1), max(0, w-line.Wide(more)-1))
	return "  " + tb.d.Theme.Dim.On(foot+strings.Repeat(" ", max(0, w-line.Wide(foot)-line.Wide(more)))+more)
}

// spoken returns a seat's text, turn by turn, as it grows.
func (tb *table) spoken(s *scene.Seat, w int) (out []string) {
	said := slices.DeleteFunc(slices.Clone(s.Turns), func(t *scene.Turn) bool { return t.Text == "" })
	for i, turn := range said {
		if len(said) > 1 {
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, tb.d.Theme.Dim.On(line.Clip("— "+scene.Stage(turn.Asked), w)))
		}
		key := "panel/" + string(turn.Ask)
		if tb.panels[key] == nil {
			tb.panels[key] = &markdown.Grown{}
		}
		out = append(out, tb.panels[key].Lines(tb.d.Theme, tb.d.Clean, tb.scene.Read(turn), w)...)
	}
	return out
}
