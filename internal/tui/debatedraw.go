package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// panelWidth is the least width of a seat's panel beside another; below that they stand on each other.
const panelWidth = 36

// Draw shows the question and how far it is, a view, and the input.
func (p *debatePage) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen, p.width = false, w
	out := p.head(w)
	below, cursor := p.below(w, max(1, h/4))
	room := max(1, h-len(out)-len(below))
	var body []string
	switch {
	case p.gone != "":
		body = inked(p.d.Theme.Bad, wrap(p.gone, w-2))
	case p.loading != "":
		body = []string{"", " " + p.d.Theme.Dim.On("● "+p.loading)}
	case p.view == seatsView:
		body = p.seats(w, room)
	default:
		body = p.views[p.view].lines(p.lines(w), room)
		if p.find != nil {
			body = p.find.lit(p.d.Theme, body)
		}
	}
	out = append(out, fill(body, w, room)...)
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, below...), cursor
}

// head is the question, the views, and how it stands.
func (p *debatePage) head(w int) (out []string) {
	t := p.d.Theme
	asked, _ := debate.SplitData(p.scene.Frame.Question)
	if asked == "" {
		asked = p.title
	}
	lines := wrap(oneLine(p.d.Clean(asked)), w-2)
	if len(lines) > 2 {
		lines = append(lines[:1], clip(lines[1]+"…", w-2))
	}
	for _, l := range lines {
		out = append(out, " "+theme.Bold.On(l))
	}
	if p.scene.Frame.Rehearsal {
		out = append(out, t.Warn.On(clip(" rehearsal: no model takes part; rules play the seats", w)))
	}
	bar := ""
	for _, v := range views {
		ink := t.Dim
		if v == p.view {
			ink = t.Chosen
		}
		bar += ink.On(" "+string(v)+" ") + " "
	}
	state := p.scene.Stage
	if p.scene.Root != "" {
		state += " · " + took(p.elapsed())
	}
	return append(out, clip(bar, max(0, w-wide(state)-2))+strings.Repeat(" ", max(1, w-1-wide(bar)-wide(state)))+t.Program.On(state))
}

func (p *debatePage) elapsed() time.Duration {
	if e := p.scene.End; e != nil {
		return time.Duration(e.MS) * time.Millisecond
	}
	if p.running() {
		return time.Since(p.scene.Began)
	}
	return p.scene.Last.Sub(p.scene.Began)
}

// below is what a person is needed for, and the input.
func (p *debatePage) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	if need := p.scene.Need; need != nil {
		for _, l := range wrap("? "+oneLine(p.d.Clean(need.Text)), w-2) {
			out = append(out, " "+t.Warn.On(l))
		}
		for _, o := range need.Options {
			out = append(out, "   "+clip(oneLine(p.d.Clean(o)), w-4))
		}
		out = append(out, " "+t.Dim.On("a letter and Enter breaks the tie, /go goes on without"))
	}
	if p.find != nil {
		p.find.more(p.searched())
		line, cursor := p.find.draw(t, w)
		out = append(out, p.d.rule(t.Focus, w)...)
		cursor.Y = len(out)
		return append(out, line), cursor
	}
	if p.menu.shown() {
		out = append(out, p.menu.lines(p.d, w)...)
	}
	lines, x, y := p.input.Lines(w-3, most)
	out = append(out, p.d.rule(t.Focus, w)...)
	at := len(out)
	for i, l := range lines {
		mark := "  "
		if i == 0 {
			mark = t.Person.On(sign(t, "❯", ">")) + " "
		}
		out = append(out, mark+l)
	}
	return out, tea.NewCursor(x+2, y+at)
}

// Status is what the line at the bottom says.
func (p *debatePage) Status() (left, right string) {
	f := p.scene.Frame
	parts := []string{f.Strategy, spelling.Many(len(p.scene.Seats), "seat")}
	if p.scene.Paused {
		parts = append(parts, "paused: "+p.d.keys.key("debate-pause")+" goes on")
	} else if p.theirs {
		parts = append(parts, "● at work in another process; it hears what is said here")
	} else if p.running() {
		parts = append(parts, "● "+p.d.keys.key("debate-pause")+" pauses, "+p.d.keys.key("debate-stop")+" ends the round")
	} else if p.scene.End == nil && p.scene.Root != "" {
		parts = append(parts, "rests: /resume goes on")
	} else if p.scene.End != nil && p.scene.End.Outcome.Decision() {
		parts = append(parts, p.d.keys.key("debate-execute")+" carries it out")
	}
	var u llm.Usage
	for _, s := range p.scene.Seats {
		u = u.Add(s.Usage)
	}
	if n := u.Total(); n > 0 {
		right = count(n) + " tokens · " + talk.Spending{Usage: u}.Money()
	}
	return oneLine(p.d.Clean(strings.Join(parts, " · "))), right
}

