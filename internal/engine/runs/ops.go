package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Plan records a plan as a run that has not begun.
type Plan struct {
	Dir, Name string // of the project; of the run, made up from the title if empty
	Plan      plan.Plan
	Text      string   // as it was written
	By, Asked string   // who wrote it; what it was asked for
	Allow     []string // commands that the person lets its checks run
}

// Do implements engine.Op.
func (op Plan) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if op.Name != "" && (!tree.CleanName(op.Name) || len(op.Name) > 40) {
		return "", &engine.Refusal{Message: fmt.Sprintf("invalid run name %q", op.Name),
			Hint: "use lowercase letters, digits and dashes, at most 40"}
	}
	text, err := l.store.PutBlob(ctx, op.Text)
	if err != nil {
		return "", err
	}
	for try := 1; ; try++ {
		id := tree.NewID()
		name := op.Name
		if name == "" {
			name = tree.NameFor(op.Plan.Title, "run", id)
		}
		root := record.FrameKind.New("", "person", record.Frame{Run: name, Dir: op.Dir, Plan: op.Plan, Text: text, By: op.By,
			Asked: op.Asked, Allow: op.Allow})
		root.ID = id
		_, err := l.store.AppendTo(ctx, refs+name, "", id, root)
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, store.ErrMoved) && op.Name != "":
			return "", &engine.Refusal{Message: "run " + name + " already exists", Hint: "see it: socrates work show " + name}
		case !errors.Is(err, store.ErrMoved) || try == engine.NameTries:
			return "", err
		}
	}
}

// Execute begins a run, or goes on with it. What was done is not done again.
type Execute struct {
	Run     string
	Options *record.Options // of a run that begins; nil: it has begun
}

// Do implements engine.Op.
func (op Execute) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return "", err
	}
	unlock, err := l.lock(ctx, op.Run)
	if err != nil {
		return root, err
	}
	if err := l.execute(ctx, op, root, s, unlock); err != nil {
		unlock()
		return root, err
	}
	return root, nil
}

func (l *Library) lock(ctx context.Context, run string) (func(), error) {
	return l.core.Lock(ctx, "run-"+run, &engine.Refusal{Message: "another process is carrying out run " + run,
		Hint: "see its progress: socrates work status " + run})
}

func (l *Library) execute(ctx context.Context, op Execute, root tree.ID, s work.Status, unlock func()) error {
	var space *workspace.Space
	var err error
	if s.Begun == nil {
		if op.Options == nil {
			return &engine.Refusal{Message: "run " + op.Run + " has not begun", Hint: "carry it out: socrates execute " + op.Run}
		}
		if space, err = l.begin(ctx, root, s.Frame, *op.Options); err != nil {
			return err
		}
	} else if space, err = l.Space(ctx, s); err != nil {
		return err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err == nil {
		err = l.store.Readable(nodes)
	}
	if err != nil {
		return err
	}
	l.core.Start(ctx, root, nodes[len(nodes)-1].Seq, func(ctx context.Context, _ *engine.Job) error {
		defer unlock()
		return l.conduct(ctx, nodes, space)
	})
	return nil
}

// begin makes the folder of a run, then records that it has begun.
func (l *Library) begin(ctx context.Context, root tree.ID, f record.Frame, o record.Options) (*workspace.Space, error) {
	folder, err := l.wiring.Folder()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(folder, f.Run)
	if err := workspace.RemoveAll(dir); err != nil { // the process that was making it is gone, and nobody has worked in it
		return nil, err
	}
	space, base, err := workspace.Make(ctx, f.Dir, dir, o.Changes)
	if err != nil {
		return nil, &engine.Refusal{Message: err.Error(), Hint: "a run needs a git repository with a commit"}
	}
	_, err = l.store.Append(ctx, record.BeginKind.New(root, "person", record.Begun{Key: "begin", Options: o, Base: base, Space: dir}))
	return space, err
}

// Decide records a person's word about a task; Execute goes on from there.
type Decide struct {
	Run  string
	Word record.Word
}

// Do implements engine.Op.
func (op Decide) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	unlock, err := l.lock(ctx, op.Run)
	if err != nil {
		return "", err
	}
	defer unlock()
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return "", err
	}
	t, w := s.Task(op.Word.Task), op.Word
	switch {
	case t == nil:
		return root, &engine.Refusal{Message: fmt.Sprintf("run %s has no step %q", op.Run, w.Task),
			Hint: "see its steps: socrates work show " + op.Run}
	case t.State == work.Done:
		return root, &engine.Refusal{Message: "step " + w.Task + " is merged already"}
	case w.Verb == "approve" && t.State != work.Person:
		return root, &engine.Refusal{Message: "step " + w.Task + " does not wait for approval: it is " + string(t.State),
			Hint: "try it again: socrates work retry " + op.Run + " " + w.Task}
	case w.Verb == "retry" && t.State != work.Failed && t.State != work.Person && t.State != work.Skipped:
		return root, &engine.Refusal{Message: "step " + w.Task + " has not failed: it is " + string(t.State),
			Hint: "go on with the run: socrates work resume " + op.Run}
	}
	if w.Verb == "approve" {
		w.Commit = t.Change
	}
	_, err = l.store.Append(ctx, record.WordKind.New(root, "person", w))
	return root, err
}

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
	unlock, err := l.lock(ctx, op.Run)
	if err != nil {
		return "", err
	}
	defer unlock()
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return "", err
	}
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
}

// Do implements engine.Op.
func (op Accept) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	unlock, err := l.lock(ctx, op.Run)
	if err != nil {
		return "", err
	}
	defer unlock()
	root, s, err := l.Status(ctx, op.Run)
	if err != nil {
		return root, err
	}
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
	_, err = l.store.Append(ctx, record.AcceptKind.New(root, "person", record.Taken{Commit: s.Head, How: how}))
	return root, err
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
	if op.Branch != "" {
		if err := space.Branch(ctx, repo, base, s.Head, op.Branch); err != nil {
			return "", &engine.Refusal{Message: "cannot make the branch " + op.Branch + ": " + err.Error(), Hint: "choose another name"}
		}
		return "branch " + op.Branch, nil
	}
	if head.Hash == s.Head { // a process that was killed had done it
		return "fast-forward", nil
	}
	if head.Hash != base {
		return "", &engine.Refusal{Message: fmt.Sprintf("the project is at %s by now, the run began at %s; nothing was accepted",
			head.Short(), base[:12]),
			Hint: "go back to that commit, or accept the result " + elsewhere}
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
	if err := space.FastForward(ctx, repo, base, s.Head); err != nil {
		return "", &engine.Refusal{Message: "git does not fast-forward: " + err.Error(), Hint: "accept the result " + elsewhere, Err: err}
	}
	return "fast-forward", nil
}
