package tui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// drawn is what an item looks like, and what of it that depends on.
type drawn struct {
	lines    []string
	width    int
	open     bool
	answered bool
	airy     bool // an empty line follows
}

// mostDrawn is how many items are remembered as they look; more than that are drawn anew when they come into sight.
const mostDrawn = 4000

// sideWidth is the column at the right.
const sideWidth = 30

// Draw shows the messages, the input below them, and beside them what matters just now.
func (p *chatPage) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen = false
	mw := w
	side := (p.side || p.beside >= 0) && p.besides(w)
	if side {
		mw = w - sideWidth - 1
	}
	p.width = mw
	below, cursor := p.below(mw, max(3, h/3))
	list := p.scroll.Lines(p.blocks(), max(1, h-len(below)))
	if len(list) == 0 && p.reads.n == 0 {
		list = p.welcome(mw, h-len(below))
	}
	if p.find != nil {
		list = p.find.Lit(p.d.Theme, list)
	}
	list = box.Fill(list, mw, max(1, h-len(below)))
	if cursor != nil {
		cursor.Y += len(list)
	}
	all := append(list, below...)
	if side {
		all = box.Beside(all, p.sideBar(sideWidth-1, h), mw, h, p.d.Theme.Line.On("│")+" ")
	}
	if p.beside >= 0 && !side {
		bw := min(w, 60)
		if p.d.Plain {
			all = nil
		}
		all, _, _ = box.Over(box.Fill(all, w, h), box.Around(p.d.Theme, "Beside the conversation", p.sideBar(bw-4, min(h-2, 24)), bw), w, h)
	}
	if p.ask != nil {
		var frame []string
		frame, cursor = p.ask.Draw(min(w, 100), h)
		var x, y int
		if all, x, y = box.Over(box.Fill(all, w, h), frame, w, h); cursor != nil {
			cursor.X, cursor.Y = cursor.X+x, cursor.Y+y
		}
	}
	return all, cursor
}

// blocks are the items, and what grows below them.
func (p *chatPage) blocks() scroll.Blocks {
	n := len(p.items)
	growing := p.scene.Live.Of != "" || p.running()
	if growing {
		n++
	}
	return scroll.Blocks{N: n, Draw: func(i int) []string {
		if i == len(p.items) {
			return p.drawLive()
		}
		lines := p.drawItem(i)
		if i == p.chosen {
			return marked(p.d.Theme, lines)
		}
		return lines
	}}
}

// marked shows which item has the keys.
func marked(t theme.Theme, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = t.Focus.On("┃") + strings.TrimPrefix(l, " ")
	}
	return out
}

// drawItem draws an item, or takes it from those that were drawn.
func (p *chatPage) drawItem(i int) []string {
	it := p.items[i]
	now := drawn{width: p.width, open: p.open[it.id]}
	if it.entry >= 0 {
		now.answered, now.airy = p.scene.Entries[it.entry].Answer != nil, p.airy(i)
	}
	if was, ok := p.drawn[it.id]; ok && was.width == now.width && was.open == now.open && was.answered == now.answered && was.airy == now.airy {
		return was.lines
	}
	if it.answer {
		now.lines = append(p.pen().markdown(it.remark), "")
	} else if it.entry < 0 {
		ink := p.d.Theme.Program
		if it.failed {
			ink = p.d.Theme.Bad
		}
		for _, l := range strings.Split(it.remark, "\n") {
			now.lines = append(now.lines, line.Indent(line.Inked(ink, line.Hang(l, p.width-2)))...)
		}
		now.lines = append(now.lines, "")
	} else {
		now.lines = p.pen().entry(&p.scene.Entries[it.entry], now.open)
		if now.airy {
			now.lines = append(now.lines[:len(now.lines):len(now.lines)], "")
		}
	}
	if len(p.drawn) > mostDrawn {
		clear(p.drawn)
	}
	p.drawn[it.id] = now
	return now.lines
}

// airy says whether an empty line follows an item: calls and remarks stand close.
func (p *chatPage) airy(i int) bool {
	close := func(e *scene.Entry) bool {
		return e.Sort == scene.Called || e.Sort == scene.Noted || e.Sort == scene.Held && !strings.HasPrefix(e.Who, shell+":")
	}
	e := &p.scene.Entries[p.items[i].entry]
	if i+1 == len(p.items) || p.items[i+1].entry < 0 {
		return !close(e)
	}
	return !(close(e) && close(&p.scene.Entries[p.items[i+1].entry]))
}

