package rooms

import (
	"context"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// followed returns the nodes that link the room f to the one it follows. It fails if that one has not ended. The link
// is a node below the earlier room's end, so both records show it.
func followed(ctx context.Context, l *Library, f table.Frame) (func(root tree.Node) tree.Node, error) {
	_, end, _, err := l.finished(ctx, f.Follows)
	if err != nil {
		return nil, err
	}
	return func(root tree.Node) tree.Node {
		room, _ := frameOf(root)
		return ruling.AfterKind.New(end.ID, "person", ruling.After{Followed: room.Room})
	}, nil
}

// share adds a file to a room: its seats read it with their next question; after the end, the debate that follows is shown it.
func share(ctx context.Context, l *Library, f table.Frame, nodes []tree.Node, message people.Message) error {
	if l.wiring.Show == nil {
		return &engine.Refusal{Message: "files cannot be shared from here",
			Hint: fmt.Sprintf("socrates debate tell %s \"/context add %s\"", f.Room, message.File)}
	}
	text, err := l.wiring.Show(ctx, f.Dir, message.File)
	if err != nil {
		return fmt.Errorf("share %s with debate %s: %w", message.File, f.Room, err)
	}
	// An ended room does not change: a shared file is added below its end, for the debate that follows.
	for _, n := range nodes {
		if n.Kind == string(ruling.EndKind) {
			_, err := l.store.Append(ctx, ruling.AfterKind.New(n.ID, "person", ruling.After{Shared: message.File}))
			return err
		}
	}
	message.Text = text
	_, err = l.store.Append(ctx, people.MessageKind.New(nodes[0].ID, "person", message))
	return err
}

// Report records the result of executing a room's decision: its seats are told when the debate continues.
type Report struct {
	Room  string
	After ruling.After // the result; the same one again changes nothing
}

// Do implements engine.Op.
func (op Report) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, end, _, err := l.finished(ctx, op.Room)
	if err != nil {
		return "", err
	}
	res, err := l.Result(ctx, root.ID)
	if err != nil || slices.Contains(res.Executed, op.After) {
		return root.ID, err
	}
	_, err = l.store.Append(ctx, ruling.AfterKind.New(end.ID, "code", op.After))
	return root.ID, err
}
