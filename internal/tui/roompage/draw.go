package roompage

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/sample"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Draw draws the question and the progress, a view, and the input.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen, p.width = false, w
	out := p.head(w)
	top := len(out)
	below, cursor := p.below(w, max(1, h/4))
	if over := len(below) - max(1, h-len(out)-1); over > 0 { // the input takes precedence
		below = below[over:]
		if cursor != nil {
			cursor.Y -= over
		}
	}
	room := max(1, h-len(out)-len(below))
	var body []string
	switch {
	case p.gone != "" && len(p.scene.Seats) == 0:
		body = append([]string{""}, line.Edged(line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2*line.Margin)))...)
	case p.asks:
		body = p.begins(w)
	case p.loading != "":
		body = []string{"", p.d.Theme.Dim.On("● " + p.loading)}
	case p.shown.view == seatsView:
		pw := w
		if p.side.beside(w) {
			pw = w - sideWidth - 2
		}
		if body = p.table.draw(pw, room, top); pw < w {
			body = box.Beside(body, p.side.draw(sideWidth-line.Margin, room), pw+1, room, " ")
		}
	default:
		body = p.d.Part(p.shown.views[p.shown.view], p.shown.here(w), w, room)
		if p.find != nil {
			body = p.find.Lit(p.d.Theme, body)
		}
	}
	out = append(out, box.Fill(body, w, room)...)
	if p.gone != "" && len(p.scene.Seats) > 0 { // earlier text can still be read
		gone := line.Edged(line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2*line.Margin)))
		out = append(out[:max(0, len(out)-len(gone))], gone...)
	}
	if cursor != nil {
		cursor.Y += len(out)
	}
	if out = append(out, below...); p.side.at >= 0 {
		if cursor = nil; !p.side.beside(w) {
			out = p.side.over(out, w, h)
		}
	}
	return out, cursor
}

// begins returns the text of a page that waits for its question.
func (st *standing) begins(w int) []string {
	text := "Ask a question that offers a choice: Should we …, or …?\n\n" +
		"Several models answer without seeing each other, quote the project and question each other's claims; code checks the " +
		"quotes and computes the answer.\n\n" +
		st.d.Keys.Key("seats") + " chooses the panel. /debate takes flags here, too: --files, --strategy, --budget …"
	lines := line.Wrap(text, min(w-2*line.Margin, 100))
	return append([]string{""}, line.Edged(line.Inked(st.d.Theme.Dim, lines))...)
}

// head draws the question, the views, and the state.
func (p *Page) head(w int) (out []string) {
	t := p.d.Theme
	asked, _ := motion.Split(p.scene.Frame.Question)
	if asked == "" {
		asked = p.title
	}
	lines := line.Wrap(line.One(p.d.Clean(asked)), w-2*line.Margin)
	if len(lines) > 2 {
		lines = append(lines[:1], line.Clip(lines[1]+"…", w-2*line.Margin))
	}
	out = line.Edged(line.Inked(theme.Bold, lines))
	if p.scene.Frame.Rehearsal {
		about := "rehearsal: rule-based seats, no model takes part"
		if p.scene.Frame.Question == sample.Question {
			about = "rehearsal about hours, a small example project: no model takes part"
		}
		out = append(out, t.Warn.On(line.Clip("  "+about, w)))
	}
	bar := map[bool]string{false: " ", true: "  "}[t.Plain]
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
	return append(out, line.Clip(bar, w)+strings.Repeat(" ", max(0, w-line.Margin-line.Wide(bar)-line.Wide(state)))+t.Program.On(state))
}

// below draws what the person must do, and the input.
func (p *Page) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	if need := p.scene.Need; need != nil && !p.shown.linear.on() {
		for i, l := range line.Wrap(line.One(p.d.Clean(need.Text)), w-2*line.Margin) {
			out = append(out, map[bool]string{true: t.Warn.On("? "), false: "  "}[i == 0]+t.Warn.On(l))
		}
		for _, o := range need.Options {
			out = append(out, "    "+line.Clip(line.One(p.d.Clean(o)), w-6))
		}
	}
	if p.running() && p.oneFamily() && p.scene.Need == nil && !p.shown.linear.on() {
		text := "one model family: the decision waits for you · " + p.d.Keys.Key("debate-stop") + " stops, /login adds one"
		out = append(out, t.Warn.On("! "+line.Clip(text, w-2*line.Margin)))
	}
	if waits := p.pending(); waits != "" {
		out = append(out, "  "+t.Person.On(line.Clip(waits, w-2*line.Margin)))
	}
	if p.find != nil {
		p.find.More(p.searched())
		line, cursor := p.find.Draw(t, w)
		out = append(out, p.d.Sentence(p, w)...)
		cursor.Y = len(out)
		return append(out, line), cursor
	}
	if p.orders.menu.Shown() {
		out = append(out, p.orders.menu.Lines(p.d, w)...)
	}
	if p.input.Placeholder = line.Hint(p.hints(), w-4); p.shown.linear.on() { // what is read aloud is what was typed
		p.input.Placeholder = ""
	}
	lines, x, y := p.input.Lines(w-3, most)
	out = append(out, p.d.Sentence(p, w)...)
	at := len(out)
	out = append(out, p.d.Band(lines, w, true)...)
	return out, tea.NewCursor(x+2, y+at)
}

func (p *Page) recolor() {
	clear(p.table.panels)
	clear(p.shown.texts)
	p.shown.text = markdown.Grown{}
	p.input.Ink(p.d.Theme)
}
