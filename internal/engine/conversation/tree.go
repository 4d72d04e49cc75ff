package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Refs of conversations: tree/NAME points at the node that says which branch the tree is on, or at its root;
// branch/NAME/BRANCH at the head of a branch; label/NAME/LABEL at a node.
const (
	treeRefs   = "tree/"
	branchRefs = "branch/"
	labelRefs  = "label/"
)

// mainBranch is the branch a tree begins with.
const mainBranch = "main"

// Tree is the state of a conversation. Dir is the project's folder, absolute. Head is the parent of the next node.
type Tree struct {
	Name   string
	Root   tree.ID
	Dir    string
	Branch string
	Head   tree.ID
	ref    tree.ID // what tree/NAME points at
}

func (t Tree) branchRef() string { return branchRefs + t.Name + "/" + t.Branch }

// NewTree begins a conversation. If Name is empty, a name is made up from Title. A Name of several words, or with the slashes of a branch
// name, becomes its title: refs and files cannot have such names, and Open finds it by title, too.
type NewTree struct {
	Name, Title, Dir string
	Root             tree.ID // the id of its first node; empty: a new one
}

// Do implements engine.Op.
func (op NewTree) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	given := ""
	words, parts := strings.Fields(op.Name), strings.Contains(op.Name, "/") && tree.GoodBranch(op.Name)
	if (len(words) > 1 || parts) && len([]rune(op.Name)) <= longestTitle {
		given = strings.Join(words, " ")
		op.Name, op.Title = "", given
	}
	if op.Name != "" && !tree.GoodName(op.Name) {
		return "", &engine.Refusal{Message: fmt.Sprintf("invalid conversation name %q", op.Name),
			Hint: tree.NameRule}
	}
	dir, err := filepath.Abs(op.Dir)
	if err != nil {
		return "", fmt.Errorf("the project folder: %w", err)
	}
	for try := 1; ; try++ {
		id := cmp.Or(op.Root, tree.NewID())
		name := op.Name
		if name == "" {
			name = tree.NameFor(op.Title, "talk", id)
		}
		root := talk.RootKind.New("", "person", talk.Root{Name: name, Dir: dir, Title: Headline(op.Title)})
		root.ID = id
		nodes := []tree.Node{root}
		if given != "" {
			nodes = append(nodes, margin.TitleKind.New(id, "person", margin.Title{Text: given}))
		}
		_, err := l.store.Commit(ctx, store.Change{Nodes: nodes, Index: indexed(dir, root), Moves: []store.Move{
			{Ref: treeRefs + name, To: id}, {Ref: branchRefs + name + "/" + mainBranch, To: id}}})
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, store.ErrMoved) && op.Name != "":
			return "", &engine.Refusal{Message: "conversation " + name + " already exists", Hint: "continue it: socrates chat " + name}
		case !errors.Is(err, store.ErrMoved) || try == engine.NameTries:
			return "", err
		}
	}
}

// Open finds a conversation by its name, or else by its title, or else by the end of its id. Every command calls it
// first, so a plain name costs only four queries; a title or an id costs reading all conversations.
func (l *Library) Open(ctx context.Context, name string) (Tree, error) {
	t := Tree{Name: strings.TrimPrefix(name, treeRefs)}
	ref, err := l.store.Ref(ctx, treeRefs+t.Name)
	// An existing name wins over an equal title.
	if errors.Is(err, store.ErrNotFound) { // people read titles and ids, and type what they read
		name, e := titled(ctx, l, t.Name)
		if errors.Is(e, store.ErrNotFound) {
			name, e = byID(ctx, l, t.Name)
		}
		if e == nil {
			return l.Open(ctx, name)
		} else if !errors.Is(e, store.ErrNotFound) {
			return t, e
		}
	}
	if err != nil {
		return t, engine.NotFound("conversation named "+t.Name, "list conversations: socrates tree list", err)
	}
	at, err := l.store.Node(ctx, ref.Head)
	if err != nil {
		return t, err
	}
	t.ref, t.Branch = at.ID, mainBranch
	if s, ok := margin.SwitchKind.Of(at); ok {
		t.Branch = s.Branch
	}
	root, err := l.store.Root(ctx, at.ID)
	if err != nil {
		return t, err
	}
	r, ok := beginning(root)
	if !ok {
		return t, l.store.Damage("the first node of conversation " + t.Name + " cannot be read")
	}
	t.Root, t.Dir = root.ID, r.Dir
	head, err := l.store.Ref(ctx, t.branchRef())
	if err != nil {
		return t, engine.NotFound("branch named "+t.Branch+" in "+t.Name, "list branches: socrates tree branches "+t.Name, err)
	}
	t.Head = head.Head
	return t, nil
}

