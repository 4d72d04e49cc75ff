package runs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Hold stops a run, whichever process carries it out: nothing begins any more, and with Cancel what is at work stops at once. Advance
// goes on with it.
// It needs no lock, which the run's own process has.
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

// holding executes a run and applies what a person says of it after seq, in whichever process: a cancelled run ends, and a paused one
// is told so.
func (l *Library) holding(ctx context.Context, root tree.ID, seq int64, execute func(ctx context.Context, paused func() bool) error) error {
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
	if err == nil && s.State != work.Cancelled { // what was at work came to its end after the order
		_, err = l.store.Append(ctx, record.EndKind.New(root, "code", record.Ended{State: string(work.Cancelled), Head: s.Head}))
	}
	return err
}
