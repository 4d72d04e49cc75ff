package chatpage

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
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

// list are the messages, and what grows below them.
type list struct {
	*standing
	changed *changes
	scroll  scroll.Scroll
	items   []item
	drawn   map[tree.ID]drawn // what entries look like, by item
	open    map[tree.ID]bool  // entries that are shown whole
	asides  map[tree.ID]bool  // nodes of side questions
	chosen  int               // the item that has the keys; -1: none has
	live    markdown.Grown
	width   int
	since   time.Time // it is done what goes on
}

func newList(st *standing, ch *changes) *list {
	return &list{standing: st, changed: ch, chosen: -1, drawn: map[tree.ID]drawn{}, open: map[tree.ID]bool{}, asides: map[tree.ID]bool{}}
}

// Draw shows the messages, the input below them, and beside them what matters just now.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen = false
	mw := w
	side := (p.side.on || p.side.at >= 0) && p.side.fits(w)
	if side {
		mw = w - sideWidth - 1
	}
	p.list.width = mw
	below, cursor := p.below(mw, max(3, h/3))
	if p.ask != nil { // above the input, which makes room for it where there is little
		below = below[max(0, len(below)-max(0, h-leastAsked)):]
		var frame []string
		frame, cursor = p.ask.Draw(mw, h-len(below))
		below = append(frame, below...)
	}
	rows := max(0, h-len(below))
	list := p.list.scroll.Lines(p.list.blocks(), max(1, rows))
	if len(list) == 0 && p.reads.n == 0 {
		list = p.welcome(mw, rows)
	}
	if p.find != nil {
		list = p.find.Lit(p.d.Theme, list)
	}
	list = box.Fill(list, mw, rows)
	if cursor != nil {
		cursor.Y += len(list)
	}
	all := append(list, below...)
	if side {
		all = box.Beside(all, p.side.draw(sideWidth-1, h), mw, h, p.d.Theme.Line.On("│")+" ")
	}
	if p.side.at >= 0 && !side {
		bw := min(w, 60)
		if p.d.Plain {
			all = nil
		}
		all, _, _ = box.Over(box.Fill(all, w, h), box.Around(p.d.Theme, "Beside the conversation", p.side.draw(bw-4, min(h-2, 24)), bw), w, h)
	}
	return all, cursor
}

// blocks are the items, and what grows below them.
func (ml *list) blocks() scroll.Blocks {
	n := len(ml.items)
	growing := ml.scene.Live.Of != "" || ml.running()
	if growing {
		n++
	}
	return scroll.Blocks{N: n, Wide: ml.width, Draw: func(i int) []string {
		if i == len(ml.items) {
			return ml.drawLive()
		}
		lines := ml.drawItem(i)
		if i == ml.chosen {
			return marked(ml.d.Theme, lines)
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
func (ml *list) drawItem(i int) []string {
	it := ml.items[i]
	now := drawn{width: ml.width, open: ml.open[it.id]}
	if it.entry >= 0 {
		now.answered, now.airy = ml.scene.Entries[it.entry].Answer != nil, ml.airy(i)
	}
	if was, ok := ml.drawn[it.id]; ok && was.width == now.width && was.open == now.open && was.answered == now.answered && was.airy == now.airy {
		return was.lines
	}
	if it.answer {
		now.lines = append(ml.pen().markdown(it.remark), "")
	} else if it.entry < 0 {
		ink := ml.d.Theme.Program
		if it.failed {
			ink = ml.d.Theme.Bad
		}
		for _, l := range strings.Split(it.remark, "\n") {
			now.lines = append(now.lines, line.Indent(line.Inked(ink, line.Hang(l, ml.width-2)))...)
		}
		now.lines = append(now.lines, "")
	} else {
		now.lines = ml.pen().entry(&ml.scene.Entries[it.entry], now.open)
		if now.airy {
			now.lines = append(now.lines[:len(now.lines):len(now.lines)], "")
		}
	}
	if len(ml.drawn) > mostDrawn {
		clear(ml.drawn)
	}
	ml.drawn[it.id] = now
	return now.lines
}

// airy says whether an empty line follows an item: calls and remarks stand close.
func (ml *list) airy(i int) bool {
	close := func(e *scene.Entry) bool {
		return e.Sort == scene.Called || e.Sort == scene.Noted || e.Sort == scene.Held && !strings.HasPrefix(e.Who, shell+":")
	}
	e := &ml.scene.Entries[ml.items[i].entry]
	if i+1 == len(ml.items) || ml.items[i+1].entry < 0 {
		return !close(e)
	}
	return !(close(e) && close(&ml.scene.Entries[ml.items[i+1].entry]))
}

// drawLive draws what grows: what the model writes, or what a tool says while it runs, and what goes on.
func (ml *list) drawLive() []string {
	s, t := ml.scene.Live, ml.d.Theme
	var out []string
	printing := s.State == "printing"
	if s.Text != "" && !t.Plain && !printing { // it is read once it is whole
		out = append(out, line.Indent(ml.live.Lines(ml.d.Theme, ml.d.Clean, s.Text, ml.width-2))...)
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
	text := line.Sign(t, "● ", "Working: ") + line.One(ml.d.Clean(strings.TrimSpace(state+" "+s.Note)))
	if d := time.Since(ml.since); !ml.since.IsZero() && d >= slow && !t.Plain {
		text += " · " + line.Took(d)
	}
	out = append(out, " "+t.Dim.On(line.Middle(text, ml.width-2)))
	if printing && !t.Plain {
		out = append(out, ml.pen().tail(s.Text, foldedOwn)...)
	}
	return out
}

// slow is how long one thing may take before it is said how long it takes.
const slow = 3 * time.Second

// grew takes in that something else is done than before, and has that counted.
func (p *Page) grew() tea.Cmd {
	if !p.running() {
		p.doing = ""
		return nil
	}
	if now := p.scene.Live.State + " " + p.scene.Live.Note; now != p.doing {
		p.doing, p.list.since = now, time.Now()
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
func (p *Page) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	for _, q := range p.turnRunner.queue.all {
		state := line.Sign(t, " ⋯ queued: ", " Queued: ")
		if q.sent != "" {
			state = line.Sign(t, " ⋯ sent: ", " Sent: ")
		}
		out = append(out, t.Dim.On(line.Clip(state+line.One(q.text), w)))
	}
	if p.menu.Shown() {
		out = append(out, p.menu.Lines(p.d, w)...)
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
func (st *standing) welcome(w, h int) []string {
	t := st.d.Theme
	lines := []string{
		theme.Bold.On("Socrates"),
		"",
		"Say what you want done in " + line.One(st.d.Clean(st.env.Dir)) + ".",
		"",
		"  /debate QUESTION   have several models debate it",
		"  @file              show a file to the model",
		"  !command           run a command; the model sees its output",
		"  /help              all commands",
		"",
	}
	for _, name := range []string{"palette", "help", "tab-new"} {
		if key := st.d.Keys.Key(name); key != "" {
			lines = append(lines, "  "+line.Pad(key, 19)+st.d.Keys[name].Doc)
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

func (p *Page) recolor() {
	clear(p.list.drawn)
	p.list.live = markdown.Grown{}
	p.input.Ink(p.d.Theme)
}
