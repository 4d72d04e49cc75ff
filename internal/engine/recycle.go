package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// DeleteTree moves conversations to the trash, all or none. One that is at work is refused.
type DeleteTree struct{ Trees []string }

func (op DeleteTree) do(ctx context.Context, e *Engine) (tree.ID, error) {
	defer e.sweep(ctx)
	var first tree.ID
	var refs []tree.Ref
	for i, name := range op.Trees {
		if slices.Contains(op.Trees[:i], name) {
			continue
		}
		t, err := e.OpenTree(ctx, name)
		if err != nil {
			return "", err
		}
		if _, err := e.store.Ref(ctx, store.TrashRefs+treeRefs+t.Name); err == nil {
			return "", &Refusal{Message: "the trash already contains another tree named " + t.Name + "; nothing was deleted",
				Hint: "rename this one first: socrates tree rename " + t.Name + " NEW"}
		}
		unlock, err := e.lockTree(ctx, t.Name)
		if err != nil {
			return "", err
		}
		defer unlock()
		its, err := e.refsOfTree(ctx, "", t.Name)
		if err != nil {
			return "", err
		}
		if refs = append(refs, its...); first == "" {
			first = t.Root
		}
	}
	err := e.store.Discard(ctx, "person", refs...)
	if errors.Is(err, store.ErrMoved) {
		err = &Refusal{Message: "another process has just changed one of them; nothing was deleted", Hint: "try again", Err: err}
	}
	return first, err
}

// refsOfTree are the refs of a conversation; prefix stands before their names.
func (e *Engine) refsOfTree(ctx context.Context, prefix, name string) ([]tree.Ref, error) {
	ref, err := e.store.Ref(ctx, prefix+treeRefs+name)
	if err != nil {
		return nil, err
	}
	out := []tree.Ref{ref}
	for _, kind := range []string{branchRefs, labelRefs} {
		more, err := e.store.Refs(ctx, prefix+kind+name+"/", "")
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// RestoreTree takes a conversation out of the trash. It is as it was.
type RestoreTree struct{ Tree string }

func (op RestoreTree) do(ctx context.Context, e *Engine) (tree.ID, error) {
	refs, err := e.refsOfTree(ctx, store.TrashRefs, op.Tree)
	if err != nil {
		return "", notFound("tree "+op.Tree+" in the trash", "list them: socrates tree list --deleted", err)
	}
	var names []string
	for _, r := range refs {
		names = append(names, strings.TrimPrefix(r.Name, store.TrashRefs))
	}
	if err := e.store.Restore(ctx, names...); errors.Is(err, store.ErrMoved) {
		return "", &Refusal{Message: "another tree is now named " + op.Tree, Hint: "rename that one first: socrates tree rename " + op.Tree + " NEW", Err: err}
	} else if err != nil {
		return "", err
	}
	t, err := e.OpenTree(ctx, op.Tree)
	return t.Root, err
}

// DeletedTree is a conversation in the trash.
type DeletedTree struct {
	TreeInfo
	At    time.Time `json:"deleted"`
	Until time.Time `json:"until"` // it can be taken back
}

// TreeTrash lists the conversations in the trash, the last deleted first.
func (e *Engine) TreeTrash(ctx context.Context) ([]DeletedTree, error) {
	tips, err := e.store.Tips(ctx, store.TrashRefs+treeRefs)
	if err != nil {
		return nil, err
	}
	out := []DeletedTree{}
	for _, tip := range tips {
		r, ok := beginning(tip.Root)
		if !ok {
			continue
		}
		name := strings.TrimPrefix(tip.Ref.Name, store.TrashRefs+treeRefs)
		branches, err := e.store.Refs(ctx, store.TrashRefs+branchRefs+name+"/", "")
		if err != nil {
			return nil, err
		}
		d := DeletedTree{TreeInfo{Name: name, Dir: r.Dir, Branches: len(branches), Began: tip.Root.At, Last: tip.Head.At}, tip.Head.At, tip.Head.At.Add(TrashTime)}
		if d.Title, err = e.title(ctx, tip.Root.ID); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return out, e.store.Lost(ctx, store.TrashRefs+treeRefs, "deleted conversations")
	}
	return out, nil
}

// RenameTree gives a conversation another name.
type RenameTree struct{ Tree, Name string }

func (op RenameTree) do(ctx context.Context, e *Engine) (tree.ID, error) {
	if !tree.CleanName(op.Name) {
		return "", &Refusal{Message: fmt.Sprintf("invalid tree name %q", op.Name), Hint: "use lowercase letters, digits and dashes, at most 64"}
	}
	t, err := e.OpenTree(ctx, op.Tree)
	if err != nil || op.Name == t.Name {
		return t.Root, err
	}
	for _, name := range []string{min(t.Name, op.Name), max(t.Name, op.Name)} { // in one order, whoever else renames
		unlock, err := e.lockTree(ctx, name)
		if err != nil {
			return t.Root, err
		}
		defer unlock()
	}
	refs, err := e.refsOfTree(ctx, "", t.Name)
	if err != nil {
		return t.Root, err
	}
	var names []string
	for _, r := range refs {
		kind, rest, _ := strings.Cut(r.Name, "/")
		names = append(names, kind+"/"+op.Name+strings.TrimPrefix(rest, t.Name))
	}
	if err = e.store.Rename(ctx, refs, names); errors.Is(err, store.ErrMoved) {
		err = &Refusal{Message: "tree " + op.Name + " already exists", Hint: "choose another name", Err: err}
	}
	return t.Root, err
}