// marks say what a seat is doing.
func seatMark(s *scene.Seat) string {
	switch {
	case s.Busy && (s.State == "writing" || s.State == "calling" || s.State == "thinking" || s.State == "reading"):
		return "●"
	case s.Busy:
		return "○"
	}
	switch debate.State(s.State) {
	case debate.Answered:
		return "✓"
	case debate.TimedOut, debate.Late:
		return "◌"
	case debate.Broken, debate.Unusable, debate.Wrote, debate.Dropped:
		return "✗"
	}
	return "○"
}

// seats draws a panel for each seat: side by side where there is room, else above each other.
func (p *debatePage) seats(w, h int) []string {
	n, top := len(p.scene.Seats), len(p.head(w))
	if p.boxes = nil; n == 0 {
		return nil
	}
	cols := max(1, min(n, w/panelWidth))
	if p.d.Plain {
		cols = 1
	}
	rows := (n + cols - 1) / cols
	cols = (n + rows - 1) / rows
	var out []string
	for r := range rows {
		ph := h / rows
		if r == rows-1 {
			ph = h - len(out)
		}
		lines := make([]string, ph)
		for c := range cols {
			i := r*cols + c
			if i >= n {
				break
			}
			pw := w / cols
			if c == cols-1 {
				pw = w - pw*(cols-1)
			}
			p.boxes = append(p.boxes, box{p.scene.Seats[i], c * (w / cols), top + len(out), pw - 1, ph})
			for y, l := range fill(p.panel(p.scene.Seats[i], pw-1, ph), pw-1, ph) {
				if c > 0 {
					lines[y] += p.d.Theme.Line.On("│")
				}
				lines[y] += pad(l, pw-1)
			}
		}
		out = append(out, lines...)
	}
	return out
}

// panel draws a seat: who it is, what it does, and what it says.
func (p *debatePage) panel(s *scene.Seat, w, h int) []string {
	t := p.d.Theme
	ink := t.Seat(s.Info.Lineage)
	state := s.State
	if s.Note != "" {
		state += ": " + s.Note
	}
	head := seatMark(s) + " " + oneLine(p.d.Clean(s.Info.Title()))
	out := []string{ink.And(theme.Bold).On(pad(clip(head, w), w))}
	if w > 60 {
		more := oneLine(p.d.Clean(s.Info.Model + " · " + state))
		out[0] = ink.And(theme.Bold).On(clip(head, w)) + t.Dim.On("  "+clip(more, max(0, w-wide(head)-2)))
	} else if h > 5 {
		out = append(out, t.Dim.On(clip(oneLine(p.d.Clean(state)), w)))
	}
	foot := p.seatFoot(s)
	room := h - len(out) - 1
	text := p.spoken(s, w-1)
	if room < 1 {
		return out
	}
	p.texts[s.Info.ID] = text
	out = append(out, indent(slices.Clone(p.scrolls.of(s).lines(flat(text), room)))...)
	for len(out) < h-1 {
		out = append(out, "")
	}
	return append(out, t.Dim.On(clip(foot, w)))
}

func (p *debatePage) seatFoot(s *scene.Seat) string {
	var parts []string
	if n := s.Usage.Total() + s.Tokens; n > 0 {
		parts = append(parts, count(n)+" tokens")
	}
	if s.Usage.Total() > 0 {
		parts = append(parts, talk.Spending{Usage: s.Usage}.Money())
	}
	d := s.Took
	if s.Busy && p.running() {
		d += time.Since(s.Since)
	}
	if d > 0 {
		parts = append(parts, took(d))
	}
	return strings.Join(parts, " · ")
}

// spoken is what a seat said, turn by turn, as it grows.
func (p *debatePage) spoken(s *scene.Seat, w int) (out []string) {
	said := slices.DeleteFunc(slices.Clone(s.Turns), func(t *scene.Turn) bool { return t.Text == "" })
	for i, turn := range said {
		if len(said) > 1 {
			if i > 0 {
				out = append(out, "")
			}
			out = append(out, p.d.Theme.Dim.On(clip("— "+scene.Stage(turn.Asked.Act), w)))
		}
		key := "panel/" + string(turn.Ask)
		if p.panels[key] == nil {
			p.panels[key] = &grown{}
		}
		out = append(out, p.panels[key].lines(p.d, p.scene.Read(turn), w)...)
	}
	return out
}