// drawLive draws what grows: what the model writes, or what a tool says while it runs, and what goes on.
func (p *chatPage) drawLive() []string {
	s, t := p.scene.Live, p.d.Theme
	var out []string
	printing := s.State == "printing"
	if s.Text != "" && !t.Plain && !printing { // it is read once it is whole
		out = append(out, line.Indent(p.live.Lines(p.d.Theme, p.d.Clean, s.Text, p.width-2))...)
	}
	state := cmp.Or(s.State, "waiting")
	if state == "writing" && !t.Plain {
		return out
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	if printing {
		state = "running"
	}
	text := line.Sign(t, "● ", "Working: ") + line.One(p.d.Clean(strings.TrimSpace(state+" "+s.Note)))
	if d := time.Since(p.since); !p.since.IsZero() && d >= slow && !t.Plain {
		text += " · " + line.Took(d)
	}
	out = append(out, " "+t.Dim.On(line.Middle(text, p.width-2)))
	if printing && !t.Plain {
		out = append(out, p.pen().tail(s.Text, foldedOwn)...)
	}
	return out
}

// slow is how long one thing may take before it is said how long it takes.
const slow = 3 * time.Second

// grew takes in that something else is done than before, and has that counted.
func (p *chatPage) grew() tea.Cmd {
	if !p.running() {
		p.doing = ""
		return nil
	}
	if now := p.scene.Live.State + " " + p.scene.Live.Note; now != p.doing {
		p.doing, p.since = now, time.Now()
	}
	if p.counting {
		return nil
	}
	p.counting = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg {
		return screen.Turn(func() tea.Cmd { p.counting = false; return p.grew() })
	})
}

// below is the input, with what is queued, offered and wanted above it.
func (p *chatPage) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	for _, q := range p.queue.all {
		state := line.Sign(t, " ⋯ queued: ", " Queued: ")
		if q.sent != "" {
			state = line.Sign(t, " ⋯ sent: ", " Sent: ")
		}
		out = append(out, t.Dim.On(line.Clip(state+line.One(q.text), w)))
	}
	if p.menu.Shown() {
		out = append(out, p.menu.Lines(p.d.Screen, w)...)
	}
	ink := t.Line
	if p.typing() {
		ink = t.Focus
	}
	if p.gone != "" {
		out = append(out, line.Indent(line.Inked(t.Bad, line.Wrap(p.gone, w-2)))...)
		if p.input.Empty() {
			return out, nil
		} // what was typed is not lost
	}
	if p.find != nil {
		p.find.More(p.searched())
		line, cursor := p.find.Draw(t, w)
		out = append(out, p.d.Rule(p, ink, w)...)
		cursor.Y = len(out)
		return append(out, line), cursor
	}
	p.input.Placeholder = line.Hint(p.hints(), w-4)
	lines, x, y := p.input.Lines(w-3, most)
	out = append(out, p.d.Rule(p, ink, w)...)
	at := len(out)
	for i, l := range lines {
		mark := "  "
		if i == 0 {
			mark = t.Person.On(line.Sign(t, "❯", ">")) + " "
		}
		out = append(out, mark+l)
	}
	if !p.typing() {
		return out, nil
	}
	return out, tea.NewCursor(x+2, y+at)
}

// welcome is what an empty conversation shows.
func (p *chatPage) welcome(w, h int) []string {
	t := p.d.Theme
	lines := []string{
		theme.Bold.On("Socrates"),
		"",
		"Say what you want done in " + line.One(p.d.Clean(p.env.Dir)) + ".",
		"",
		"  /debate QUESTION   let several models argue it out",
		"  @file              show a file to the model",
		"  !command           run a command; the model sees its output",
		"  /help              all commands",
		"",
	}
	for _, name := range []string{"palette", "help", "tab-new"} {
		if key := p.d.Keys.Key(name); key != "" {
			lines = append(lines, "  "+line.Pad(key, 19)+p.d.Keys[name].Doc)
		}
	}
	var out []string
	for range max(0, (h-len(lines))/3) {
		out = append(out, "")
	}
	for i, l := range lines {
		if i > 0 {
			l = t.Dim.On(line.Clip(l, w-4))
		}
		out = append(out, "  "+l)
	}
	return out
}
