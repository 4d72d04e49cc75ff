package evals

import (
	"context"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// plan finds a contest by name.
func (l *Library) plan(ctx context.Context, name string) (tree.Node, contest.Plan, error) {
	var p contest.Plan
	ref, err := l.store.Ref(ctx, evalRefs+name)
	if err != nil {
		return tree.Node{}, p, engine.NotFound("evaluation named "+name, "list evaluations: socrates eval list", err)
	}
	root, err := l.store.Root(ctx, ref.Head)
	if err != nil {
		return tree.Node{}, p, err
	}
	p, ok := contest.PlanKind.Of(root)
	if !ok || p.Name == "" {
		return root, p, l.store.Damage("the first node of the evaluation " + name + " cannot be read")
	}
	return root, p, nil
}

// Info is a line in the list of evaluations.
type Info struct {
	Name      string        `json:"name"`
	Suite     string        `json:"suite"`
	Items     int           `json:"items"`
	Seats     int           `json:"seats"`
	Arms      []contest.Arm `json:"arms"`
	Started   time.Time     `json:"started"`
	Simulated bool          `json:"simulated"`
	Ended     bool          `json:"ended"`
	Running   bool          `json:"running"` // by this or another process
}

// planned returns the plan of an evaluation; false if it cannot be read.
func planned(t store.Tip) (contest.Plan, bool) {
	p, ok := contest.PlanKind.Of(t.Root)
	return p, ok && p.Name != ""
}

// List lists the evaluations, the newest first.
func (l *Library) List(ctx context.Context) ([]Info, error) {
	tips, err := l.store.Tips(ctx, evalRefs)
	if err != nil {
		return nil, err
	}
	out := []Info{}
	for _, tip := range tips {
		if p, ok := planned(tip); ok {
			ended := tip.Head.ID != tip.Root.ID
			running := !ended && l.core.Held("eval-"+p.Name)
			if !ended && !running { // it may have ended since it was listed: the end is recorded before the lock is released
				now, err := l.store.Tip(ctx, evalRefs+p.Name)
				ended = err == nil && now.Root.ID == tip.Root.ID && now.Head.ID != now.Root.ID
			}
			out = append(out, Info{Name: p.Name, Suite: p.Suite, Items: p.Items, Seats: len(p.Seats), Arms: p.Arms, Started: tip.Root.At,
				Simulated: p.Simulated, Ended: ended, Running: running})
		}
	}
	if len(out) == 0 {
		return out, l.store.Lost(ctx, evalRefs, "evaluations", func(t store.Tip) bool {
			_, ok := planned(t)
			return ok
		})
	}
	return out, nil
}

// Evaluation is the record of a contest without its rooms.
type Evaluation struct {
	Root     tree.ID
	Plan     contest.Plan
	Limits   contest.Limits
	Chosen   contest.Chosen
	Items    []suite.Item
	Outcomes []contest.Outcome
	Started  time.Time
	Ended    bool
	Paid     cost.Usage // for every call, shared ones once
	Lost     float64    // dollars that may have been paid for calls that never returned
}
