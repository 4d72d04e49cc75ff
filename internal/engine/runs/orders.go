package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Hold stops a run, whichever process executes it: no step begins any more, and with Cancel those at work stop at once.
// Advance resumes it. Hold does not need the lock, which the run's own process has.
type Hold struct {
	Run    string
	Cancel bool
}

// Do implements engine.Op.
func (op Hold) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return root, err
	}
	verb := map[bool]string{false: "pause", true: "cancel"}[op.Cancel]
	if !l.Running(op.Run) && s.State != work.Open && !s.UnderWay() {
		return root, &engine.Refusal{Message: "run " + op.Run + " is not running: it is " + string(s.State),
			Hint: "see it: socrates work show " + op.Run}
	}
	_, err = l.store.Append(ctx, record.OrderKind.New(root, "person", record.Order{Verb: verb}))
	return root, err
}

// errCancelled ends a run that a person cancelled.
var errCancelled = errors.New("a person cancelled the run")

// withOrders executes a run and applies the orders that a person gives after seq, from any process: a cancelled run ends, and a paused one
// is told so.
func (l *Library) withOrders(ctx context.Context, root tree.ID, seq int64, execute func(ctx context.Context,
	paused func() bool) error) error {
	held, cancel := context.WithCancelCause(ctx)
	var paused atomic.Bool
	var watching sync.WaitGroup
	watching.Go(func() {
		// It ends with held, which is cancelled below.
		for n, err := range l.engine.Watch(held, root, seq) {
			if err != nil {
				return
			}
			if n.Node == nil {
				continue
			}
			if w, ok := record.OrderKind.Of(*n.Node); ok && w.Verb == "pause" {
				paused.Store(true)
			} else if ok && w.Verb == "cancel" {
				cancel(errCancelled)
			}
		}
	})
	err := execute(held, paused.Load)
	cancelled := errors.Is(context.Cause(held), errCancelled)
	cancel(nil)
	watching.Wait()
	if !cancelled {
		return err
	}
	_, s, err := l.byRoot(ctx, root)
	if err == nil && s.State != work.Cancelled { // what was at work ended after the order
		_, err = l.store.Append(ctx, record.EndKind.New(root, "code", record.Ended{State: string(work.Cancelled), Head: s.Head}))
	}
	return err
}

// Decide records a person's order about a step; Advance continues from there.
type Decide struct {
	Run   string
	Order record.Order
}

// Do implements engine.Op.
func (op Decide) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	t, w := s.Task(op.Order.Task), op.Order
	switch {
	case !slices.Contains([]string{"approve", "retry", "skip", "reassign"}, w.Verb):
		return root, &engine.Refusal{Message: fmt.Sprintf("unknown action %q for a step", w.Verb),
			Hint: "approve, retry, skip or reassign it"}
	case t == nil:
		return root, &engine.Refusal{Message: fmt.Sprintf("run %s has no step %q", op.Run, w.Task),
			Hint: "see its steps: socrates work show " + op.Run}
	case t.State == work.Done:
		return root, &engine.Refusal{Message: "step " + w.Task + " is already merged"}
	case w.Verb == "approve" && t.State != work.Person:
		return root, &engine.Refusal{Message: "step " + w.Task + " does not wait for approval: it is " + string(t.State),
			Hint: "try it again: socrates work retry " + op.Run + " " + w.Task}
	case w.Verb == "retry" && t.State != work.Failed && t.State != work.Person && t.State != work.Skipped:
		return root, &engine.Refusal{Message: "step " + w.Task + " has not failed: it is " + string(t.State),
			Hint: "continue the run: socrates work resume " + op.Run}
	}
	switch w.Verb {
	// The approval is for the change the person saw, not for one that a later attempt makes.
	case "approve":
		w.Commit = t.Change
	case "reassign":
		o := s.Options() // a copy: this only checks whether the executor can do the step
		if err := l.wiring.Settle(ctx, s.Frame.Dir, &o, []plan.Task{{Executor: w.Executor}}); err != nil {
			return root, err
		}
	}
	_, err = l.store.Append(ctx, record.OrderKind.New(root, "person", w))
	return root, err
}

// Died lists the runs of a project whose process ended in the middle of them, the newest first; dir empty: all.
func (l *Library) Died(ctx context.Context, dir string) ([]Info, error) {
	all, err := l.List(ctx, dir)
	return slices.DeleteFunc(all, func(r Info) bool { return !r.Died }), err
}

// Retake takes over a run whose process died: it continues here, or is paused until a person resumes it. A run that was continued
// automatically before and failed is paused in any case: it may be what its process died of.
type Retake struct {
	Run    string
	Resume bool
}

// Do implements engine.Op.
func (op Retake) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return root, err
	}
	if op.Resume && s.UnderWay() && !s.Found {
		return e.Do(ctx, Advance{Run: op.Run, found: true})
	}
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if !s.UnderWay() { // another process completed it in the meantime
		return root, nil
	}
	_, err = l.store.Append(ctx, record.EndKind.New(root, "code", record.Ended{State: string(work.Paused), Head: s.Head, Died: true}))
	if err != nil {
		return root, err
	}
	return root, tellTalks(ctx, l, root)
}
