package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Remark puts a node into a conversation without asking a model.
type Remark struct {
	Tree   string
	Parent string // as Locate finds it; empty: the head. The branch goes on from there.
	Role   string // user, assistant or system
	Text   string
	// Handle is what the node refers to, instead of Role and Text.
	Handle *talk.Handle
}

func (op Remark) do(ctx context.Context, e *Engine) (tree.ID, error) {
	var n tree.Node
	switch {
	case op.Handle != nil:
		n = talk.HandleKind.New("", "person", *op.Handle)
	case strings.TrimSpace(op.Text) == "":
		return "", &Refusal{Message: "no text given", Hint: "for example: socrates tree add \"…\""}
	case op.Role != "user" && op.Role != "assistant" && op.Role != "system":
		return "", &Refusal{Message: fmt.Sprintf("unknown role %q", op.Role), Hint: "use user, assistant or system"}
	default:
		n = talk.AddKind.New("", "person", talk.Added{Role: op.Role, Text: op.Text})
	}
	t, unlock, err := e.holdTree(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	at, err := e.Locate(ctx, t, op.Parent)
	if err != nil {
		return t.Root, err
	}
	return t.Root, e.growFrom(ctx, &t, at.ID, true, n)
}

// holdTree opens a conversation that nobody else can move on until unlock.
func (e *Engine) holdTree(ctx context.Context, name string) (t Tree, unlock func(), err error) {
	if t, err = e.OpenTree(ctx, name); err != nil {
		return t, nil, err
	}
	if unlock, err = e.lockTree(ctx, t.Name); err != nil {
		return t, nil, err
	}
	if t, err = e.OpenTree(ctx, name); err != nil { // it may have moved until the lock was ours
		unlock()
		return t, nil, err
	}
	return t, unlock, nil
}
