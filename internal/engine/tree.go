package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Refs of conversations: tree/NAME points at the node that says which branch it is on, or at its root;
// branch/NAME/BRANCH at the head of a branch; label/NAME/LABEL at a node.
const (
	treeRefs   = "tree/"
	branchRefs = "branch/"
	labelRefs  = "label/"
)

// MainBranch is the branch a tree begins with.
const MainBranch = "main"

// Tree is a conversation as it stands.
type Tree struct {
	Name   string
	Root   tree.ID
	Dir    string
	Branch string
	Head   tree.ID
	ref    tree.ID // what tree/NAME points at
}

func (t Tree) branchRef() string { return branchRefs + t.Name + "/" + t.Branch }

// NewTree begins a conversation. An empty name is made up from Title.
type NewTree struct{ Name, Title, Dir string }

func (op NewTree) do(ctx context.Context, e *Engine) (tree.ID, error) {
	if op.Name != "" && !tree.CleanName(op.Name) {
		return "", &Refusal{Message: fmt.Sprintf("invalid tree name %q", op.Name), Hint: "use lowercase letters, digits and dashes, at most 64"}
	}
	dir, err := filepath.Abs(op.Dir)
	if err != nil {
		return "", fmt.Errorf("the project folder: %w", err)
	}
	for try := 1; ; try++ {
		id := tree.NewID()
		name := op.Name
		if name == "" {
			name = speaking(op.Title, "talk", id)
		}
		root := talk.RootKind.New("", "person", talk.Root{Name: name, Dir: dir})
		root.ID = id
		_, err := e.store.Commit(ctx, store.Change{Nodes: []tree.Node{root}, Entries: heard(dir, root), Moves: []store.Move{
			{Ref: treeRefs + name, To: id}, {Ref: branchRefs + name + "/" + MainBranch, To: id}}})
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, store.ErrMoved) && op.Name != "":
			return "", &Refusal{Message: "tree " + name + " already exists", Hint: "continue it: socrates chat " + name}
		case !errors.Is(err, store.ErrMoved) || try == nameTries:
			return "", err
		}
	}
}

// OpenTree finds a conversation by name.
func (e *Engine) OpenTree(ctx context.Context, name string) (Tree, error) {
	t := Tree{Name: strings.TrimPrefix(name, treeRefs)}
	ref, err := e.store.Ref(ctx, treeRefs+t.Name)
	if err != nil {
		return t, notFound("tree named "+t.Name, "list conversations: socrates tree list", err)
	}
	at, err := e.store.Node(ctx, ref.Head)
	if err != nil {
		return t, err
	}
	t.ref, t.Branch = at.ID, MainBranch
	if s, ok := talk.SwitchKind.Of(at); ok {
		t.Branch = s.Branch
	}
	root, err := e.store.Root(ctx, at.ID)
	if err != nil {
		return t, err
	}
	r, ok := beginning(root)
	if !ok {
		return t, e.store.Damage("the first node of the tree " + t.Name + " cannot be read")
	}
	t.Root, t.Dir = root.ID, r.Dir
	head, err := e.store.Ref(ctx, t.branchRef())
	if err != nil {
		return t, notFound("branch named "+t.Branch+" in "+t.Name, "list branches: socrates tree branches "+t.Name, err)
	}
	t.Head = head.Head
	return t, nil
}

// Path is what lies on the way to a node: the whole of what a model would be shown there.
func (e *Engine) Path(ctx context.Context, leaf tree.ID) ([]tree.Node, error) {
	return e.store.Path(ctx, leaf)
}

// PathEnd is the end of that way: so many nodes, or all if there are no more.
func (e *Engine) PathEnd(ctx context.Context, leaf tree.ID, most int) ([]tree.Node, error) {
	return e.store.End(ctx, leaf, int64(most))
}

// lockTree makes sure that one process at a time moves a conversation on.
func (e *Engine) lockTree(ctx context.Context, name string) (unlock func(), err error) {
	return e.lock(ctx, "tree-"+name, &Refusal{Message: "another process is using conversation " + name,
		Hint: "watch it: socrates tree show " + name + " --follow; send it a message: socrates tree say " + name + " \"TEXT\""})
}

// grow appends nodes, each below the one before, the first below from, and moves the branch along.
func (e *Engine) grow(ctx context.Context, t *Tree, nodes ...tree.Node) error {
	return e.growFrom(ctx, t, t.Head, true, nodes...)
}

// growFrom appends nodes below from; the branch moves along unless they are an aside.
func (e *Engine) growFrom(ctx context.Context, t *Tree, from tree.ID, moves bool, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	parent := from
	for i := range nodes {
		nodes[i].Parent = parent
		parent = nodes[i].ID
	}
	c := store.Change{Nodes: nodes, Entries: heard(t.Dir, nodes...)}
	if moves {
		c.Moves = []store.Move{{Ref: t.branchRef(), From: t.Head, To: parent}}
	}
	if _, err := e.store.Commit(ctx, c); err != nil {
		if errors.Is(err, store.ErrMoved) {
			return &Refusal{Message: "branch " + t.Branch + " of " + t.Name + " changed in another process", Hint: "what was said is saved: socrates tree leaves " + t.Name, Err: err}
		}
		return err
	}
	if moves {
		t.Head = parent
	}
	return nil
}

// LastNodes are the nodes of a conversation that were committed last, in order, and how many there are in all; a negative
// number takes all.
func (e *Engine) LastNodes(ctx context.Context, t Tree, most int) (nodes []tree.Node, all int, err error) {
	return e.store.Last(ctx, t.Root, most)
}

// Labels are the named nodes of a conversation, by name.
func (e *Engine) Labels(ctx context.Context, t Tree) ([]tree.Ref, error) {
	refs, err := e.store.Refs(ctx, labelRefs+t.Name+"/", "")
	for i := range refs {
		refs[i].Name = strings.TrimPrefix(refs[i].Name, labelRefs+t.Name+"/")
	}
	return refs, err
}
