package conversation

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Conclude brings what a debate decided into a conversation, as one node.
type Conclude struct{ Tree, Room string }

// Do implements engine.Op.
func (op Conclude) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l, debates := In(e), rooms.In(e)
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	root, err := debates.Room(ctx, op.Room)
	if err != nil {
		return t.Root, err
	}
	res, err := debates.Result(ctx, root)
	if err != nil {
		return t.Root, err
	}
	if !res.Ended {
		return t.Root, &engine.Refusal{Message: "debate " + op.Room + " has not ended",
			Hint: "resume it: socrates debate resume " + op.Room}
	}
	// Only now: reading a debate may take a moment, and the conversation would be held for it.
	unlock, err := l.lockTree(ctx, t.Name)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	if t, err = l.Open(ctx, op.Tree); err != nil {
		return t.Root, err
	}
	return t.Root, l.Grow(ctx, &t, material.MergeKind.New("", "person",
		material.Merged{From: root, Branch: res.Room, Text: document.Of(res).Markdown(), Debate: true}))
}
