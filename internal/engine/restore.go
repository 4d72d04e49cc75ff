package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Undo brings the files of the project back to what they were before the last turn that changed them; the conversation
// stays where it is.
type Undo struct{ Tree string }

func (op Undo) do(ctx context.Context, e *Engine) (tree.ID, error) {
	t, unlock, err := e.holdTree(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	defer unlock()
	path, err := e.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	turns := talk.Turns(path)
	for i := len(turns) - 1; i >= 0; i-- {
		if s, ok := changed(path[turns[i]:]); ok {
			return t.Root, e.restoreTo(ctx, &t, s, latest(path).Tree)
		}
		path = path[:turns[i]]
	}
	return t.Root, &Refusal{Message: "nothing was changed in this conversation that could be undone"}
}

// changed is the state of the files before a turn, if it changed them or was broken off while it did.
func changed(turn []tree.Node) (before talk.Snap, ok bool) {
	all := talk.SnapKind.All(turn)
	all = slices.DeleteFunc(all, func(s talk.Snap) bool { return s.Why == "restored" })
	if len(all) == 0 || len(all)%2 == 0 && !slices.ContainsFunc(all, func(s talk.Snap) bool { return s.Tree != all[0].Tree }) {
		return talk.Snap{}, false
	}
	return all[0], true
}

// Redo takes the last bringing back of files on the branch back: they become what they were then, with what a person had
// changed in them. Done twice it changes nothing.
type Redo struct{ Tree string }

func (op Redo) do(ctx context.Context, e *Engine) (tree.ID, error) {
	t, unlock, err := e.holdTree(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	defer unlock()
	path, err := e.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	for _, s := range slices.Backward(talk.SnapKind.All(path)) {
		if was := cmp.Or(s.Kept, s.Was); s.Why == "restored" && was != "" {
			return t.Root, e.restoreTo(ctx, &t, talk.Snap{Tree: was}, latest(path).Tree)
		}
	}
	return t.Root, &Refusal{Message: "no files were brought back on this branch"}
}

// latest is the last known state of the files on a path; that of an empty Tree: none is known.
func latest(path []tree.Node) talk.Snap {
	for _, n := range slices.Backward(path) {
		if s, ok := talk.SnapKind.Of(n); ok {
			return s
		}
	}
	return talk.Snap{}
}

// restore brings the files to what they were at the tree's head, coming from another node.
func (e *Engine) restore(ctx context.Context, t *Tree, from tree.ID) error {
	was, err := e.store.Path(ctx, from)
	if err != nil {
		return err
	}
	now, err := e.store.Path(ctx, t.Head)
	if err != nil {
		return err
	}
	var to talk.Snap
	if i := slices.IndexFunc(was, func(n tree.Node) bool { return n.ID == t.Head }); i >= 0 {
		ahead := talk.SnapKind.All(was[unchanged(was[:i+1]):])
		if len(ahead) == 0 {
			return nil
		}
		to = ahead[0] // what they were before what lies ahead changed them, a person's edits included
	} else if to = latest(now); to.Tree == "" {
		if to, err = e.firstSnap(ctx, t.Root); err != nil || to.Tree == "" {
			return err
		}
	}
	return e.restoreTo(ctx, t, to, cmp.Or(latest(was).Tree, to.Tree))
}

// unchanged is how far a path goes without the state that was kept for what comes next, if what comes next is not on it.
func unchanged(path []tree.Node) int {
	for i, n := range slices.Backward(path) {
		if s, ok := talk.SnapKind.Of(n); ok && s.Why == "before" {
			return i
		} else if ok || n.Kind == string(talk.ExchangeKind) {
			break
		}
	}
	return len(path)
}

// firstSnap is the state of the files before anything in a tree changed them.
func (e *Engine) firstSnap(ctx context.Context, root tree.ID) (talk.Snap, error) {
	n, err := e.store.First(ctx, root, string(talk.SnapKind))
	if errors.Is(err, store.ErrNotFound) {
		return talk.Snap{}, nil
	}
	s, _ := talk.SnapKind.Of(n)
	return s, err
}

func (e *Engine) restoreTo(ctx context.Context, t *Tree, to talk.Snap, base string) error {
	if e.wiring.Work.Keeper == nil {
		return &Refusal{Message: "files are not kept here"}
	}
	k, err := e.wiring.Work.Keeper(ctx, t.Dir)
	if err != nil {
		return err
	}
	r, err := k.Restore(ctx, to.Tree, base)
	if errors.Is(err, snapshot.ErrUnknown) {
		return &Refusal{Message: "the files as they were there are no longer kept", Hint: "socrates tree prune drops what is old; the files were left as they are", Err: err}
	}
	if err != nil {
		return fmt.Errorf("bring the files back: %w", err)
	}
	s := talk.Snap{Tree: r.Tree, Why: "restored", Left: r.Left, Kept: r.Kept, Files: r.Files}
	if len(r.Files) > 0 {
		s.Was = base
	}
	s.Branch = to.Branch
	s.Head, s.Commits = committed(ctx, t.Dir, to)
	return e.grow(ctx, t, talk.SnapKind.New("", "code", s))
}

// mostCommits is how many commits a person is told of.
const mostCommits = 10

// committed names the commits since a state, newest first, as "hash subject", and the one its branch is to be at without
// them; none, if another branch is checked out by now.
// Files that are brought back move no ref of a person, so these stay. What git cannot tell is no reason to fail: the
// files are back already.
func committed(ctx context.Context, dir string, was talk.Snap) (head string, all []string) {
	repo, err := git.Open(dir)
	if err != nil || was.Head == "" {
		return "", nil
	}
	commits, err := repo.Since(ctx, was.Head, mostCommits+1)
	if err != nil {
		return "", nil
	}
	for i, c := range commits {
		if i == mostCommits {
			all = append(all, "and more before these")
			break
		}
		all = append(all, git.Head{Hash: c.Hash}.Short()+" "+clean.Line(c.Subject))
	}
	if now, err := repo.Head(ctx); err == nil && now.Branch == was.Branch {
		head = was.Head
	}
	return head, all
}
