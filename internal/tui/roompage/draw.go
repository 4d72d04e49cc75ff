package roompage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Draw shows the question and how far it is, a view, and the input.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen, p.width = false, w
	out := p.head(w)
	top := len(out)
	below, cursor := p.below(w, max(1, h/4))
	if over := len(below) - max(1, h-len(out)-1); over > 0 { // the input comes first
		below = below[over:]
		if cursor != nil {
			cursor.Y -= over
		}
	}
	room := max(1, h-len(out)-len(below))
	var body []string
	switch {
	case p.gone != "" && len(p.scene.Seats) == 0:
		body = line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2))
	case p.loading != "":
		body = []string{"", " " + p.d.Theme.Dim.On("● "+p.loading)}
	case p.shown.view == seatsView:
		body = p.table.draw(w, room, top)
	default:
		body = p.shown.views[p.shown.view].Lines(p.shown.lines(w), room)
		if p.find != nil {
			body = p.find.Lit(p.d.Theme, body)
		}
	}
	out = append(out, box.Fill(body, w, room)...)
	if p.gone != "" && len(p.scene.Seats) > 0 { // what was said before can still be read
		gone := line.Indent(line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2)))
		out = append(out[:max(0, len(out)-len(gone))], gone...)
	}
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, below...), cursor
}

// head is the question, the views, and how it stands.
func (p *Page) head(w int) (out []string) {
	t := p.d.Theme
	asked, _ := debate.SplitData(p.scene.Frame.Question)
	if asked == "" {
		asked = p.title
	}
	lines := line.Wrap(line.One(p.d.Clean(asked)), w-2)
	if len(lines) > 2 {
		lines = append(lines[:1], line.Clip(lines[1]+"…", w-2))
	}
	for _, l := range lines {
		out = append(out, " "+theme.Bold.On(l))
	}
	if p.scene.Frame.Rehearsal {
		out = append(out, t.Warn.On(line.Clip(" rehearsal: no model takes part; rules play the seats", w)))
	}
	bar := ""
	for _, v := range views {
		ink := t.Dim
		if v == p.shown.view {
			ink = t.Chosen
		}
		name := " " + string(v) + " "
		if v == p.shown.view && t.Plain {
			name = "[" + string(v) + "]"
		}
		bar += ink.On(name) + " "
	}
	state := ""
	for _, s := range p.stands() {
		if line.Wide(bar)+line.Wide(s)+2 <= w {
			state = s
			break
		}
	}
	return append(out, line.Clip(bar, w)+strings.Repeat(" ", max(0, w-1-line.Wide(bar)-line.Wide(state)))+t.Program.On(state))
}

// below is what a person is needed for, and the input.
func (p *Page) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	if need := p.scene.Need; need != nil {
		for _, l := range line.Wrap("? "+line.One(p.d.Clean(need.Text)), w-2) {
			out = append(out, " "+t.Warn.On(l))
		}
		for _, o := range need.Options {
			out = append(out, "   "+line.Clip(line.One(p.d.Clean(o)), w-4))
		}
	}
	if waits := p.pending(); waits != "" {
		out = append(out, " "+t.Person.On(line.Clip(waits, w-2)))
	}
	if p.find != nil {
		p.find.More(p.searched())
		line, cursor := p.find.Draw(t, w)
		out = append(out, p.d.Rule(p, t.Focus, w)...)
		cursor.Y = len(out)
		return append(out, line), cursor
	}
	if p.orders.menu.Shown() {
		out = append(out, p.orders.menu.Lines(p.d, w)...)
	}
	p.input.Placeholder = line.Hint(p.hints(), w-4)
	lines, x, y := p.input.Lines(w-3, most)
	out = append(out, p.d.Rule(p, t.Focus, w)...)
	at := len(out)
	for i, l := range lines {
		mark := "  "
		if i == 0 {
			mark = t.Person.On(line.Sign(t, "❯", ">")) + " "
		}
		out = append(out, mark+l)
	}
	return out, tea.NewCursor(x+2, y+at)
}

func (p *Page) recolor() {
	clear(p.table.panels)
	clear(p.shown.texts)
	p.shown.text = markdown.Grown{}
	p.input.Ink(p.d.Theme)
}