// shortest is how many characters of an id identify a conversation: as many as /tree prints.
const shortest = 5

// byID returns the name of the only conversation whose id ends with end. The error is ErrNotFound if there is none.
func byID(ctx context.Context, l *Library, end string) (string, error) {
	if end = strings.ToLower(end); len(end) < shortest || !tree.CleanName(end) {
		return "", store.ErrNotFound
	}
	all, err := l.trees(ctx, "")
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range all {
		if strings.HasSuffix(string(t.Root), end) {
			names = append(names, t.Name)
		}
	}
	switch len(names) {
	case 0:
		return "", store.ErrNotFound
	case 1:
		return names[0], nil
	}
	return "", &engine.Refusal{Message: "the id of more than one conversation ends with " + end,
		Hint: "use a name: " + strings.Join(names, ", ")}
}

// Path returns the nodes on the path to a node: everything a model would be shown there.
func (l *Library) Path(ctx context.Context, leaf tree.ID) ([]tree.Node, error) {
	return l.store.Path(ctx, leaf)
}

// PathEnd returns the last nodes of that path: most of them, or all if it is shorter.
func (l *Library) PathEnd(ctx context.Context, leaf tree.ID, most int) ([]tree.Node, error) {
	return l.store.End(ctx, leaf, int64(most))
}

// lockTree makes sure that only one process at a time extends a conversation. The lock's name is that of the
// conversation, so a rename takes two.
func lockTree(ctx context.Context, l *Library, name string) (unlock func(), err error) {
	elsewhere := &engine.Refusal{Message: "another process is using conversation " + name,
		Hint: "watch it: socrates tree show " + name + " --follow; send it a message: socrates tree say " + name + " \"TEXT\""}
	unlock, err = l.core.Lock(ctx, "tree-"+name, elsewhere)
	if err == elsewhere && l.core.Ours("tree-"+name) {
		err = &engine.Refusal{Message: "this conversation is busy: wait until its turn ends, or stop it"}
	}
	return unlock, err
}

// Grow appends nodes, each a child of the one before, the first a child of the head, and moves the branch.
func (l *Library) Grow(ctx context.Context, t *Tree, nodes ...tree.Node) error {
	return l.GrowFrom(ctx, t, t.Head, true, nodes...)
}

// GrowFrom appends nodes below from; the branch moves with moves, that is unless they are an aside.
//
// It sets the parents of the given nodes and, if the branch moves, t.Head. The nodes are findable from the same commit
// on. If somebody else has moved the branch, nothing is stored, and the refusal wraps store.ErrMoved.
func (l *Library) GrowFrom(ctx context.Context, t *Tree, from tree.ID, moves bool, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	return grow(ctx, l, t, store.Change{}, from, moves, nodes)
}

// grow is GrowFrom in one commit with a change before it.
func grow(ctx context.Context, l *Library, t *Tree, c store.Change, from tree.ID, moves bool, nodes []tree.Node) error {
	parent := from
	for i := range nodes {
		nodes[i].Parent = parent
		parent = nodes[i].ID
	}
	c = c.And(store.Change{Nodes: nodes, Index: indexed(t.Dir, nodes...)})
	if moves {
		c.Moves = append(c.Moves, store.Move{Ref: t.branchRef(), From: t.Head, To: parent})
	}
	if _, err := l.store.Commit(ctx, c); err != nil {
		if errors.Is(err, store.ErrMoved) {
			return &engine.Refusal{Message: "branch " + t.Branch + " of " + t.Name + " changed in another process",
				Hint: "your message is saved: socrates tree leaves " + t.Name, Err: err}
		}
		return err
	}
	if moves {
		t.Head = parent
	}
	return nil
}

// LastNodes returns the nodes of a conversation that were committed last, on all branches, in the order of commit, and
// how many there are in all; with a negative number, it returns all.
func (l *Library) LastNodes(ctx context.Context, t Tree, most int) (nodes []tree.Node, all int, err error) {
	return l.store.Last(ctx, t.Root, most)
}

// Labels are the named nodes of a conversation, by name.
func (l *Library) Labels(ctx context.Context, t Tree) ([]tree.Ref, error) {
	refs, err := l.store.Refs(ctx, labelRefs+t.Name+"/", "")
	for i := range refs {
		refs[i].Name = strings.TrimPrefix(refs[i].Name, labelRefs+t.Name+"/")
	}
	return refs, err
}
