package conversation

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// Conclude adds the decision of a debate, or the result of a run of a plan, to a conversation, as one node.
type Conclude struct {
	Tree, Room string
	Run        tree.ID // the root of a run; replaces Room
}

// Do implements engine.Op.
func (op Conclude) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	// Before the lock: reading a debate may take a moment, and the conversation would be locked for it.
	m, err := op.conclusion(ctx, e, l)
	if err != nil {
		return t.Root, err
	}
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	return t.Root, l.Grow(ctx, &t, material.MergeKind.New("", "person", m))
}

func (op Conclude) conclusion(ctx context.Context, e *engine.Engine, l *Library) (m material.Merged, err error) {
	if op.Run != "" {
		nodes, err := l.store.Tree(ctx, op.Run)
		if err != nil {
			return m, err
		}
		s, ok := work.Read(nodes)
		if !ok {
			return m, engine.NotFound("run with the root "+string(op.Run), "list runs: socrates work list", store.ErrNotFound)
		}
		return material.Merged{From: op.Run, Branch: s.Frame.Run, Text: l.store.Clean(s.Recap()), Run: true}, nil
	}
	debates := rooms.In(e)
	root, err := debates.Room(ctx, op.Room)
	if err != nil {
		return m, err
	}
	res, err := debates.Result(ctx, root)
	if err != nil {
		return m, err
	}
	if !res.Ended {
		return m, &engine.Refusal{Message: "debate " + op.Room + " has not ended", Hint: "resume it: socrates debate resume " + op.Room}
	}
	return material.Merged{From: root, Branch: res.Room, Text: document.Of(res).Markdown(), Debate: true}, nil
}
