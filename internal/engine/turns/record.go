package turns

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recorder is where a turn is in its conversation, and records what happens there.
//
// A background job outlives the turn that started it, and what it does is recorded while that turn, another one or none
// moves the branch. While its own turn runs, it joins that; afterwards the one that runs then. Between turns only what a
// turn holds the conversation for may move the branch: a record hangs beside it, and the next turn learns what it brought.
type recorder struct {
	lib              *Library
	t                conversation.Tree
	aside            bool         // the branch stays where it is
	inTask           bool         // it is a task's, within a turn
	said             tree.ID      // what the turn answers, and what grows is told under
	broughtUntrusted atomic.Bool  // a call that was allowed may have brought untrusted text, which strangers wrote
	tainted          atomic.Bool  // the model was shown untrusted text
	waited           atomic.Int64 // nanoseconds that the person was waited for

	asking sync.Mutex // held while the person is asked: one question at a time

	mu    sync.Mutex // guards at, the branch's head in t, and ended
	at    tree.ID    // the node the next one hangs from
	ended bool
}

// add records nodes below where the turn is. It is safe for concurrent use.
func (w *recorder) add(ctx context.Context, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return w.addLate(ctx, nodes)
	}
	return w.append(ctx, nodes)
}

// append does so. The caller holds mu.
func (w *recorder) append(ctx context.Context, nodes []tree.Node) error {
	if err := w.lib.talks.GrowFrom(ctx, &w.t, w.at, !w.aside, nodes...); err != nil {
		return err
	}
	w.at = nodes[len(nodes)-1].ID
	return nil
}

// end records how the turn ended. What its jobs do from then on is no longer part of it.
func (w *recorder) end(ctx context.Context, reply tree.Node) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.append(ctx, []tree.Node{reply})
	// Also if the reply could not be recorded: the turn is over either way.
	w.ended = true
	w.leave()
	return err
}

// leave makes it no longer the turn that jobs join.
func (w *recorder) leave() {
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	if d := w.lib.state(w.t.Root); d.running == w {
		d.running = nil
	}
}

// isOver says whether the turn has ended.
func (w *recorder) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// addLate records what a job did after its turn.
// It goes to the turn that runs now, so that its model hears of it; without one it hangs where its own turn ended.
func (w *recorder) addLate(ctx context.Context, nodes []tree.Node) error {
	brings := view.Strangers(nodes)
	w.lib.mu.Lock()
	d := w.lib.state(w.t.Root)
	now := d.running
	if brings {
		d.tainted = true
		d.unrecordedTaint = d.unrecordedTaint || now == nil
	}
	w.lib.mu.Unlock()
	if now == nil {
		return w.lib.talks.GrowFrom(ctx, &w.t, w.at, false, nodes...)
	}
	if brings {
		now.broughtUntrusted.Store(true)
	}
	return now.add(ctx, nodes...)
}

// begin makes this the turn that jobs join, and returns what is owed to the branch from the time between turns.
func (w *recorder) begin() (owed []tree.Node) {
	if w.aside || w.inTask {
		return nil
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	d := w.lib.state(w.t.Root)
	d.running = w
	if d.unrecordedTaint {
		d.unrecordedTaint = false
		w.tainted.Store(true)
		owed = append(owed, talk.JudgeKind.New("", "code", talk.Judged{Call: "job", Tool: "job_start", Verdict: "allow", Brings: true,
			Reason: "a background job has read untrusted text since the last turn"}))
	}
	return owed
}

// taint notes that this conversation has read untrusted text, for jobs that outlive the turn, too.
func (w *recorder) taint() {
	w.tainted.Store(true)
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	w.lib.state(w.t.Root).tainted = true
}

// isTainted says whether what may be sent now could carry out what untrusted text asked for.
// After its turn, what the conversation has seen since counts for a job as well: its output may be read by whoever
// comes next.
func (w *recorder) isTainted() bool {
	if w.tainted.Load() {
		return true
	}
	if !w.isOver() {
		return false
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	return w.lib.state(w.t.Root).tainted
}

// here is the node the turn is at.
func (w *recorder) here() tree.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// wait tells watchers that nothing grows until then, and why.
func (w *recorder) wait(note, text string, until time.Time) {
	if w.inTask {
		text = ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: "waiting", Note: note, Text: text, Until: until.Round(0)})
}

// publish tells watchers what grows under what was said.
func (w *recorder) publish(state, note, text string) { w.grows(state, note, text, "") }

// grows does so with what the model has shown of its reasoning.
func (w *recorder) grows(state, note, text, thought string) {
	if w.inTask {
		state, note, text, thought = "running", "task: "+cmp.Or(note, state), "", ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: state, Note: note, Text: text, Usage: len(text) / 4,
		Thought: thought})
}
