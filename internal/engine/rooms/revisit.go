package rooms

import (
	"context"
	"errors"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Revisit opens a debate on a question that an earlier room decided. If it decides otherwise, its decision supersedes the earlier one.
type Revisit struct {
	Debate
	Room   string // the earlier one
	Reason string
}

// Do implements engine.Op.
func (op Revisit) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	old, err := l.Decision(ctx, op.Room)
	if err != nil {
		return "", err
	}
	if old.Superseded != nil {
		return "", &engine.Refusal{Message: old.Room + " was already superseded by " + old.Superseded.By,
			Hint: "revisit that one: socrates decisions revisit " + old.Superseded.By}
	}
	return op.open(ctx, l, func(root tree.Node) tree.Node {
		return ruling.RevisitKind.New(root.ID, "person", ruling.Revisit{Room: old.Room, Reason: op.Reason})
	})
}

// overtake returns the change that supersedes the decision that a closing room revisits. The change is empty if the
// room decided the same or nothing, if no model took part, or if the other decision is superseded already.
func (l *Library) overtake(ctx context.Context, nodes []tree.Node, res debate.Result, winner string) (store.Change, error) {
	revisits := ruling.RevisitKind.All(nodes)
	if len(revisits) == 0 || !res.Outcome.Decision() {
		return store.Change{}, nil
	}
	old, err := l.Decision(ctx, revisits[0].Room)
	if _, gone := errors.AsType[*engine.Refusal](err); gone { // it was deleted in the meantime
		return store.Change{}, nil
	} else if err != nil {
		return store.Change{}, err
	}
	// A decision that waits for a person supersedes nothing, nor does a rehearsal supersede a real one.
	if old.Superseded != nil || sameOption(old.End.Winner, winner) || res.Rehearsal && !old.Rehearsal || res.NeedsPerson {
		return store.Change{}, nil
	}
	reason := revisits[0].Reason
	if reason == "" {
		reason = "debated again with a different decision"
	}
	return l.superseding(ctx, old.Room, "code", ruling.Superseded{By: res.Room, Reason: reason})
}

// sameOption reports whether two options are equal, ignoring case and spacing.
func sameOption(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
