package runs

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk"
)

// Conversation makes a conversation about a folder that knows the decision of a debate and what a plan must address of it, ready to plan
// it: no model is asked before the person says so. It returns the conversation's name.
func (l *Library) Conversation(ctx context.Context, dir, room string) (string, error) {
	e := l.engine
	res, err := rooms.Named(ctx, rooms.In(e), room)
	if err != nil {
		return "", err
	}
	root, err := e.Do(ctx, conversation.NewTree{Title: "plan " + room, Dir: dir})
	if err != nil {
		return "", err
	}
	path, err := conversation.In(e).Path(ctx, root)
	if err != nil {
		return "", err
	}
	r, _ := talk.RootKind.Of(path[0])
	owed, err := l.Owed(ctx, r.Name, room)
	if err != nil {
		return "", err
	}
	titled := conversation.Rename{Tree: r.Name, Name: "Execute: " + conversation.Headline(res.Question)}
	for _, op := range []engine.Op{titled, conversation.Conclude{Tree: r.Name, Room: room},
		owed, turns.Set{Tree: r.Name, Key: "phase", Value: "planner"}} {
		if _, err := e.Do(ctx, op); err != nil {
			return "", err
		}
	}
	return r.Name, nil
}
