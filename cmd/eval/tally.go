package eval

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// tally shows the progress of an evaluation on stderr: a live line in a terminal, a line for every tenth elsewhere.
// Others who write to the terminal go through tell, as with cmd/call/room's progress; one line is enough here.
type tally struct {
	mu       sync.Mutex // guards all fields below
	a        *commands
	live     bool
	began    time.Time
	drawn    time.Time
	contest  scene.Contest
	recorded int64
	earlier  int // outcomes recorded before this process
}

// drawEvery is the shortest time between two redraws.
const drawEvery = 80 * time.Millisecond

// newTally shows an evaluation whose nodes up to recorded existed before this process continued it.
func newTally(a *commands, recorded int64) *tally {
	t := &tally{a: a, live: a.Out.Format == "text" && out.IsTerminal(os.Stderr) && !a.Out.Quiet, began: time.Now(), recorded: recorded}
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

// node applies one committed node. Nodes that were recorded before count as earlier, so the rate that a person sees
// is the current one.
func (t *tally) node(n tree.Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.contest
	switch b := c.Node(n).(type) {
	case contest.Plan:
		t.a.Out.Room = c.Name
		t.say("Evaluation " + c.Name)
	case contest.Chosen:
		if b.Samples > 0 {
			t.say("  sc, fuse: " + b.String())
		} else {
			t.say("  the best single model: " + b.Best)
		}
	case contest.Outcome:
		if n.Seq <= t.recorded {
			t.earlier++
		}
		if tenth := max(1, c.Expects/10); !t.live && (c.Came%tenth == 0 || c.Came == c.Expects) {
			t.say("  " + t.line())
		}
	}
	// Answers may come faster than a terminal draws.
	if t.live && time.Since(t.drawn) >= drawEvery {
		t.erase()
		t.draw()
	}
}

// line describes the progress: answers, how many are right, tokens, money, time.
func (t *tally) line() string {
	c := t.contest
	text := fmt.Sprintf("%d of %d answers, %d right, %s tokens", c.Came, c.Expects, c.Right, out.Thousands(c.Usage.Total()))
	if c.Usage.USD > 0 {
		text += ", " + debate.Money(c.Usage, c.Calls)
	}
	text += ", " + out.Seconds(time.Since(t.began))
	if t.earlier > 0 {
		text += fmt.Sprintf(" (%d recorded earlier)", t.earlier)
	}
	return text
}

// say writes a permanent line. The caller holds the lock.
func (t *tally) say(text string) {
	if t.a.Out.Quiet {
		return
	}
	t.erase()
	fmt.Fprint(t.a.Out.Err, out.Fit(os.Stderr, text+"\n", "    "))
	t.draw()
}

// erase removes the live line to make room for other output.
func (t *tally) erase() {
	if t.live && !t.drawn.IsZero() {
		t.a.Out.Err.Raw("\r\x1b[K")
	}
}

// draw writes the live line, one column narrower than the terminal: a full line would wrap.
func (t *tally) draw() {
	if t.live && t.contest.Expects > 0 {
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
