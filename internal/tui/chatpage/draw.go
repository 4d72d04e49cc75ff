package chatpage

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// drawn is a drawn item, and what its drawing depends on.
type drawn struct {
	lines    []string
	width    int
	open     bool
	answered bool
	airy     bool // an empty line follows
}

// mostDrawn is how many drawn items are cached; others are redrawn when they come into sight.
const mostDrawn = 4000

// sideWidth is the default width of the side; a person changes it in steps of widenBy between leastSide and
// mostSide.
const sideWidth, leastSide, mostSide, widenBy = 34, 24, 60, 4

// sideFrom is the page width from which on the side has room beside the messages.
const sideFrom = 116

// list is the list of messages, and what grows below them.
type list struct {
	*standing
	changed *changes
	scroll  scroll.Scroll
	items   []item
	drawn   map[tree.ID]drawn // drawn entries, by item
	open    map[tree.ID]bool  // entries that are shown in full
	asides  map[tree.ID]bool  // nodes of side questions
	chosen  int               // the selected item; -1: none
	live    markdown.Grown
	width   int
	since   time.Time // when the current activity began
	moved   time.Time // when the activity last changed
	rev     int       // revision of the scene at that time
	asks    bool      // it waits for the person
}

func newList(st *standing, ch *changes) *list {
	return &list{standing: st, changed: ch, chosen: -1, drawn: map[tree.ID]drawn{}, open: map[tree.ID]bool{}, asides: map[tree.ID]bool{}}
}

// Draw draws the messages, the input below them, and the side.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	p.unseen = false
	mw := w
	side := p.side.fits(w) && (p.side.at >= 0 || p.side.on && !p.side.empty())
	if side {
		mw = w - p.side.width() - 1
	}
	p.list.width = mw
	below, cursor := p.below(mw, max(3, h/3))
	if p.ask != nil { // above the input, which gives it room if there is little
		below, cursor = p.ask.above(below, cursor, mw, h)
	}
	rows := max(0, h-len(below))
	list := p.d.Part(&p.list.scroll, p.list.blocks(), mw, max(1, rows))
	if len(list) == 0 && p.start.shown() {
		list = p.start.draw(mw, rows)
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
		all = box.Beside(all, p.side.draw(p.side.width()-2, h), mw, h, " ")
	}
	if p.side.at >= 0 && !side {
		bw := min(w, 60)
		if p.d.Plain {
			all = nil
		}
		all, _, _ = box.Over(box.Fill(all, w, h), box.Around(p.d.Theme, "Sidebar",
			p.side.draw(bw-4, min(h-2, 24)), bw), w, h)
	}
	return all, cursor
}

// blocks returns the items, and what grows below them.
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
			return chosen(ml.d.Theme, lines)
		}
		return lines
	}}
}

// endsEmpty reports whether the messages end with an empty line.
func (ml *list) endsEmpty() bool {
	last := ml.blocks()
	if last.N == 0 {
		return false
	}
	lines := last.Draw(last.N - 1)
	return len(lines) > 0 && lines[len(lines)-1] == ""
}

// chosen draws the selected item.
func chosen(t theme.Theme, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if !strings.HasPrefix(l, "  ") && l != "" { // a mark or a band
			out[i] = t.Chosen.On(ansi.Strip(l))
			continue
		}
		out[i] = t.Focus.On("┃ ") + strings.TrimPrefix(l, "  ")
	}
	return out
}

