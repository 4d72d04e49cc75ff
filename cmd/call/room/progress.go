package room

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// progress shows the progress of a debate on stderr: a live line for each seat in a terminal, a line for each step
// elsewhere. Live lines are redrawn in place by moving the cursor up over them, so nobody else may write to the
// terminal meanwhile: other lines go through Out.Above, which is tell. After done the terminal belongs to others
// again.
type progress struct {
	mu     sync.Mutex // guards all fields below
	a      *Rooms
	room   *scene.Room
	live   bool
	quiet  bool // write only what the person must know
	color  bool
	width  int
	began  time.Time
	copies bool          // the notice about copies was shown
	drawn  int           // lines on the screen above the cursor; -1: none
	input  *keyboard.Row // what the person is typing; nil: nobody can type
	last   time.Time
}

// frameEvery is the shortest time between two redraws. Twelve a second look like movement and cost little over a slow
// line.
const frameEvery = 80 * time.Millisecond

// newProgress takes over stderr; done gives it back.
func newProgress(a *Rooms) *progress {
	p := &progress{a: a, room: scene.NewRoom(), began: time.Now(), drawn: -1}
	p.live = a.Out.Format == "text" && out.IsTerminal(os.Stderr) && !a.Out.Quiet
	if p.live {
		p.color = a.Out.Colored(os.Stderr)
	}
	p.quiet = a.Out.Quiet
	tell := p.tell
	a.Out.Above.Store(&tell)
	return p
}

// tell writes lines of their own above the live ones.
func (p *progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put("%s", strings.TrimRight(text, "\n"))
}

// say writes lines about the progress of the debate.
func (p *progress) say(format string, args ...any) {
	if !p.quiet {
		p.put(format, args...)
	}
}

// put writes a permanent line above what is redrawn.
func (p *progress) put(format string, args ...any) {
	text := out.Fit(os.Stderr, p.a.Out.Clean(fmt.Sprintf(format, args...))+"\n", "    ")
	p.erase()
	p.a.Out.Err.Raw(text)
	p.draw(true)
}

// choice reads an answer to a debate that waits for a person to choose; waits is false while none does. Key is empty if the line
// names no option.
func (p *progress) choice(line string) (key, why string, waits bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.room.Need == nil || len(p.room.Need.Options) == 0 {
		return "", "", false
	}
	key, why = motion.Chosen(line, p.room.Options())
	return key, why, true
}

// answers names what a waiting debate can be told.
func (p *progress) answers() string {
	var keys []string
	for _, o := range p.room.Need.Options {
		k, _, _ := strings.Cut(o, ": ")
		keys = append(keys, k)
	}
	return "answer " + strings.Join(keys, " or ") + " and why, or leave it undecided with /go"
}

// asks is shown in the empty line.
func (p *progress) asks() string {
	if p.room.Need != nil && len(p.room.Need.Options) > 0 {
		return strings.ToUpper(p.answers()[:1]) + p.answers()[1:]
	}
	return "Tell the seats something, or type /help"
}

// prompt shows what the person is typing.
func (p *progress) prompt(r keyboard.Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.input = &r
	p.draw(true)
}

// afresh draws the live lines at the cursor, after others wrote below the old ones.
func (p *progress) afresh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawn = -1
	p.draw(true)
}

func (p *progress) seated() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.room.Seats {
		ids = append(ids, s.Info.ID)
	}
	return ids
}

// A snapshot is the newest state of growing text; most are dropped on the way, so nothing may depend on seeing each
// of them.
func (p *progress) snapshot(s feed.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.State == debate.Preparing && s.Of == p.room.Root {
		if !p.live && !p.copies {
			p.say("  %s", s.Note)
		}
		p.copies = true
	}
	if p.room.Growing(map[tree.ID]feed.Snapshot{s.Of: s}) {
		p.draw(false)
	}
}

// node applies one committed node, and returns its body.
func (p *progress) node(n tree.Node) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	body := p.room.Node(n)
	switch b := body.(type) {
	case table.Frame:
		p.say("Room %s", b.Room)
	case exchange.Asked, exchange.Step:
		p.draw(true)
	case exchange.Reply:
		p.reply(n, b)
	case verdict.Check:
		if b.Result == verdict.Fail {
			p.say("  check %s: %s of %s failed: %s", b.ID, b.Kind, b.Claim, b.Detail)
		}
		p.draw(true)
	case ruling.Note:
		p.say("  note: %s", b.Text)
	case people.Applied:
		if b.Refused {
			p.say("  you: %s refused: %s", b.Verb, b.Done)
		} else {
			p.say("  you: %s", b.Done)
		}
	case people.Need:
		p.need(b)
	}
	return body
}

