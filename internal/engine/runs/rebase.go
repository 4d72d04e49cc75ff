package runs

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Rebase moves what a run has merged onto the project's current commit, where each step is checked again. Steps that do not fit the new
// commits are done again.
type Rebase struct{ Run string }

// Do implements engine.Op.
func (op Rebase) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	if err := rebase(ctx, l, root, s, unlock); err != nil {
		unlock()
		return root, err
	}
	return root, nil
}

// rebase does not change the project: commits are made in the run's own store.
func rebase(ctx context.Context, l *Library, root tree.ID, s work.Status, unlock func()) error {
	space, err := l.Space(ctx, s)
	if err != nil {
		return err
	}
	repo, err := git.Open(s.Frame.Dir)
	if err != nil {
		return err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	base := s.Begun.Base
	switch {
	case head.Hash == base.Head:
		return &engine.Refusal{Message: "the project has not moved since run " + s.Frame.Run + " began: nothing to rebase onto"}
	case head.Hash == s.Head:
		return &engine.Refusal{Message: "the project already has the result of run " + s.Frame.Run}
	case base.Commit != base.Head:
		return &engine.Refusal{Message: "run " + s.Frame.Run + " began with uncommitted changes: it cannot be rebased",
			Hint: "create a branch for it: socrates work accept --branch " + s.Frame.Run}
	}
	if err := requireOwn(l, s, root); err != nil {
		return err
	}
	seq, err := l.store.Version(ctx)
	if err != nil {
		return err
	}
	start(ctx, l, root, seq, unlock, func(ctx context.Context, paused func() bool) error {
		return l.move(ctx, root, space, repo, head.Hash, paused)
	})
	return nil
}

// move moves the merged steps, then continues with the steps that are left.
func (l *Library) move(ctx context.Context, root tree.ID, space *workspace.Space, repo git.Repo, onto string, paused func() bool) error {
	if err := space.Know(ctx, repo, onto); err != nil {
		return err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	r := &work.Run{Space: space, Check: l.wiring.Check}
	if err := r.Move(ctx, journalOf(l, nodes), onto); err != nil {
		return err
	}
	nodes, s, err := l.byRoot(ctx, root)
	// Steps that no longer fit are left again, and agents do them as the first time.
	if err != nil || len(s.Left()) == 0 {
		return err
	}
	total, err := budgetOf(ctx, l, s, nodes)
	if err != nil {
		return err
	}
	return l.conduct(ctx, nodes, s.Way.Manner(way.Execute), space, total, paused)
}