// drawItem draws an item, or returns it from the cache.
func (ml *list) drawItem(i int) []string {
	it := ml.items[i]
	now := drawn{width: ml.width, open: ml.open[it.id]}
	if it.entry >= 0 {
		now.answered, now.airy = ml.scene.Entries[it.entry].Answer != nil, ml.airy(i)
	} else {
		now.airy = !it.step || i+1 < len(ml.items) && !ml.items[i+1].step
	}
	if was, ok := ml.drawn[it.id]; ok && was.width == now.width && was.open == now.open && was.answered == now.answered &&
		was.airy == now.airy {
		return was.lines
	}
	if it.answer {
		now.lines = append(ml.pen().markdown(it.remark), "")
	} else if it.entry < 0 {
		if now.lines = ml.pen().remark(it); now.airy {
			now.lines = append(now.lines, "")
		}
	} else {
		now.lines = ml.pen().entry(&ml.scene.Entries[it.entry], now.open)
		if now.airy || len(now.lines) > mostClose {
			now.lines = append(now.lines[:len(now.lines):len(now.lines)], "")
		}
	}
	if len(ml.drawn) > mostDrawn {
		clear(ml.drawn)
	}
	ml.drawn[it.id] = now
	return now.lines
}

// mostClose is the number of lines of a call up to which the next one follows without an empty line: longer
// output would run into it.
const mostClose = 2

// airy reports whether an empty line always follows an item: between calls and remarks there is none.
func (ml *list) airy(i int) bool {
	close := func(e *scene.Entry) bool {
		return e.Sort == scene.Called || e.Sort == scene.Thought || e.Sort == scene.Noted && e.Who == "" ||
			e.Sort == scene.Held && !strings.HasPrefix(e.Who, shell+":")
	}
	e := &ml.scene.Entries[ml.items[i].entry]
	if i+1 == len(ml.items) || ml.items[i+1].entry < 0 {
		return !close(e)
	}
	return !(close(e) && close(&ml.scene.Entries[ml.items[i+1].entry]))
}

