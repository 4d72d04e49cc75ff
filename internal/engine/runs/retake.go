package runs

import (
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Died lists the runs of a project whose process ended in the middle of them, the newest first; dir empty: of all.
func (l *Library) Died(ctx context.Context, dir string) ([]Info, error) {
	all, err := l.List(ctx, dir)
	return slices.DeleteFunc(all, func(r Info) bool { return !r.Died }), err
}

// Retake takes over a run whose process died: it goes on here, or is paused until a person resumes it. One that went on by itself before
// and came to nothing is paused in any case: it may have been what its process died of.
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
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if !s.UnderWay() { // another process brought it to its end meanwhile
		return root, nil
	}
	_, err = l.store.Append(ctx, record.EndKind.New(root, "code", record.Ended{State: string(work.Paused), Head: s.Head, Died: true}))
	return root, err
}
