package rooms

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Supersede records that, in a person's judgement, the decision of the room New replaces that of the room Old. Neither
// changes; if Old was superseded before, New replaces that entry.
type Supersede struct{ Old, New, Reason string }

// Do implements engine.Op.
func (op Supersede) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	_, _, next, err := l.closed(ctx, op.New)
	if err != nil {
		return "", err
	}
	root, _, old, err := l.closed(ctx, op.Old)
	if err != nil {
		return "", err
	}
	if old.Room == next.Room {
		return "", &engine.Refusal{Message: old.Room + " cannot supersede itself", Hint: "name the later decision with --by"}
	}
	// Decisions must not supersede each other in a cycle; seen also ends the walk in a damaged store.
	seen := map[string]bool{}
	for at := next.Room; !seen[at]; {
		seen[at] = true
		gone, err := l.supersededBy(ctx, at)
		if err != nil {
			return "", err
		}
		if gone == nil {
			break
		}
		if at = gone.By; at == old.Room {
			return "", &engine.Refusal{Message: next.Room + " was itself superseded, finally by " + old.Room,
				Hint: "see: socrates decisions show " + next.Room}
		}
	}
	change, err := l.superseding(ctx, old.Room, "person", ruling.Superseded{By: next.Room, Reason: op.Reason})
	if err != nil {
		return "", err
	}
	if _, err = l.store.Commit(ctx, change); errors.Is(err, store.ErrMoved) {
		err = &engine.Refusal{Message: old.Room + " has just been superseded by another process",
			Hint: "see: socrates decisions show " + old.Room, Err: err}
	}
	return root.ID, err
}

// superseding returns the change that records what superseded a room's decision.
func (l *Library) superseding(ctx context.Context, room, who string, s ruling.Superseded) (store.Change, error) {
	root, end, _, err := l.closed(ctx, room)
	if err != nil {
		return store.Change{}, err
	}
	res, err := l.Result(ctx, root.ID)
	if err != nil {
		return store.Change{}, err
	}
	ref, err := l.store.Ref(ctx, supersededRefs+room)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Change{}, err
	}
	n := ruling.SupersededKind.New(end.ID, who, s)
	return store.Change{Nodes: []tree.Node{n}, Moves: []store.Move{{Ref: supersededRefs + room, From: ref.Head, To: n.ID}},
		Index: []store.Indexed{indexed(root.ID, res, &s)}}, nil
}
