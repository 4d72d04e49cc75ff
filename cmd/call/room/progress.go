package room

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Progress shows how a debate goes on stderr: a live line for each seat in a terminal, a line for each step elsewhere.
type Progress struct {
	mu     sync.Mutex // over all that follows
	a      *Rooms
	live   bool
	color  bool
	width  int
	began  time.Time
	order  []string
	seats  map[string]*seatLine
	asks   map[tree.ID]string // whose question a node is
	stage  string
	root   tree.ID
	copies bool           // it was said that copies are made
	drawn  int            // lines on the screen above the cursor, -1: none are drawn
	asking int            // options the person is asked to choose from
	input  *keyboard.Line // what the person is typing; nil: nobody can
	last   time.Time
}

// seatLine is what is known of a seat.
type seatLine struct {
	title       string // how people are told of it
	state, note string
	tokens      int
	usage       llm.Usage // of replies that are in
	steps       llm.Usage // of the calls behind the reply that is not
	calls       int
	since       time.Time
	took        time.Duration
	busy        bool
}

// FrameEvery is the shortest time between two pictures.
const FrameEvery = 80 * time.Millisecond

func newProgress(a *Rooms) *Progress {
	p := &Progress{a: a, live: a.Out.Format == "text" && out.IsTerminal(os.Stderr), began: time.Now(), seats: map[string]*seatLine{}, asks: map[tree.ID]string{}, drawn: -1}
	if p.live {
		p.color = a.Out.Colored(os.Stderr)
	}
	tell := p.tell
	a.Out.Above.Store(&tell)
	return p
}

// tell writes lines of their own above the live ones.
func (p *Progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say("%s", strings.TrimRight(text, "\n"))
}

func (p *Progress) say(format string, args ...any) {
	text := out.Fit(os.Stderr, p.a.Out.Clean(fmt.Sprintf(format, args...))+"\n", "    ")
	p.erase()
	p.a.Out.Err.Raw(text)
	p.draw(true)
}

// needs says whether a line is the letter of an option the person is asked to choose from.
func (p *Progress) needs(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	line = strings.ToUpper(strings.TrimSpace(line))
	return len(line) == 1 && line[0] >= 'A' && int(line[0]-'A') < p.asking
}

// prompt shows what the person is typing.
func (p *Progress) prompt(l keyboard.Line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.Text = slices.Clone(l.Text)
	p.input = &l
	p.draw(true)
}

// afresh draws the live lines where the cursor is now: others wrote below the old ones.
func (p *Progress) afresh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = -1
	p.draw(true)
}

// seated are the ids of the seats.
func (p *Progress) seated() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.order)
}

func (p *Progress) snapshot(s feed.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.State == debate.Preparing && s.Of == p.root {
		if !p.live && !p.copies {
			p.say("  %s", s.Note)
		}
		p.stage, p.copies = s.Note, true
		p.draw(false)
		return
	}
	res := p.seats[p.asks[s.Of]]
	if res == nil || !res.busy {
		return
	}
	res.state, res.note, res.tokens = s.State, s.Note, s.Usage
	p.draw(false)
}

// node takes in one committed node.
func (p *Progress) node(n tree.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch n.Kind {
	case string(debate.FrameKind):
		f, _ := debate.FrameKind.Of(n)
		for _, s := range f.Seats {
			p.order = append(p.order, s.ID)
			p.seats[s.ID] = &seatLine{title: s.Title(), state: "waiting"}
		}
		p.root = n.ID
		p.say("Room %s", f.Room)
		p.stage = "blind ballots"
	case string(debate.AskKind):
		ask, _ := debate.AskKind.Of(n)
		p.asks[n.ID] = ask.Seat
		if s := p.seats[ask.Seat]; s != nil {
			s.state, s.note, s.busy, s.since = "thinking", "", true, time.Now()
		}
		p.stage = scene.Stage(ask)
		p.draw(true)
	case string(debate.StepKind):
		if x, ok := debate.StepKind.Of(n); ok && p.seats[n.By] != nil {
			p.seats[n.By].steps = p.seats[n.By].steps.Add(x.Usage)
			p.draw(true)
		}
	case string(debate.ReplyKind):
		p.reply(n)
	case string(debate.CheckKind):
		k, _ := debate.CheckKind.Of(n)
		if k.Result == verdict.Fail {
			p.say("  check %s: %s of %s failed: %s", k.ID, k.Kind, k.Claim, k.Detail)
		}
		p.draw(true)
	case string(debate.NoteKind):
		note, _ := debate.NoteKind.Of(n)
		p.say("  note: %s", note.Text)
	case string(debate.HeedKind):
		p.heed(n)
	case string(debate.NeedKind):
		p.need(n)
	case string(debate.VerdictKind):
		p.stage = "decided"
	}
}

