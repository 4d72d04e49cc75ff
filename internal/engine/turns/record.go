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

// trail is where a turn is in its conversation, and records what happens there.
//
// A background job outlives the turn that started it, and what it does is recorded while that turn, another one or none
// moves the branch. While its own turn runs, it joins that; afterwards the one that runs then. Between turns only what a
// turn holds the conversation for may move the branch: a record hangs beside it, and the next turn learns what it brought.
type trail struct {
	lib     *Library
	t       conversation.Tree
	aside   bool         // the branch stays where it is
	inner   bool         // it is a task's, within a turn
	said    tree.ID      // what the turn answers, and what grows is told under
	brought atomic.Bool  // a call that was let may have brought what strangers wrote
	sees    atomic.Bool  // the model was shown such
	waited  atomic.Int64 // nanoseconds that the person was waited for

	asking sync.Mutex // held while the person is asked: one question at a time

	mu    sync.Mutex // guards at, the branch's head in t, and ended
	at    tree.ID    // the node the next one hangs from
	ended bool
}

// add records nodes below where the turn is. It is safe for concurrent use.
func (w *trail) add(ctx context.Context, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return w.late(ctx, nodes)
	}
	return w.append(ctx, nodes)
}

// append does so. The caller holds mu.
func (w *trail) append(ctx context.Context, nodes []tree.Node) error {
	if err := w.lib.talks.GrowFrom(ctx, &w.t, w.at, !w.aside, nodes...); err != nil {
		return err
	}
	w.at = nodes[len(nodes)-1].ID
	return nil
}

// end records how the turn ended. What its jobs do from then on is no longer part of it.
func (w *trail) end(ctx context.Context, reply tree.Node) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.append(ctx, []tree.Node{reply})
	// Also if the reply could not be recorded: the turn is over either way.
	w.ended = true
	w.leave()
	return err
}

// leave makes it no longer the turn that jobs join.
func (w *trail) leave() {
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	if d := w.lib.state(w.t.Root); d.now == w {
		d.now = nil
	}
}

// over says whether the turn has ended.
func (w *trail) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// late records what a job did after its turn.
// It goes to the turn that runs now, so that its model hears of it; without one it hangs where its own turn ended.
func (w *trail) late(ctx context.Context, nodes []tree.Node) error {
	brings := view.Strangers(nodes)
	w.lib.mu.Lock()
	d := w.lib.state(w.t.Root)
	now := d.now
	if brings {
		d.seen = true
		d.owed = d.owed || now == nil
	}
	w.lib.mu.Unlock()
	if now == nil {
		return w.lib.talks.GrowFrom(ctx, &w.t, w.at, false, nodes...)
	}
	if brings {
		now.brought.Store(true)
	}
	return now.add(ctx, nodes...)
}

// begin makes this the turn that jobs join, and returns what is owed to the branch from the time between turns.
func (w *trail) begin() (owed []tree.Node) {
	if w.aside || w.inner {
		return nil
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	d := w.lib.state(w.t.Root)
	d.now = w
	if d.owed {
		d.owed = false
		w.sees.Store(true)
		owed = append(owed, talk.JudgeKind.New("", "code", talk.Judged{Call: "job", Tool: "job_start", Verdict: "allow", Brings: true,
			Reason: "a background job has read untrusted text since the last turn"}))
	}
	return owed
}

// saw notes that this conversation has read what strangers wrote, for jobs that outlive the turn.
func (w *trail) saw() {
	w.sees.Store(true)
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	w.lib.state(w.t.Root).seen = true
}

// strangers says whether what may be sent now could carry what a stranger's text asked for.
// After its turn, what the conversation has seen since counts for a job as well: its output may be read by whoever
// comes next.
func (w *trail) strangers() bool {
	if w.sees.Load() {
		return true
	}
	if !w.over() {
		return false
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	return w.lib.state(w.t.Root).seen
}

// here is the node the turn is at.
func (w *trail) here() tree.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// wait tells watchers that nothing grows until then, and why.
func (w *trail) wait(note, text string, until time.Time) {
	if w.inner {
		text = ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: "waiting", Note: note, Text: text, Until: until.Round(0)})
}

// publish tells watchers what grows under what was said.
func (w *trail) publish(state, note, text string) { w.grows(state, note, text, "") }

// grows does so with what the model has shown of its reasoning.
func (w *trail) grows(state, note, text, thought string) {
	if w.inner {
		state, note, text, thought = "running", "task: "+cmp.Or(note, state), "", ""
	}
	w.lib.core.Feed.Publish(feed.Snapshot{Root: w.t.Root, Of: w.said, State: state, Note: note, Text: text, Usage: len(text) / 4,
		Thought: thought})
}
