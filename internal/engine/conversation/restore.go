package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// latest is the last known state of the files on a path; if its Tree is empty, none is known. After a restoration that was not completed
// it is what the files were to become.
func latest(path []tree.Node) margin.Snap {
	for _, n := range slices.Backward(path) {
		if s, ok := margin.SnapKind.Of(n); ok {
			s.Tree = cmp.Or(s.Goal, s.Tree)
			return s
		}
	}
	return margin.Snap{}
}

// RestoreFiles moves a conversation to t.Head, coming from another node, and restores the files to their state there. The caller holds
// the conversation's lock. moving is the change that moves it; it is stored together with the state of the files, before the first file is
// touched: whoever finds the conversation moved finds what became of the files, whenever the process ended. If no file has to change, or
// no state is known there, only the conversation moves. On an error before that it stays where it was.
func (l *Library) RestoreFiles(ctx context.Context, t *Tree, from tree.ID, moving store.Change) error {
	f, err := stateAt(ctx, l, t, from)
	if err != nil {
		return err
	}
	if f.to.Tree == "" {
		return move(ctx, l, t, from, moving, false)
	}
	return l.takeBack(ctx, t, f, false, moving)
}

// stateAt is what has to be done to the files to have them as at the tree's head, coming from another node. If to has no Tree, that is not
// known, or there is nothing to do.
func stateAt(ctx context.Context, l *Library, t *Tree, from tree.ID) (f filed, err error) {
	was, err := l.store.Path(ctx, from)
	if err != nil {
		return f, err
	}
	now, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return f, err
	}
	if from == t.Head {
		return stateHere(ctx, l, t, now)
	}
	var to margin.Snap
	if i := slices.IndexFunc(was, func(n tree.Node) bool { return n.ID == t.Head }); i >= 0 {
		ahead := was[unchanged(was[:i+1]):]
		for i, n := range ahead {
			s, ok := margin.SnapKind.Of(n)
			if finished := i+1 < len(ahead) && finishes(ahead[i+1], n.ID); !ok || s.Why == "restoring" && finished {
				continue
			}
			if to = s; s.Why == "restoring" {
				to.Tree = s.Goal
			}
			break // the state before the nodes ahead changed the files, with the person's edits
		}
		if to.Tree == "" {
			return f, nil
		}
	} else if to = latest(now); to.Tree == "" {
		if to, err = l.firstSnap(ctx, t.Root); err != nil || to.Tree == "" {
			return f, err
		}
	}
	f = filed{to: to, on: to.Branch}
	if last := latest(was); last.Tree != "" {
		f.on, f.steps = last.Branch, between(now, was)
	}
	return f, nil
}

// between is what the conversation changed on two paths since they part: only these files differ because of it. The last step ends with the
// last known state on the second path.
func between(one, two []tree.Node) []snapshot.Step {
	parts := 0
	for parts < min(len(one), len(two)) && one[parts].ID == two[parts].ID {
		parts++
	}
	last := latest(two).Tree
	steps, _ := stepsFrom(one, parts)
	more, open := stepsFrom(two, parts)
	steps = append(steps, more...)
	if open != "" {
		return append(steps, snapshot.Step{Before: open}) // interrupted: what it changed is not known
	}
	return append(steps, snapshot.Step{Before: last, After: last})
}

// stepsFrom is what turns and restorations changed that end behind the first nodes of a path, and the state before a change that began
// there and has not ended.
func stepsFrom(path []tree.Node, first int) (steps []snapshot.Step, open string) {
	before := ""
	for i, n := range path {
		s, ok := margin.SnapKind.Of(n)
		var now []snapshot.Step
		switch {
		case !ok:
			continue
		case s.Why == "before":
			if before = s.Tree; i >= first {
				open = before
			}
			continue
		case s.Why == "restored" && cmp.Or(s.Kept, s.Was) != "":
			now = []snapshot.Step{{Before: cmp.Or(s.Kept, s.Was), After: s.Tree}}
		case s.Why == "restoring":
			for _, step := range s.Steps {
				now = append(now, snapshot.Step{Before: step[0], After: step[1]})
			}
		case s.Why == "after" && before != "":
			now, before, open = []snapshot.Step{{Before: before, After: s.Tree}}, "", ""
		}
		if i >= first {
			steps = append(steps, now...)
		}
	}
	return steps, open
}

