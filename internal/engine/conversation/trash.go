package conversation

import (
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Delete moves conversations to the trash, all or none. One that is at work is refused.
type Delete struct{ Trees []string }

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var first tree.ID
	var refs []tree.Ref
	for i, name := range op.Trees {
		if slices.Contains(op.Trees[:i], name) {
			continue
		}
		t, err := l.Open(ctx, name)
		if err != nil {
			return "", err
		}
		// Names in the trash are names, too: Restore needs the one it had.
		if _, err := l.store.Ref(ctx, store.TrashRefs+treeRefs+t.Name); err == nil {
			return "", &engine.Refusal{Message: "the trash already contains another tree named " + t.Name + "; nothing was deleted",
				Hint: "rename this one first: socrates tree rename " + t.Name + " NEW"}
		}
		unlock, err := l.lockTree(ctx, t.Name)
		if err != nil {
			return "", err
		}
		defer unlock()
		its, err := l.refsOfTree(ctx, "", t.Name)
		if err != nil {
			return "", err
		}
		if refs = append(refs, its...); first == "" {
			first = t.Root
		}
	}
	return first, l.core.Discard(ctx, refs)
}

// refsOfTree are the refs of a conversation; prefix stands before their names.
// The error is ErrNotFound if there is no such conversation under the prefix.
func (l *Library) refsOfTree(ctx context.Context, prefix, name string) ([]tree.Ref, error) {
	ref, err := l.store.Ref(ctx, prefix+treeRefs+name)
	if err != nil {
		return nil, err
	}
	out := []tree.Ref{ref}
	for _, kind := range []string{branchRefs, labelRefs} {
		more, err := l.store.Refs(ctx, prefix+kind+name+"/", "")
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// Restore takes a conversation out of the trash. It is as it was.
type Restore struct{ Tree string }

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	refs, err := l.refsOfTree(ctx, store.TrashRefs, op.Tree)
	if err != nil {
		return "", engine.NotFound("tree "+op.Tree+" in the trash", "list them: socrates tree list --deleted", err)
	}
	var names []string
	for _, r := range refs {
		names = append(names, strings.TrimPrefix(r.Name, store.TrashRefs))
	}
	taken := engine.Refusal{Message: "another tree is now named " + op.Tree,
		Hint: "rename that one first: socrates tree rename " + op.Tree + " NEW"}
	if err := l.core.Restore(ctx, taken, names...); err != nil {
		return "", err
	}
	t, err := l.Open(ctx, op.Tree)
	return t.Root, err
}

// Deleted is a conversation in the trash.
type Deleted struct {
	Info
	engine.Trashed
}

// Trash lists the conversations in the trash, the last deleted first.
func (l *Library) Trash(ctx context.Context) ([]Deleted, error) {
	tips, err := l.store.Tips(ctx, store.TrashRefs+treeRefs)
	if err != nil {
		return nil, err
	}
	out := []Deleted{}
	for _, tip := range tips {
		r, ok := beginning(tip.Root)
		if !ok {
			continue
		}
		name := strings.TrimPrefix(tip.Ref.Name, store.TrashRefs+treeRefs)
		branches, err := l.store.Refs(ctx, store.TrashRefs+branchRefs+name+"/", "")
		if err != nil {
			return nil, err
		}
		d := Deleted{Info{Name: name, Dir: r.Dir, Branches: len(branches), Began: tip.Root.At, Last: tip.Head.At},
			engine.NewTrashed(tip.Head)}
		if d.Title, _, err = l.heading(ctx, tip.Root.ID); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return out, l.store.Lost(ctx, store.TrashRefs+treeRefs, "deleted conversations")
	}
	return out, nil
}
