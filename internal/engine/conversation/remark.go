package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Remark adds a node to a conversation without asking a model. The model is shown it from then on.
type Remark struct {
	Tree   string
	Parent string // as for Locate; empty: the head. The branch continues from there.
	Role   string // user, assistant or system
	Text   string
	Title  string // of a Text that the program added for the model, not the person
	// Handle is what the node refers to; it replaces Role and Text.
	Handle *material.Handle
}

// Do implements engine.Op.
func (op Remark) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var n tree.Node
	switch {
	case op.Handle != nil:
		n = material.HandleKind.New("", "person", *op.Handle)
	case strings.TrimSpace(op.Text) == "":
		return "", &engine.Refusal{Message: "no text given", Hint: "for example: socrates tree add \"…\""}
	case op.Role != "user" && op.Role != "assistant" && op.Role != "system":
		return "", &engine.Refusal{Message: fmt.Sprintf("unknown role %q", op.Role), Hint: "use user, assistant or system"}
	default:
		n = material.AddKind.New("", "person", material.Added{Role: op.Role, Text: op.Text, Title: op.Title})
	}
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	at, err := l.Locate(ctx, t, op.Parent)
	if err != nil {
		return t.Root, err
	}
	return t.Root, l.GrowFrom(ctx, &t, at.ID, true, n)
}

// Lock opens a conversation that nobody else can extend until unlock.
//
// name may be a title or the end of an id, as for Open. unlock must be called once; with an error there is nothing to unlock.
func (l *Library) Lock(ctx context.Context, name string) (t Tree, unlock func(), err error) {
	if t, err = l.Open(ctx, name); err != nil {
		return t, nil, err
	}
	if unlock, err = lockTree(ctx, l, t.Name); err != nil {
		return t, nil, err
	}
	if t, err = l.Open(ctx, name); err != nil { // it may have moved before the lock was ours
		unlock()
		return t, nil, err
	}
	return t, unlock, nil
}
