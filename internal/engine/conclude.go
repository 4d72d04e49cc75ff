package engine

import (
	"context"

	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Conclude brings what a debate decided into a conversation, as one node.
type Conclude struct{ Tree, Room string }

func (op Conclude) do(ctx context.Context, e *Engine) (tree.ID, error) {
	t, err := e.OpenTree(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	root, err := e.Room(ctx, op.Room)
	if err != nil {
		return t.Root, err
	}
	res, err := e.Result(ctx, root)
	if err != nil {
		return t.Root, err
	}
	if !res.Ended {
		return t.Root, &Refusal{Message: "debate " + op.Room + " has not ended", Hint: "resume it: socrates debate resume " + op.Room}
	}
	unlock, err := e.lockTree(ctx, t.Name)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	if t, err = e.OpenTree(ctx, op.Tree); err != nil {
		return t.Root, err
	}
	return t.Root, e.grow(ctx, &t, talk.MergeKind.New("", "person", talk.Merged{From: root, Branch: res.Room, Text: res.Decision, Debate: true}))
}
