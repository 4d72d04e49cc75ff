package conversation

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Diff is the difference between two nodes of a tree. If Kept is false, Files and Patch are empty because a state is
// not known, and not because nothing differs.
type Diff struct {
	Common tree.Node   // the last node of both paths
	A, B   []tree.Node // the nodes after it
	Files  []snapshot.Change
	Patch  string // from the files at A to those at B
	Kept   bool   // the files of both are known
}

// Diff compares two nodes of a tree: what was said since their paths parted, and how the files differ.
func (l *Library) Diff(ctx context.Context, t Tree, a, b tree.ID) (Diff, error) {
	one, err := l.store.Path(ctx, a)
	if err != nil {
		return Diff{}, err
	}
	two, err := l.store.Path(ctx, b)
	if err != nil {
		return Diff{}, err
	}
	n := 0
	for n < len(one) && n < len(two) && one[n].ID == two[n].ID {
		n++
	}
	if n == 0 {
		return Diff{}, &engine.Refusal{Message: "the two nodes belong to different conversations"}
	}
	out := Diff{Common: one[n-1], A: one[n:], B: two[n:]}
	from, to := latest(one).Tree, latest(two).Tree
	// The states are equal, or none is kept anywhere: there is nothing to compare.
	if from == to || l.files.Keeper == nil {
		out.Kept = from != ""
		return out, nil
	}
	before, err := l.base(ctx, t, one[:n], out.A, out.B)
	if err != nil {
		return out, err
	}
	if from == "" {
		from = before
	}
	if to == "" {
		to = before
	}
	if from == "" || to == "" {
		return out, nil
	}
	k, err := l.files.Keeper(ctx, t.Dir)
	if err != nil {
		return out, err
	}
	if out.Files, err = k.Diff(ctx, from, to); err != nil {
		return out, err
	}
	out.Kept = true
	out.Patch, err = k.Patch(ctx, from, to)
	return out, err
}

// base is the state of the files where two paths part, if no node before it records one: their state before the first
// change on either path.
func (l *Library) base(ctx context.Context, t Tree, ways ...[]tree.Node) (string, error) {
	for _, way := range ways {
		for _, n := range way {
			if s, ok := margin.SnapKind.Of(n); ok && s.Why != "restoring" {
				return s.Tree, nil
			}
		}
	}
	s, err := l.firstSnap(ctx, t.Root)
	return s.Tree, err
}
