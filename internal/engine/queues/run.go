package queues

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/queue"
)

// Run executes the prompts of a project's queue, one after the other, until none waits, a person stops it, or too many failed in a row. A
// prompt whose run was interrupted comes first; nothing is done twice.
type Run struct{ Dir string }

// Do implements engine.Op.
func (op Run) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, q, err := l.of(ctx, op.Dir)
	if err != nil {
		return root, err
	}
	if q.Next() == nil {
		return root, &engine.Refusal{Message: "no prompt is waiting in this project", Hint: `add one: socrates work queue add "…"`}
	}
	unlock, err := l.core.Lock(ctx, lock(op.Dir), &engine.Refusal{Message: "another process is working through this queue",
		Hint: "see its progress: socrates work queue list"})
	if err != nil {
		return root, err
	}
	seq, err := l.store.Version(ctx)
	// The order "run" cancels an earlier "stop".
	if err == nil {
		_, err = l.store.Append(ctx, queue.OrderKind.New(root, "person", queue.Order{Verb: "run"}))
	}
	if err != nil {
		unlock()
		return root, err
	}
	l.core.Start(ctx, root, seq, func(ctx context.Context, _ *engine.Job) error {
		defer unlock()
		return l.all(ctx, root)
	})
	return root, nil
}

// all executes prompts until none is left. The queue is reread before each: persons may add, drop and stop in the meantime.
func (l *Library) all(ctx context.Context, root tree.ID) error {
	for {
		q, err := l.read(ctx, root)
		if err != nil {
			return err
		}
		item := q.Next()
		if q.Stopped || q.Broken() || item == nil {
			return nil
		}
		if item.Run == "" { // the run's name is recorded before it begins, so that it never begins twice
			id := tree.NewID()
			item.Run = tree.NameFor("", fmt.Sprintf("prompt-%d", item.Number), id)
			begun := queue.BeginKind.New(root, "code", queue.Begun{Number: item.Number, Run: item.Run})
			if _, err := l.store.Append(ctx, begun); err != nil {
				return err
			}
			continue // a person may have stopped the queue before this was recorded: from now on they see what they stop
		}
		end := queue.Ended{Number: item.Number, Run: item.Run}
		// A cancelled job records no end, so the prompt is continued next time.
		if end.State, end.Why, err = l.advance(ctx, q.Dir, *item); context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		if undecided, ok := errors.AsType[*runs.Undecided](err); ok {
			end.State, end.Why = string(work.Person), undecided.Error()
		} else if err != nil {
			end.State, end.Why = string(work.Failed), err.Error()
		}
		if _, err := l.store.Append(ctx, queue.EndKind.New(root, "code", end)); err != nil {
			return err
		}
	}
}

// advance runs a prompt's run through its phases, and returns its state and the step it waits for or failed at.
func (l *Library) advance(ctx context.Context, dir string, item queue.Item) (state, why string, err error) {
	op := runs.Advance{Run: item.Run}
	_, s, err := runs.In(l.engine).Status(ctx, item.Run)
	// The run never began, or was deleted: begin it under the recorded name.
	if errors.Is(err, store.ErrNotFound) {
		begin := runs.Begin{Dir: dir, Name: item.Run, Asked: item.Text}
		if item.Data != "" {
			if begin.Data, err = l.store.Named(ctx, item.Data); err != nil {
				return "", "", err
			}
		}
		_, err = l.engine.Do(ctx, begin)
	}
	if err != nil {
		return "", "", err
	}
	if len(s.Way.Phases) == 0 {
		op.Way = &item.Way
	}
	root, err := l.engine.Do(ctx, op)
	if err == nil {
		err = l.engine.Wait(root)
	}
	if err != nil {
		return "", "", err
	}
	_, s, err = runs.In(l.engine).Status(ctx, item.Run)
	for _, t := range s.Tasks {
		if why == "" && t.State != work.Done && t.Reasons() != "" {
			why = "step " + t.ID + ": " + t.Reasons()
		}
	}
	return string(s.State), why, err
}

// Stop makes a queue begin no more prompts, in whichever process it runs. With Now it also cancels the current run.
type Stop struct {
	Dir string
	Now bool
}

// Do implements engine.Op.
func (op Stop) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, _, err := l.of(ctx, op.Dir)
	if err != nil {
		return root, err
	}
	if !l.core.Held(lock(op.Dir)) {
		return root, &engine.Refusal{Message: "this queue is not running", Hint: "see it: socrates work queue list"}
	}
	if _, err := l.store.Append(ctx, queue.OrderKind.New(root, "person", queue.Order{Verb: "stop"})); err != nil {
		return root, err
	}
	if op.Now {
		err = l.cancel(ctx, op.Dir, root)
	}
	return root, err
}

// cancelEvery is the interval of attempts to cancel a run that is about to begin.
const cancelEvery = 20 * time.Millisecond

// cancel cancels the run of the current prompt, which may be about to begin.
func (l *Library) cancel(ctx context.Context, dir string, root tree.ID) error {
	for l.core.Held(lock(dir)) {
		q, err := l.read(ctx, root)
		if err != nil {
			return err
		}
		i := q.Next()
		if i == nil || i.State != queue.Working {
			return nil
		}
		_, err = l.engine.Do(ctx, runs.Hold{Run: i.Run, Cancel: true})
		if r := (*engine.Refusal)(nil); !errors.As(err, &r) {
			return err
		}
		select { // the run has just ended, or has not begun
		case <-time.After(cancelEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