// need calls the person.
// It is written even with --quiet: without an answer the debate waits.
func (p *progress) need(need people.Need) {
	if p.live {
		p.a.Out.Err.Raw("\a")
	}
	p.put("Your input is needed: %s", need.Text)
	for _, o := range need.Options {
		p.put("  %s", o)
	}
}

// reply shows an answer: in the table if there is one, else as a line.
func (p *progress) reply(n tree.Node, r exchange.Reply) {
	if p.live {
		p.draw(true)
		return
	}
	for _, s := range p.room.Seats {
		if s.Info.ID != r.Seat {
			continue
		}
		text := fmt.Sprintf("  %s · %s in %s", s.Info.Title(), scene.Came(r), out.Seconds(time.Duration(r.MS)*time.Millisecond))
		if n.At.Before(p.began.Add(-time.Second)) {
			text += ", from the record"
		}
		p.say("%s", text)
	}
}

// stage names the current stage of the debate, and what a person it waits for can do.
func (p *progress) stage() string {
	switch need := p.room.Need; {
	case need != nil && len(need.Options) == 0:
		return p.room.Stage + ": add what is missing, then /go"
	case need != nil:
		return p.room.Stage + ": type a letter, or /go"
	case p.room.Paused:
		return p.room.Stage + "; /go resumes"
	}
	return p.room.Stage
}

// done takes the live lines off the screen.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.a.Out.Above.Store(nil)
	p.erase()
	p.live = false
}

// erase moves the cursor to the start of the table and clears from there.
func (p *progress) erase() {
	if p.drawn > 0 {
		p.a.Out.Err.Raw(fmt.Sprintf("\x1b[%dA", p.drawn))
	}
	if p.drawn >= 0 {
		p.a.Out.Err.Raw("\r\x1b[J")
	}
	p.drawn = -1
}

// draw paints the live lines, no more often than the eye can follow unless now is set.
func (p *progress) draw(now bool) {
	if !p.live || len(p.room.Seats) == 0 || !now && time.Since(p.last) < frameEvery {
		return
	}
	p.last = time.Now()
	p.width = out.Columns(os.Stderr) // it may have changed
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s\n", p.paint("1", p.stage()), out.Seconds(time.Since(p.began)))
	for _, s := range p.room.Seats {
		b.WriteString(p.line(s) + "\n")
	}
	p.replace(b.String(), len(p.room.Seats)+1)
}

// replace draws the live lines again, with the person's line below them.
// The person's line is cleaned as well: it may hold a pasted secret, and the terminal may be shared.
func (p *progress) replace(text string, lines int) {
	back := ""
	if p.input != nil {
		shown, at := p.input.Cleaned(p.a.Out.Clean).Shown(p.width - 3)
		if shown == "" {
			shown = p.paint("2", out.Clip(p.asks(), p.width-3))
		}
		text, back = text+"> "+shown, fmt.Sprintf("\r\x1b[%dC", at+2)
	}
	p.erase()
	p.a.Out.Err.Raw(text + back)
	p.drawn = lines
}

// line formats a seat in the table. Time that it spent in an earlier process does not count as waiting.
func (p *progress) line(s *scene.Seat) string {
	took := s.Took
	if s.Busy { // a question of an earlier process was not asked just now
		since := s.Since
		if since.Before(p.began) {
			since = p.began
		}
		took += time.Since(since)
	}
	title, tokens := s.Info.Title(), ""
	used := s.Usage.Add(s.Steps)
	if n := used.Total() + s.Tokens; n > 0 && !p.room.Frame.Rehearsal { // rules use no tokens
		tokens = out.Thousands(n) + " tok"
	}
	money := ""
	if used.Total() > 0 {
		money = debate.Money(used, 1)
	}
	text := fmt.Sprintf("  %-20s %-10s %9s %16s %8s  %s", out.Clip(title, 20), s.State, tokens, money, out.Seconds(took), s.Note)
	if p.width < 68 {
		name := max(6, p.width-24)
		text = fmt.Sprintf("  %-*s %-10s %8s", name, out.Clip(title, name), s.State, out.Seconds(took))
	}
	text = out.Clip(p.a.Out.Clean(clean.Line(text)), p.width-1)
	switch s.State {
	case string(exchange.Answered):
		return p.paint("32", text)
	case string(exchange.Broken), string(exchange.TimedOut), string(exchange.Unusable), string(exchange.Wrote), string(exchange.Late):
		return p.paint("31", text)
	}
	return text
}

// paint colours a text if colours are on.
func (p *progress) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
