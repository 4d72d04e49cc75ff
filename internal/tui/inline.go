package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Inline, what is finished in a conversation is printed once, above what is drawn anew: the terminal keeps it. Only what
// grows, the input and the line of how things stand are drawn. Everything else (a debate, a tree, a search, scrolling back)
// has a screen of its own while it is shown.

// printed is what of a conversation stands above.
type printed struct {
	at      int       // items before it do
	entries []tree.ID // those of them that are no remarks
	remarks map[tree.ID]bool
	live    []string // lines of what grows
	begun   bool
}

// settleTime is how long after another screen nothing is printed: the terminal must have left that screen.
const settleTime = 60 * time.Millisecond

// mostPrinted is how many items of a conversation are printed when it is opened.
const mostPrinted = 12

// below says whether only the foot of the screen is drawn.
func (d *Desk) below() bool {
	p, ok := d.current().(*chatPage)
	return d.Inline && ok && (len(d.Dialogs) == 0 || d.Plain) && p.typing() && p.find == nil && !p.scroll.Away
}

// drawBelow draws what is not printed yet, the input, and how things stand.
func (d *Desk) drawBelow(w, h int) ([]string, *tea.Cursor) {
	p := d.current().(*chatPage)
	var lines []string
	if len(d.tabs) > 1 {
		lines = append(lines, d.tabBar(w))
	}
	body, cursor := p.drawBelow(w, h-len(lines)-1)
	if n := len(d.Dialogs); n > 0 {
		body, cursor = d.Dialogs[n-1].Draw(w, h-len(lines)-1)
	}
	if cursor != nil {
		cursor.Y += len(lines)
	}
	return append(append(lines, body...), d.statusLine(w)), cursor
}

func (p *chatPage) drawBelow(w, h int) ([]string, *tea.Cursor) {
	p.unseen, p.width = false, w
	foot, cursor := p.below(w, max(3, h/3))
	p.scroll.Height = max(1, h-len(foot))
	if p.ask != nil {
		foot, cursor = p.ask.Draw(min(w, 100), h-1)
	}
	var list []string
	b, most := p.blocks(), h/2
	if p.ask != nil { // the box says what is asked
		b.N = min(b.N, len(p.items))
		if n := b.N; n > 0 && p.items[n-1].entry >= 0 && p.scene.Entries[p.items[n-1].entry].Node == p.ask.id {
			b.N--
		}
	}
	for i := p.printed.at; i < b.N; i++ {
		lines := b.Draw(i)
		if i == len(p.items) {
			lines = p.printed.rest(lines)
		}
		list = append(list, lines...)
	}
	if b.N == 0 && p.ask == nil {
		list, most = p.welcome(w, 0), h
	}
	list = list[max(0, len(list)-max(1, min(most, h-len(foot)))):]
	if cursor != nil {
		cursor.Y += len(list)
	}
	return append(slices.Clone(list), foot...), cursor
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
	lines := d.unprinted()
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

// unprinted are the lines of the conversation at hand that are to be printed now.
func (d *Desk) unprinted() (out []string) {
	p := d.current().(*chatPage)
	s := &p.printed
	if s.remarks == nil {
		s.remarks = map[tree.ID]bool{}
	}
	p.width = max(d.Width, leastWidth)
	asked, _, _ := p.scene.Open()
	if !p.running() {
		asked = ""
	}
	if s.at < len(p.items) && d.above != p.id {
		if d.above != 0 {
			out = append(out, d.Theme.Dim.On(line.Clip("— "+line.One(d.Clean(p.Title()))+" —", p.width)), "")
		}
		d.above = p.id
	}
	if skip := len(p.items) - mostPrinted; !s.begun && skip > 0 {
		out = append(out, d.Theme.Dim.On(line.Clip(fmt.Sprintf(" … %d earlier: pgup shows them", skip), p.width)), "")
		for _, it := range p.items[:skip] {
			if it.entry >= 0 {
				s.entries = append(s.entries, it.id)
			} else {
				s.remarks[it.id] = true
			}
		}
		s.at = skip
	}
	for ; s.at < len(p.items); s.at++ {
		it := p.items[s.at]
		if it.entry >= 0 {
			if p.scene.Entries[it.entry].Node == asked {
				break // it is printed with its answer
			}
			s.entries = append(s.entries, it.id)
		} else if s.remarks[it.id] {
			continue
		} else {
			s.remarks[it.id] = true
		}
		s.begun = true
		lines := p.drawItem(s.at)
		if it.entry >= 0 && len(s.live) > 0 {
			switch p.scene.Entries[it.entry].Sort {
			case scene.Wrote, scene.Answered: // what grew
				lines = s.rest(lines)
				s.live = nil
			case scene.Said:
				s.live = nil
			}
		}
		out = append(out, lines...)
	}
	if s.at == len(p.items) {
		out = append(out, p.unprintedLive()...)
	}
	return out
}

// unprintedLive are the lines of what grows that will not change any more.
func (p *chatPage) unprintedLive() []string {
	s := p.scene.Live
	if s.Text == "" || s.State == "printing" || p.d.Theme.Plain {
		return nil
	}
	lines := line.Indent(p.live.Lines(p.d.Theme, p.d.Clean, s.Text, p.width-2))
	more := p.printed.rest(lines[:p.live.Settled()])
	p.printed.live = append(p.printed.live, more...)
	p.printed.begun = p.printed.begun || len(more) > 0
	return more
}

// rest are the lines behind those of what grows that are printed. If they have another width now, their words are counted.
func (s *printed) rest(lines []string) []string {
	if n := len(s.live); len(lines) >= n && slices.Equal(lines[:n], s.live) {
		return lines[n:]
	}
	words := 0
	for _, l := range s.live {
		words += len(strings.Fields(ansi.Strip(l)))
	}
	for i, l := range lines {
		if words <= 0 {
			return lines[i:]
		}
		words -= len(strings.Fields(ansi.Strip(l)))
	}
	return nil
}

// reprint finds out what of a conversation that was looked at anew stands above already. What lies on another branch cannot
// be taken back there, so it is said.
func (p *chatPage) reprint() {
	if !p.d.Inline {
		return
	}
	s := &p.printed
	n := 0
	for s.at = 0; s.at < len(p.items); s.at++ {
		it := p.items[s.at]
		if it.entry >= 0 && n < len(s.entries) && s.entries[n] == it.id {
			n++
		} else if it.entry >= 0 || !s.remarks[it.id] {
			break
		}
	}
	if n < len(s.entries) {
		p.items = slices.Insert(p.items, s.at, item{entry: -1, id: tree.NewID(), remark: "The conversation was moved: it goes on from an earlier message."})
	}
	s.entries = s.entries[:n]
}