// mostElsewhere is how many other ends of a conversation are searched for changes, the newest first.
const mostElsewhere = 20

// stateHere is what has to be done to the files that turns on other branches changed to have them as at the head of this one, for a head
// that was reached without restoring files. Files that only the person changed stay.
func stateHere(ctx context.Context, l *Library, t *Tree, now []tree.Node) (f filed, err error) {
	to := latest(now)
	if to.Tree == "" {
		if to, err = l.firstSnap(ctx, t.Root); err != nil || to.Tree == "" {
			return f, err
		}
	}
	f = filed{to: to, on: to.Branch}
	if to.Goal != "" { // interrupted, or something was in the way: the same again
		for _, s := range to.Steps {
			f.steps = append(f.steps, snapshot.Step{Before: s[0], After: s[1]})
		}
		return f, nil
	}
	leaves, err := l.Leaves(ctx, *t)
	if err != nil {
		return f, err
	}
	for _, leaf := range leaves[max(0, len(leaves)-mostElsewhere):] {
		path, err := l.store.Path(ctx, leaf.ID)
		if err != nil {
			return f, err
		}
		if last := latest(path); leaf.ID != t.Head && last.Tree != "" && last.Tree != to.Tree {
			f.on, f.steps = last.Branch, append(f.steps, between(now, path)...)
		}
	}
	if len(f.steps) == 0 {
		return filed{}, nil
	}
	return f, nil
}

// Brought is the restoration of files by the last op, if it restored any: that is always its last node. The zero value: none.
func (t Tree) Brought(ctx context.Context, l *Library) (margin.Snap, error) {
	path, err := l.Path(ctx, t.Head)
	if err != nil || len(path) == 0 {
		return margin.Snap{}, err
	}
	if s, ok := margin.SnapKind.Of(path[len(path)-1]); ok && s.Why == "restored" {
		return s, nil
	}
	return margin.Snap{}, nil
}

// unchanged is the length of the path without the state saved for the next change, if that change is not on the path.
func unchanged(path []tree.Node) int {
	for i, n := range slices.Backward(path) {
		if s, ok := margin.SnapKind.Of(n); ok && s.Why == "before" {
			return i
		} else if ok || n.Kind == string(talk.ExchangeKind) {
			break
		}
	}
	return len(path)
}

// firstSnap is the state of the files before anything in a tree changed them.
func (l *Library) firstSnap(ctx context.Context, root tree.ID) (margin.Snap, error) {
	n, err := l.store.First(ctx, root, string(margin.SnapKind))
	if errors.Is(err, store.ErrNotFound) {
		return margin.Snap{}, nil
	}
	s, _ := margin.SnapKind.Of(n)
	return s, err
}

