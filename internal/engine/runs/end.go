package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Delete moves runs to the trash and removes their workspaces. One whose result is in no repository of the person's is refused
// unless it is forced; one that runs is refused always.
type Delete struct {
	Run    string
	Forced bool
}

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	defer l.core.Sweep(ctx)
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	if s.Begun != nil && !op.Forced {
		if s.Head != s.Begun.Base.Commit && (s.Taken == nil || s.Taken.Commit != s.Head) {
			return root, &engine.Refusal{Message: "run " + op.Run + " has merged work that was not accepted; nothing was deleted",
				Hint: "accept it: socrates work accept " + op.Run + "; or delete it anyway: --force"}
		}
		if left, err := os.ReadDir(filepath.Join(s.Begun.Space, "tasks")); err == nil && len(left) > 0 {
			return root,
				&engine.Refusal{Message: "the work in " + left[0].Name() + " is not merged; nothing was deleted",
					Hint: "look at it: socrates work open " + op.Run + "; or delete it anyway: --force"}
		}
	}
	ref, err := l.store.Ref(ctx, refs+op.Run)
	if err != nil {
		return root, err
	}
	if err := l.store.Discard(ctx, "person", ref); err != nil {
		return root, err
	}
	if s.Begun == nil {
		return root, nil
	}
	return root, workspace.RemoveAll(s.Begun.Space)
}

// Accept brings the result of a run into the project: by fast-forward of the branch that is checked out, or as a new branch. It never
// writes over uncommitted work.
type Accept struct {
	Run     string
	Branch  string // the branch to make; empty: fast-forward
	Partial bool   // also if steps are left
	Squash  bool   // as one commit
	Merge   bool   // with a merge commit on top
}

// Do implements engine.Op.
func (op Accept) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	space, err := l.Space(ctx, s)
	if err != nil {
		return root, err
	}
	if s.Head == s.Begun.Base.Commit && s.Head == s.Begun.Base.Head {
		return root, &engine.Refusal{Message: "run " + op.Run + " has merged nothing", Hint: "see why: socrates work show " + op.Run}
	}
	if left := s.Left(); len(left) > 0 && !op.Partial {
		return root, &engine.Refusal{Message: fmt.Sprintf("step %s is %s; nothing was accepted", left[0].ID, left[0].State),
			Hint: "accept what is merged: --partial; see why: socrates work show " + op.Run}
	}
	how, err := bring(ctx, space, s, op)
	if err != nil {
		return root, err
	}
	if _, err = l.store.Append(ctx, record.AcceptKind.New(root, "person", record.Taken{Commit: s.Head, How: how})); err != nil {
		return root, err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return root, err
	}
	return root, l.tellTable(ctx, nodes)
}

func bring(ctx context.Context, space *workspace.Space, s work.Status, op Accept) (how string, err error) {
	repo, err := git.Open(s.Frame.Dir)
	if err != nil {
		return "", err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	base := s.Begun.Base.Head
	if _, err := repo.Resolve(ctx, base); err != nil {
		return "", &engine.Refusal{Message: "the commit the run began with is no longer in the repository", Err: err}
	}
	elsewhere := "as a branch: socrates work accept " + op.Run + " --branch " + op.Run
	commit, as, err := shape(ctx, space, s, op)
	if err != nil {
		return "", err
	}
	if op.Branch != "" {
		if err := space.Branch(ctx, repo, base, commit, op.Branch); err != nil {
			return "", &engine.Refusal{Message: "cannot make the branch " + op.Branch + ": " + err.Error(), Hint: "choose another name"}
		}
		return "branch " + op.Branch + as, nil
	}
	if head.Hash == s.Head { // a process that was killed had done it
		return "fast-forward", nil
	}
	if head.Hash != base {
		return "", &engine.Refusal{Message: fmt.Sprintf("the project is at %s by now, the run began at %s; nothing was accepted",
			head.Short(), base[:12]),
			Hint: "put the result on top of that commit: socrates work rebase " + op.Run + "; or accept it " + elsewhere}
	}
	entries, err := repo.Status(ctx, "")
	if err != nil {
		return "", err
	}
	for _, en := range entries {
		if en.State != "??" {
			return "", &engine.Refusal{Message: "the project has uncommitted changes (" + en.Name + "); nothing was accepted",
				Hint: "commit or stash them, or accept the result " + elsewhere}
		}
	}
	if err := space.FastForward(ctx, repo, base, commit); err != nil {
		return "", &engine.Refusal{Message: "git does not fast-forward: " + err.Error(), Hint: "accept the result " + elsewhere, Err: err}
	}
	return "fast-forward" + as, nil
}

// shape is the commit to be brought: the branch as it is, one commit of all of it, or a merge of it.
func shape(ctx context.Context, space *workspace.Space, s work.Status, op Accept) (commit, as string, err error) {
	if !op.Squash && !op.Merge {
		return s.Head, "", nil
	}
	of, err := space.Tree(ctx, s.Head)
	if err != nil {
		return "", "", err
	}
	parents, as := []string{s.Begun.Base.Head}, " to one commit"
	if op.Merge {
		parents, as = append(parents, s.Head), " to a merge"
	}
	commit, err = space.Commit(ctx, of, s.Message(), parents...)
	return commit, as, err
}
