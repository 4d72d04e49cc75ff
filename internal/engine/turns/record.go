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

// recorder is a turn's place in its conversation, and records what happens there.
//
// A background job outlives the turn that started it, and what it does is recorded while that turn, another one or none
// moves the branch. While its own turn runs, it records there; afterwards in whichever turn is running. Between turns
// nothing may move the branch, since no turn holds the conversation: a record is then a node beside the branch, and the
// next turn learns what it brought.
type recorder struct {
	lib              *Library
	t                conversation.Tree
	aside            bool         // the branch does not move
	inTask           bool         // the turn is a task within a turn
	said             tree.ID      // the message that the turn answers, under which growing text is published
	broughtUntrusted atomic.Bool  // a call that was allowed may have brought untrusted text, written by strangers
	tainted          atomic.Bool  // the model was shown untrusted text
	waited           atomic.Int64 // nanoseconds spent waiting for the person

	asking sync.Mutex // held while the person is asked: one question at a time

	mu    sync.Mutex // guards at, the branch's head in t, and ended
	at    tree.ID    // the parent of the next node
	ended bool
}

// add records nodes below the turn's current node. It is safe for concurrent use.
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

// append records nodes below the turn's current node. The caller holds mu.
func (w *recorder) append(ctx context.Context, nodes []tree.Node) error {
	if err := w.lib.talks.GrowFrom(ctx, &w.t, w.at, !w.aside, nodes...); err != nil {
		return err
	}
	w.at = nodes[len(nodes)-1].ID
	return nil
}

// end records how the turn ended. What its jobs do from then on no longer belongs to it.
func (w *recorder) end(ctx context.Context, reply tree.Node) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.append(ctx, []tree.Node{reply})
	// Even if the reply could not be recorded: the turn is over either way.
	w.ended = true
	w.leave()
	return err
}

// leave ends the turn's role as the one that jobs join.
func (w *recorder) leave() {
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	if d := w.lib.state(w.t.Root); d.running == w {
		d.running = nil
	}
}

// isOver reports whether the turn has ended.
func (w *recorder) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// addLate records what a job did after its turn. It goes to the turn that is running, so that its model sees it; if
// there is none, it is added where its own turn ended.
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

// begin makes this the turn that jobs join, and returns nodes that the branch lacks from the time between turns.
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

// taint records that this conversation has read untrusted text, also for jobs that outlive the turn.
func (w *recorder) taint() {
	w.tainted.Store(true)
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	w.lib.state(w.t.Root).tainted = true
}

// isTainted reports whether what is sent now could execute instructions from untrusted text. After a job's turn, what
// the conversation has read since counts for the job as well: the next turn may read its output.
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

// here is the turn's current node.
func (w *recorder) here() tree.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// wait tells watchers that nothing grows until a time, and why.
func (w *recorder) wait(note, text string, until time.Time) {
	if w.inTask {
		text = ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: "waiting", Note: note, Text: text, Until: until.Round(0)})
}

// publish shows watchers the growing text under the message.
func (w *recorder) publish(state, note, text string) { w.grows(state, note, text, "") }

// grows is publish with the model's reasoning as far as it is shown.
func (w *recorder) grows(state, note, text, thought string) {
	if w.inTask {
		state, note, text, thought = "running", "task: "+cmp.Or(note, state), "", ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: state, Note: note, Text: text, Usage: len(text) / 4,
		Thought: thought})
}
