package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Locate finds a node of a conversation by name: a branch, a label, the end of an id, HEAD, or HEAD~n, which is n turns
// back. A branch hides a label of the same name, and both hide the end of an id. If nothing is found, the error is a
// refusal with ErrNotFound.
func (l *Library) Locate(ctx context.Context, t Tree, name string) (tree.Node, error) {
	if back, ok := strings.CutPrefix(name, "HEAD~"); ok {
		n, err := strconv.Atoi(back)
		if err != nil || n < 0 {
			return tree.Node{}, &engine.Refusal{Message: fmt.Sprintf("%q: HEAD~ needs a number of turns, such as HEAD~2", name)}
		}
		return l.back(ctx, t, n)
	}
	if name == "" || name == "HEAD" {
		return l.store.Node(ctx, t.Head)
	}
	for _, prefix := range []string{branchRefs, labelRefs} {
		if ref, err := l.store.Ref(ctx, prefix+t.Name+"/"+name); err == nil {
			return l.store.Node(ctx, ref.Head)
		} else if !errors.Is(err, store.ErrNotFound) {
			return tree.Node{}, err
		}
	}
	n, err := l.store.Find(ctx, t.Root, strings.ToLower(name))
	return n, engine.NotFound("branch, label or node "+name+" in "+t.Name, "list nodes: socrates tree show "+t.Name+" --nodes", err)
}

// back returns the node before the person's nth last message.
func (l *Library) back(ctx context.Context, t Tree, n int) (tree.Node, error) {
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return tree.Node{}, err
	}
	turns := view.Turns(path)
	if n > len(turns) {
		return tree.Node{}, &engine.Refusal{Message: "cannot step back that far (turns so far: " + strconv.Itoa(len(turns)) + ")"}
	}
	if n == 0 {
		return path[len(path)-1], nil
	}
	at := turns[len(turns)-n] - 1
	for at > 0 && (path[at].Kind == string(margin.SetKind) || path[at].Kind == string(talk.BriefKind) ||
		path[at].Kind == string(memory.RecallKind)) {
		at-- // the turn's settings come before it
	}
	// Settings before the first message belong to the conversation, not to a turn.
	if at == 0 { // keep the conversation's own settings
		at = slices.IndexFunc(path[1:], func(n tree.Node) bool { return n.Kind != string(margin.SetKind) })
	}
	return path[at], nil
}

// BranchInfo is a branch of a tree.
type BranchInfo struct {
	Name    string    `json:"name"`
	Head    tree.ID   `json:"head"`
	Moved   time.Time `json:"moved"`
	Current bool      `json:"current"`
}

// Branches lists the branches of a tree by name.
func (l *Library) Branches(ctx context.Context, t Tree) ([]BranchInfo, error) {
	refs, err := l.store.Refs(ctx, branchRefs+t.Name+"/", "")
	if err != nil {
		return nil, err
	}
	out := []BranchInfo{}
	for _, ref := range refs {
		name := strings.TrimPrefix(ref.Name, branchRefs+t.Name+"/")
		out = append(out, BranchInfo{name, ref.Head, ref.At, name == t.Branch})
	}
	return out, nil
}

// Leaves are the ends of a tree: the conversation's nodes without a successor, oldest first.
func (l *Library) Leaves(ctx context.Context, t Tree) ([]tree.Node, error) {
	nodes, err := l.store.Tree(ctx, t.Root)
	if err != nil {
		return nil, err
	}
	followed := map[tree.ID]bool{}
	for _, n := range nodes {
		if !margin.Beside(n.Kind) {
			followed[n.Parent] = true
		}
	}
	return slices.DeleteFunc(nodes, func(n tree.Node) bool {
		return followed[n.ID] || margin.Beside(n.Kind)
	}), nil
}