// drawLive draws what grows: the model's text, or a tool's output while it runs, and the current activity.
func (ml *list) drawLive() []string {
	s, t := ml.scene.Live, ml.d.Theme
	var out []string
	printing := s.State == "printing"
	if s.Text != "" && !t.Plain && !printing { // it is read once it is whole
		out = append(out, line.Edged(ml.live.Lines(ml.d.Theme, ml.d.Clean, s.Text, ml.width-2*line.Margin))...)
	}
	if ml.asks && !t.Plain && !ml.d.Inline { // the box above the input says it
		return out
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
	what := strings.TrimSpace(state + " " + s.Note)
	if state == "thinking" && s.Note != "" {
		what = state + screen.Between + s.Note
	}
	if command, ok := ml.command(); ok && !t.Plain {
		what = command
	} else if left := time.Until(s.Until); !s.Until.IsZero() && left > 0 && !t.Plain {
		what = fmt.Sprintf("retrying in %d s%s%s", int(left.Round(time.Second).Seconds()), screen.Between, s.Note)
	} else if !s.Until.IsZero() && t.Plain { // a countdown would be read aloud again and again
		what = "retrying; " + s.Note
	}
	took := ""
	if d := time.Since(ml.since); !ml.since.IsZero() && d >= slow && !t.Plain {
		took = line.Took(d)
	}
	lines, sign := []string{line.One(ml.d.Clean(what))}, line.Sign(t, ml.spin()+" ", "Working: ")
	if !s.Until.IsZero() { // the reason for waiting is read in full
		lines = line.Wrap(lines[0], max(1, ml.width-line.Wide(sign)-line.Margin-line.Wide(took)))
	}
	out = append(out, ml.pen().row(sign, t.Focus, lines[0], took)...)
	out = append(out, line.Edged(lines[1:])...)
	if printing && !t.Plain {
		out = append(out, ml.pen().tail(s.Text, runningSaid, "")...)
	}
	return out
}

// command returns the command that runs, if any.
func (ml *list) command() (text string, runs bool) {
	s := ml.scene.Live
	text, runs = strings.CutPrefix(s.Note, shell+" ")
	return text, runs && (s.State == "running" || s.State == "printing")
}

// runningSaid is how many lines of a running command's output are shown.
const runningSaid = 3

// frames are the frames of the spinner: three dots round a table.
var frames = []string{"⠋", "⠙", "⠸", "⢰", "⣠", "⣄", "⡆", "⠇"}

// spinTime is the time of a frame, and stillTime how long without news the spinner keeps turning.
const spinTime, stillTime = 125 * time.Millisecond, 10 * time.Second

// spins reports whether the spinner turns: something works here, and the page is shown.
func (ml *list) spins() bool {
	return ml.running() && !ml.d.Unseen && !ml.d.Plain && !ml.d.Inline && !ml.asks && time.Since(ml.moved) < stillTime
}

func (ml *list) spin() string {
	if !ml.spins() {
		return "●"
	}
	return frames[int(time.Since(ml.since)/spinTime)%len(frames)]
}

// slow is how long an activity runs before its duration is shown.
const slow = 3 * time.Second

// grew notes a change of the activity, and starts counting its time.
func (p *Page) grew() tea.Cmd {
	if !p.running() {
		p.doing = ""
		return nil
	}
	if now := p.scene.Live.State + " " + p.scene.Live.Note; now != p.doing {
		p.doing, p.list.since = now, time.Now()
	}
	if p.list.asks = p.ask != nil; p.scene.Rev != p.list.rev {
		p.list.rev, p.list.moved = p.scene.Rev, time.Now()
	}
	if p.counting {
		return nil
	}
	p.counting = true
	every := time.Second
	if p.list.spins() {
		every = spinTime
	}
	return tea.Tick(every, func(time.Time) tea.Msg {
		return screen.Update(func() tea.Cmd { p.counting = false; return p.grew() })
	})
}

// below draws the input, and above it the queue, completions and hints.
func (p *Page) below(w, most int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	var out []string
	for _, q := range p.turnRunner.queue.all {
		state, when := line.Sign(t, "↳ ", "")+"Queued: ", "sent when this turn ends · ↑ edit"
		if q.sent != "" {
			state, when = line.Sign(t, "↳ ", "")+"Sent: ", "delivered at the next step"
		}
		if w < 60 || t.Plain {
			when = ""
		}
		out = append(out, t.Dim.On(line.Row(state+line.One(q.text), when, w-line.Margin)))
	}
	if p.menu.Shown() {
		out = append(out, p.menu.Lines(p.d, w)...)
	}
	if p.gone != "" {
		out = append(out, line.Edged(line.Inked(t.Bad, line.Wrap(p.gone, w-2*line.Margin)))...)
		if p.input.Empty() {
			return out, nil
		} // what was typed is kept
	}
	if p.find != nil {
		p.find.More(p.searched())
		line, cursor := p.find.Draw(t, w)
		out = append(out, p.d.Sentence(p, w)...)
		cursor.Y = len(out)
		return append(out, line), cursor
	}
	p.input.Placeholder = line.Hint(p.hints(), w-4)
	lines, x, y := p.input.Lines(w-3, most)
	out = append(out, p.d.Sentence(p, w)...)
	if len(out) == 0 && p.d.Airy() && (p.ask != nil || p.list.scroll.Away || !p.list.endsEmpty()) {
		out = append(out, "")
	}
	at := len(out)
	out = append(out, p.d.Band(lines, w, p.typing())...)
	if !p.typing() {
		return out, nil
	}
	return out, tea.NewCursor(x+2, y+at)
}

// typed draws a command of the person above its result.
func (pn *pen) typed(command string) []string {
	if command == "" {
		return nil
	}
	t := pn.d.Theme
	return line.Inked(t.Dim, line.Rows(t, line.Sign(t, "▌ ", "You typed: ")+command, pn.width))
}

// remark draws the result of a person's command, below what was typed.
func (pn *pen) remark(it item) (out []string) {
	t := pn.d.Theme
	out = pn.typed(it.typed)
	ink := t.Program
	if it.failed {
		ink = t.Bad
	}
	for i, l := range strings.Split(it.remark, "\n") {
		if l == "" && i == 0 && it.remark == "" {
			break
		}
		out = append(out, line.Edged(line.Inked(ink, line.Hang(l, pn.width-2*line.Margin)))...)
	}
	return out
}

func (p *Page) recolor() {
	clear(p.list.drawn)
	p.list.live = markdown.Grown{}
	p.input.Ink(p.d.Theme)
}
