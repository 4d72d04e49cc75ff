package conversation

import (
	"context"
	"errors"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// bin is the trash for conversations, with their branches and labels.
func (l *Library) bin() engine.Bin {
	return engine.Bin{Is: "tree", Refs: treeRefs, Below: []string{branchRefs, labelRefs}, Command: "socrates tree", Renames: true,
		Lock: func(ctx context.Context, name string) (func(), error) { return lockTree(ctx, l, name) },
		Find: func(ctx context.Context, called string) (tree.ID, string, error) {
			t, err := l.Open(ctx, called)
			return t.Root, t.Name, err
		}}
}

// Delete moves conversations to the trash, all or none. It refuses one that is at work.
//
// With a Branch, it deletes that branch of the one conversation, which must not be on it. The nodes that only the
// branch led to are purged with the trash; until then a new branch can begin at one of them.
type Delete struct {
	Trees  []string
	Branch string
}

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if op.Branch == "" {
		return l.bin().Delete(ctx, l.core, op.Trees...)
	}
	if len(op.Trees) != 1 {
		return "", &engine.Refusal{Message: "name the conversation whose branch to delete"}
	}
	t, unlock, err := l.Lock(ctx, op.Trees[0])
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	if op.Branch == t.Branch {
		return t.Root, &engine.Refusal{Message: "branch " + op.Branch + " is the current branch", Hint: "switch to another one first"}
	}
	ref, err := l.store.Ref(ctx, branchRefs+t.Name+"/"+op.Branch)
	if errors.Is(err, store.ErrNotFound) {
		return t.Root, &engine.Refusal{Message: "conversation " + t.Name + " has no branch " + op.Branch, Err: err}
	} else if err != nil {
		return t.Root, err
	}
	return t.Root, l.store.Discard(ctx, "person", ref)
}

// Restore takes a conversation out of the trash, unchanged.
type Restore struct{ Tree string }

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	return l.bin().Restore(ctx, l.core, op.Tree)
}

// Deleted is a conversation in a list, with the time of its deletion if it is in the trash.
type Deleted struct {
	Info
	engine.Trashed
}

// Trash lists the deleted conversations of a folder and those below it (empty: of all), the last deleted first.
func (l *Library) Trash(ctx context.Context, dir string) ([]Deleted, error) {
	return engine.InTrash(ctx, l.core, l.bin(), dir, 0, func(tip store.Tip) (d Deleted, ok bool, err error) {
		r, ok := beginning(tip.Root)
		if !ok || !engine.Below(dir, r.Dir) {
			return d, false, nil
		}
		name := strings.TrimPrefix(tip.Ref.Name, store.TrashRefs+treeRefs)
		branches, err := l.store.Refs(ctx, store.TrashRefs+branchRefs+name+"/", "")
		if err != nil {
			return d, false, err
		}
		d = Deleted{Info{Name: name, Dir: r.Dir, Branches: len(branches), Began: tip.Root.At, Last: tip.Head.At},
			engine.NewTrashed(tip.Head)}
		d.Title, _, err = l.heading(ctx, tip.Root.ID)
		return d, true, err
	})
}
