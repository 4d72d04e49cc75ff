package eval

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// tally shows on stderr how far an evaluation is: a live line in a terminal, a line for every tenth elsewhere.
type tally struct {
	mu       sync.Mutex // over all that follows
	a        *commands
	live     bool
	began    time.Time
	drawn    time.Time
	came     int // outcomes
	expects  int
	recorded int64
	right    int
	earlier  int // outcomes that were there before
	usage    llm.Usage
	calls    int
}

// newTally shows an evaluation whose nodes up to recorded were there before this process went on with it.
func newTally(a *commands, recorded int64) *tally {
	t := &tally{a: a, live: a.Out.Format == "text" && out.IsTerminal(os.Stderr), began: time.Now(), recorded: recorded}
	tell := t.tell
	a.Out.Above.Store(&tell)
	return t
}

// tell writes a line of its own above the live one.
func (t *tally) tell(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	fmt.Fprint(t.a.Out.Err, out.Fit(os.Stderr, text, ""))
	t.draw()
}

// node takes in one committed node.
func (t *tally) node(n tree.Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch n.Kind {
	case string(contest.PlanKind):
		p, _ := contest.PlanKind.Of(n)
		t.a.Out.Room, t.expects = p.Name, p.Expected()
		t.say("Evaluation " + p.Name)
	case string(contest.ChosenKind):
		c, _ := contest.ChosenKind.Of(n)
		if c.Samples > 0 {
			t.say("  sc, fuse: " + c.String())
		} else {
			t.say("  the best single model: " + c.Best)
		}
	case string(debate.ReplyKind):
		r, _ := debate.ReplyKind.Of(n)
		t.usage, t.calls = t.usage.Add(r.Took()), t.calls+r.Calls
	case string(contest.OutcomeKind):
		o, _ := contest.OutcomeKind.Of(n)
		if t.came++; o.Right {
			t.right++
		}
		if n.Seq <= t.recorded {
			t.earlier++
		}
		if tenth := max(1, t.expects/10); !t.live && (t.came%tenth == 0 || t.came == t.expects) {
			t.say("  " + t.line())
		}
	}
	if t.live && time.Since(t.drawn) >= room.FrameEvery {
		t.erase()
		t.draw()
	}
}

func (t *tally) line() string {
	text := fmt.Sprintf("%d of %d answers, %d right, %s tokens", t.came, t.expects, t.right, out.Thousands(t.usage.Total()))
	if t.usage.USD > 0 {
		text += ", " + debate.Money(t.usage, t.calls)
	}
	text += ", " + out.Seconds(time.Since(t.began))
	if t.earlier > 0 {
		text += fmt.Sprintf(" (%d recorded earlier)", t.earlier)
	}
	return text
}

func (t *tally) say(text string) {
	t.erase()
	fmt.Fprint(t.a.Out.Err, out.Fit(os.Stderr, text+"\n", "    "))
	t.draw()
}

func (t *tally) erase() {
	if t.live && !t.drawn.IsZero() {
		t.a.Out.Err.Raw("\r\x1b[K")
	}
}

func (t *tally) draw() {
	if t.live && t.expects > 0 {
		t.drawn = time.Now()
		t.a.Out.Err.Raw(out.Clip(t.line(), out.Columns(os.Stderr)-1))
	}
}

// done takes the live line off the screen.
func (t *tally) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.a.Out.Above.Store(nil)
	t.erase()
	t.live = false
}