// takeBack restores files and records it. With careful it refuses if that would overwrite changes that somebody made
// since, on another branch of the repository.
//
// It adds two nodes to the branch: one before the first file is touched, with the state that is about to be lost, and
// one with what was done. If only the first exists, the restore was interrupted, and filings says how to continue. moving
// is stored with the first, or with the second if no file has to change.
func (l *Library) takeBack(ctx context.Context, t *Tree, f filed, careful bool, moving store.Change) error {
	if l.files.Keeper == nil {
		return &engine.Refusal{Message: "file snapshots are not available here"}
	}
	k, err := l.files.Keeper(ctx, t.Dir)
	if err != nil {
		return err
	}
	s := margin.Snap{Why: "restored", By: f.by, Undid: f.node, Branch: f.to.Branch, Beyond: f.beyond}
	s.Head, s.On, s.Commits = since(ctx, t.Dir, f.to)
	elsewhere := s.On != "" && s.On != f.on
	// The state is recorded first: otherwise an interruption would lose what a person edited.
	var unstored error
	r, err := k.Restore(ctx, f.to.Tree, f.steps, careful && elsewhere, func(now string) error {
		n := margin.SnapKind.New("", "code", margin.Snap{Why: "restoring", Tree: now, Goal: f.to.Tree, Steps: pairs(f.steps), Undid: f.node,
			Branch: s.Branch, On: s.On})
		s.Began = n.ID
		unstored = grow(ctx, l, t, moving, t.Head, true, []tree.Node{n})
		moving = store.Change{}
		return unstored
	})
	if unstored != nil {
		return unstored
	} else if edited, ok := errors.AsType[*snapshot.Edited](err); ok {
		return &engine.Refusal{Message: "branch " + s.On + " has other versions of " + strings.Join(edited.Files, ", "),
			Hint: "the changes were made on another branch; switch to it first: git switch " + cmp.Or(f.on, "--detach COMMIT")}
	} else if errors.Is(err, snapshot.ErrUnknown) {
		return &engine.Refusal{Message: "the file snapshot of that point no longer exists",
			Hint: "socrates tree prune deletes old snapshots; the files were left unchanged", Err: err}
	} else if err != nil {
		return fmt.Errorf("restore the files, some of which may be restored already (to finish: %s): %w",
			told.Finish(t.Name, t.Branch), err)
	}
	s.Stays = came(r.Outside, f.to)
	s.Tree, s.Kept, s.Files, s.Removed, s.Edited, s.Left = r.Tree, r.Kept, r.Files, r.Removed, r.Edited, r.Left
	if len(told.Blocked(s)) > 0 {
		s.Goal, s.Steps = f.to.Tree, pairs(f.steps)
	}
	if n := len(f.steps); n > 0 && len(r.Files) > 0 {
		s.Was = f.steps[n-1].After
	}
	return grow(ctx, l, t, moving, t.Head, true, []tree.Node{margin.SnapKind.New("", "code", s)})
}

// pairs are steps as they are recorded.
func pairs(steps []snapshot.Step) (all [][2]string) {
	for _, s := range steps {
		all = append(all, [2]string{s.Before, s.After})
	}
	return all
}

// came returns the ignored files that exist now and did not exist at a state.
func came(there []string, was margin.Snap) (names []string) {
	if was.Why == "" || was.Why == "restored" { // which files were ignored then is not known
		return nil
	}
	for _, left := range there {
		if name, ignored := strings.CutSuffix(left, ": ignored"); ignored && !slices.Contains(was.Left, left) {
			names = append(names, name)
		}
	}
	return names
}

// mostCommits is how many commits a person is shown.
const mostCommits = 10

// since describes a state in terms of git: the commit that its branch would be at without the commits since; the branch
// that is checked out, if it is another one by now, and then no such commit; and the commits since, newest first, as
// "hash subject". Restoring files does not move a person's refs, so these commits stay. The result only informs: if git
// cannot tell, it stays empty, with no effect on the files.
func since(ctx context.Context, dir string, was margin.Snap) (head, other string, commits []string) {
	repo, err := git.Open(dir)
	if err != nil {
		return "", "", nil
	}
	if now, err := repo.Head(ctx); err == nil && now.Branch == was.Branch {
		head = was.Head
	} else if err == nil {
		other = now.Branch
	}
	if was.Head == "" {
		return head, other, nil
	}
	all, _ := repo.Since(ctx, was.Head, mostCommits+1)
	for i, c := range all {
		if i == mostCommits {
			commits = append(commits, "and more before these")
			break
		}
		commits = append(commits, git.Head{Hash: c.Hash}.Short()+" "+clean.Line(c.Subject))
	}
	return head, other, commits
}
