package turns

import (
	"context"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A background job outlives the turn that started it, and what it does is recorded while that turn, another one or none
// moves the branch. While its own turn runs, it joins that; afterwards the one that runs then. Between turns only what a
// turn holds the conversation for may move the branch: a record hangs beside it, and the next turn learns what it brought.

// add records nodes below where the turn is. It is safe for concurrent use.
func (w *turn) add(ctx context.Context, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	w.growing.Lock()
	defer w.growing.Unlock()
	if w.ended {
		return w.late(ctx, nodes)
	}
	return w.append(ctx, nodes)
}

func (w *turn) append(ctx context.Context, nodes []tree.Node) error {
	if err := w.lib.talks.GrowFrom(ctx, &w.t, w.at, !w.op.Aside, nodes...); err != nil {
		return err
	}
	w.at = nodes[len(nodes)-1].ID
	return nil
}

// end records how the turn ended. What its jobs do from then on is no longer part of it.
func (w *turn) end(ctx context.Context, reply tree.Node) error {
	w.growing.Lock()
	defer w.growing.Unlock()
	err := w.append(ctx, []tree.Node{reply})
	w.ended = true
	w.leave()
	return err
}

// leave makes it no longer the turn that jobs join.
func (w *turn) leave() {
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	if d := w.lib.desk(w.t.Root); d.now == w {
		d.now = nil
	}
}

// over says whether the turn has ended.
func (w *turn) over() bool {
	w.growing.Lock()
	defer w.growing.Unlock()
	return w.ended
}

// late records what a job did after its turn.
func (w *turn) late(ctx context.Context, nodes []tree.Node) error {
	brings := talk.Strangers(nodes)
	w.lib.mu.Lock()
	d := w.lib.desk(w.t.Root)
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
func (w *turn) begin() (owed []tree.Node) {
	if w.op.Aside {
		return nil
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	d := w.lib.desk(w.t.Root)
	d.now = w
	if d.owed {
		d.owed = false
		w.sees.Store(true)
		owed = append(owed, talk.JudgeKind.New("", "code", talk.Judged{Call: "job", Tool: "job_start", Verdict: "allow", Reason: "a background job has read untrusted text since the last turn", Brings: true}))
	}
	return owed
}

// saw notes that this conversation has read what strangers wrote, for jobs that outlive the turn.
func (w *turn) saw() {
	w.sees.Store(true)
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	w.lib.desk(w.t.Root).seen = true
}

// strangers says whether what may be sent now could carry what a stranger's text asked for.
func (w *turn) strangers() bool {
	if w.sees.Load() {
		return true
	}
	if !w.over() {
		return false
	}
	w.lib.mu.Lock()
	defer w.lib.mu.Unlock()
	return w.lib.desk(w.t.Root).seen
}

// here is the node the turn is at.
func (w *turn) here() tree.ID {
	w.growing.Lock()
	defer w.growing.Unlock()
	return w.at
}

// derived are the files that calls wrote after the model was shown what strangers wrote: they may repeat it.
func (w *turn) derived(ran []agent.Ran) (paths []string) {
	if !w.strangers() {
		return nil
	}
	for _, r := range ran {
		for _, name := range r.Output.Wrote {
			paths = append(paths, filepath.Join(w.t.Dir, filepath.FromSlash(name)))
		}
	}
	return paths
}

// fetched keeps which files came from outside, and which were derived, so that later conversations know.
func (w *turn) fetched(derived []string) error {
	since, before := w.fetching.take()
	if w.lib.wiring.Guard.Fetched == nil {
		return nil
	}
	if !since.IsZero() {
		derived = append(derived, since.Changed(w.t.Dir)...)
	}
	return w.lib.wiring.Guard.Fetched(w.t.Dir, derived, before, !since.IsZero())
}
