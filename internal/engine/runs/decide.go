package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Decide records a person's order about a step; Advance goes on from there.
type Decide struct {
	Run   string
	Order record.Order
}

// Do implements engine.Op.
func (op Decide) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	t, w := s.Task(op.Order.Task), op.Order
	switch {
	case !slices.Contains([]string{"approve", "retry", "skip", "reassign"}, w.Verb):
		return root, &engine.Refusal{Message: fmt.Sprintf("unknown action %q for a step", w.Verb),
			Hint: "approve, retry, skip or reassign it"}
	case t == nil:
		return root, &engine.Refusal{Message: fmt.Sprintf("run %s has no step %q", op.Run, w.Task),
			Hint: "see its steps: socrates work show " + op.Run}
	case t.State == work.Done:
		return root, &engine.Refusal{Message: "step " + w.Task + " is already merged"}
	case w.Verb == "approve" && t.State != work.Person:
		return root, &engine.Refusal{Message: "step " + w.Task + " does not wait for approval: it is " + string(t.State),
			Hint: "try it again: socrates work retry " + op.Run + " " + w.Task}
	case w.Verb == "retry" && t.State != work.Failed && t.State != work.Person && t.State != work.Skipped:
		return root, &engine.Refusal{Message: "step " + w.Task + " has not failed: it is " + string(t.State),
			Hint: "continue the run: socrates work resume " + op.Run}
	}
	switch w.Verb {
	// What is approved is the change the person saw, and not what a later attempt makes.
	case "approve":
		w.Commit = t.Change
	case "reassign":
		o := s.Options() // a copy: only whether this executor can do it is asked
		if err := l.wiring.Settle(ctx, s.Frame.Dir, &o, []plan.Task{{Executor: w.Executor}}); err != nil {
			return root, err
		}
	}
	_, err = l.store.Append(ctx, record.OrderKind.New(root, "person", w))
	return root, err
}