// heed shows what became of a person's word, and whoever sat down.
func (p *Progress) heed(n tree.Node) {
	h, _ := debate.HeedKind.Of(n)
	if h.Seat != nil && p.seats[h.Seat.ID] == nil {
		p.order = append(p.order, h.Seat.ID)
		p.seats[h.Seat.ID] = &seatLine{title: h.Seat.Title(), state: "waiting"}
	}
	switch {
	case h.Refused:
		p.say("  you: %s refused: %s", h.Verb, h.Done)
	case h.Verb == debate.Pause:
		p.stage = "paused; /go resumes"
		p.say("  you: %s", h.Done)
	default:
		p.say("  you: %s", h.Done)
	}
}

// need calls the person.
func (p *Progress) need(n tree.Node) {
	need, _ := debate.NeedKind.Of(n)
	p.stage, p.asking = "waiting for you: type a letter, or /go", len(need.Options)
	if p.asking == 0 {
		p.stage = "waiting for you: add what is missing, then /go"
	}
	if p.live {
		p.a.Out.Err.Raw("\a")
	}
	p.say("Your input is needed: %s", need.Text)
	for _, o := range need.Options {
		p.say("  %s", o)
	}
}

func (p *Progress) reply(n tree.Node) {
	r, _ := debate.ReplyKind.Of(n)
	s := p.seats[r.Seat]
	if s == nil {
		return
	}
	s.busy, s.state, s.note, s.tokens = false, string(r.State), r.Reason, 0
	s.usage, s.calls, s.steps = s.usage.Add(r.Took()), s.calls+r.Calls, llm.Usage{}
	s.took += time.Duration(r.MS) * time.Millisecond
	if p.live {
		p.draw(true)
		return
	}
	text := fmt.Sprintf("  %s: %s %s in %s", s.title, r.Act, r.State, out.Seconds(time.Duration(r.MS)*time.Millisecond))
	if r.Reason != "" {
		text += " (" + r.Reason + ")"
	}
	if n.At.Before(p.began.Add(-time.Second)) {
		text += ", from the record"
	}
	p.say("%s", text)
}

// done takes the live lines off the screen.
func (p *Progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.a.Out.Above.Store(nil)
	p.erase()
	p.live = false
}

func (p *Progress) erase() {
	if p.drawn > 0 {
		p.a.Out.Err.Raw(fmt.Sprintf("\x1b[%dA", p.drawn))
	}
	if p.drawn >= 0 {
		p.a.Out.Err.Raw("\r\x1b[J")
	}
	p.drawn = -1
}

// draw paints the live lines, not more often than the eye can follow unless now says so.
func (p *Progress) draw(now bool) {
	if !p.live || len(p.order) == 0 || !now && time.Since(p.last) < FrameEvery {
		return
	}
	p.last = time.Now()
	p.width = out.Columns(os.Stderr) // it may have changed
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s\n", p.paint("1", p.stage), out.Seconds(time.Since(p.began)))
	for _, id := range p.order {
		b.WriteString(p.line(p.seats[id]) + "\n")
	}
	p.replace(b.String(), len(p.order)+1)
}

// replace draws the live lines anew, with the person's line below them.
func (p *Progress) replace(text string, lines int) {
	back := ""
	if p.input != nil {
		l := *p.input
		if clean := p.a.Out.Clean(string(l.Text)); clean != string(l.Text) { // whole: a part of a secret is not known as one
			l.Text = []rune(clean)
			l.At = len(l.Text)
		}
		shown, at := l.Shown(p.width - 3)
		if shown == "" {
			shown = p.paint("2", out.Clip("Tell the seats something, or type /help", p.width-3))
		}
		text, back = text+"> "+shown, fmt.Sprintf("\r\x1b[%dC", at+2)
	}
	p.erase()
	p.a.Out.Err.Raw(text + back)
	p.drawn = lines
}

func (p *Progress) line(s *seatLine) string {
	took := s.took
	if s.busy {
		took += time.Since(s.since)
	}
	tokens := ""
	used := s.usage.Add(s.steps)
	if n := used.Total() + s.tokens; n > 0 {
		tokens = out.Thousands(n) + " tok"
	}
	money := ""
	if used.Total() > 0 {
		money = debate.Money(used, 1)
	}
	text := fmt.Sprintf("  %-20s %-10s %9s %16s %8s  %s", out.Clip(s.title, 20), s.state, tokens, money, out.Seconds(took), s.note)
	if p.width < 68 {
		name := max(6, p.width-24)
		text = fmt.Sprintf("  %-*s %-10s %8s", name, out.Clip(s.title, name), s.state, out.Seconds(took))
	}
	text = out.Clip(p.a.Out.Clean(clean.Line(text)), p.width-1)
	switch s.state {
	case string(debate.Answered):
		return p.paint("32", text)
	case string(debate.Broken), string(debate.TimedOut), string(debate.Unusable), string(debate.Wrote), string(debate.Late):
		return p.paint("31", text)
	}
	return text
}

func (p *Progress) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
