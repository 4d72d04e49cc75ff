package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Branch begins a branch at a node. If Name is empty, a name is made up. Without Files it needs no lock: a new ref
// disturbs nobody, and a running turn continues on its branch.
type Branch struct {
	Tree, Name, At string
	Stay           bool // do not switch to it
	Files          bool // restore the project's files to their state at that node
}

// Do implements engine.Op.
func (op Branch) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.Open(ctx, op.Tree)
	if err == nil && op.Files {
		var unlock func()
		if t, unlock, err = l.Lock(ctx, op.Tree); err == nil {
			defer unlock()
		}
	}
	if err != nil {
		return "", err
	}
	at, err := l.Locate(ctx, t, op.At)
	if err != nil {
		return t.Root, err
	}
	name := op.Name
	if name == "" {
		all, err := l.Branches(ctx, t)
		if err != nil {
			return t.Root, err
		}
		name = freeBranch(all)
	}
	if !tree.GoodBranch(name) {
		return t.Root, &engine.Refusal{Message: fmt.Sprintf("invalid branch name %q", name),
			Hint: tree.NameRule}
	}
	c := store.Change{Moves: []store.Move{{Ref: branchRefs + t.Name + "/" + name, To: at.ID}}}
	if !op.Stay {
		c = c.And(t.to(name))
	}
	from := t.Head
	t.Branch, t.Head = name, at.ID
	if err = move(ctx, l, &t, from, c, op.Files); errors.Is(err, store.ErrMoved) {
		err = &engine.Refusal{Message: "branch " + name + " already exists",
			Hint: "switch to it: socrates tree switch " + t.Name + " " + name}
	}
	return t.Root, err
}

// move moves a conversation to t.Head, coming from another node, by a change; with files, the project's files follow.
func move(ctx context.Context, l *Library, t *Tree, from tree.ID, c store.Change, files bool) error {
	if files {
		return l.RestoreFiles(ctx, t, from, c)
	} else if len(c.Moves) == 0 {
		return nil
	}
	_, err := l.store.Commit(ctx, c)
	return err
}

// to returns the change that switches a tree to a branch. It fails with ErrMoved if the tree was switched since t was opened.
func (t Tree) to(branch string) store.Change {
	n := margin.SwitchKind.New(t.Root, "person", margin.Switch{Branch: branch})
	return store.Change{Nodes: []tree.Node{n}, Moves: []store.Move{{Ref: treeRefs + t.Name, From: t.ref, To: n.ID}}}
}

// SwitchTo switches to another branch. Branch may also name a node, as for Locate: if no branch ends there, one begins.
// It does not wait for a turn: while one runs, it is refused.
type SwitchTo struct {
	Tree, Branch string
	Files        bool // restore the project's files to their state on that branch
}

// Do implements engine.Op.
func (op SwitchTo) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	at, err := l.Locate(ctx, t, op.Branch)
	if err != nil {
		return t.Root, err
	}
	all, err := l.Branches(ctx, t)
	if err != nil {
		return t.Root, err
	}
	i := slices.IndexFunc(all, func(b BranchInfo) bool { return b.Name == op.Branch })
	if i < 0 {
		i = slices.IndexFunc(all, func(b BranchInfo) bool { return b.Head == at.ID })
	}
	// Nothing to switch is nothing to commit, but files may still have to be restored.
	var c store.Change
	name := ""
	if i >= 0 {
		name = all[i].Name
	} else {
		name = freeBranch(all)
		c.Moves = []store.Move{{Ref: branchRefs + t.Name + "/" + name, To: at.ID}}
	}
	if name != t.Branch {
		c = c.And(t.to(name))
	}
	from := t.Head
	t.Branch, t.Head = name, at.ID
	return t.Root, move(ctx, l, &t, from, c, op.Files)
}

// freeBranch makes up a name for a branch.
func freeBranch(all []BranchInfo) string {
	for i := len(all) + 1; ; i++ {
		name := fmt.Sprintf("branch-%d", i)
		if !slices.ContainsFunc(all, func(b BranchInfo) bool { return b.Name == name }) {
			return name
		}
	}
}

// Back moves the branch back, so that the next message continues from there. The nodes ahead stay in the tree, and end
// in a leaf. To and Turns count messages of persons: the settings a turn made before it began are reverted with it.
type Back struct {
	Tree  string
	To    string // as for Locate; empty: Turns back
	Turns int    // 0: 1
	Files bool
}

// Do implements engine.Op.
func (op Back) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	defer unlock()
	var at tree.Node
	if op.To != "" {
		at, err = l.Locate(ctx, t, op.To)
	} else {
		at, err = l.back(ctx, t, max(1, op.Turns))
	}
	if err != nil {
		return t.Root, err
	}
	from := t.Head
	var c store.Change
	if at.ID != from {
		c = t.to(t.Branch) // a node, so that other processes notice
		c.Moves = append(c.Moves, store.Move{Ref: t.branchRef(), From: from, To: at.ID})
		t.Head = at.ID
	}
	return t.Root, move(ctx, l, &t, from, c, op.Files)
}

// Label names a node. An existing label is moved. It needs no lock.
type Label struct{ Tree, At, Name string }

// Do implements engine.Op.
func (op Label) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	if !tree.GoodBranch(op.Name) {
		return t.Root, &engine.Refusal{Message: fmt.Sprintf("invalid label %q", op.Name),
			Hint: tree.NameRule}
	}
	at, err := l.Locate(ctx, t, op.At)
	if err != nil {
		return t.Root, err
	}
	name := labelRefs + t.Name + "/" + op.Name
	old := tree.ID("")
	if ref, err := l.store.Ref(ctx, name); err == nil {
		old = ref.Head
	}
	return t.Root, l.store.Move(ctx, name, old, at.ID)
}

// Merge adds the conclusion of another branch to the current one, as one node. The model is shown it like any message;
// the other branch stays.
type Merge struct {
	Tree, From string
	Text       string // empty: the last answer on the branch
}

// Do implements engine.Op.
func (op Merge) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	defer unlock()
	from, err := l.Locate(ctx, t, op.From)
	if err != nil {
		return t.Root, err
	}
	text := op.Text
	if text == "" {
		path, err := l.store.Path(ctx, from.ID)
		if err != nil {
			return t.Root, err
		}
		for _, n := range slices.Backward(path) {
			if r, ok := talk.ReplyKind.Of(n); ok && r.State == talk.Done {
				text = r.Answer()
				break
			}
		}
	}
	if strings.TrimSpace(text) == "" {
		return t.Root, &engine.Refusal{Message: op.From + " has no answer to merge", Hint: "give the text to merge: --text"}
	}
	return t.Root, l.Grow(ctx, &t, material.MergeKind.New("", "person", material.Merged{From: from.ID, Branch: op.From, Text: text}))
}
