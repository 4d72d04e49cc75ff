package runs

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Reword puts a person's text in the place of what the last phase of a run came to: a request, or an analysis by one model. A plan is
// changed by Plan, which has code check it; what a panel decided is its own.
type Reword struct{ Run, Text string }

// Do implements engine.Op.
func (op Reword) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, s, unlock, err := l.held(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	text := strings.TrimSpace(l.store.Clean(op.Text))
	if text == "" {
		return root, &engine.Refusal{Message: "the text is empty: nothing was changed"}
	}
	hash, err := l.keep(ctx, text)
	if err != nil {
		return root, err
	}
	var n tree.Node
	switch p := s.Behind(); {
	case p == way.Refine:
		n = way.RefineKind.New(root, "person", way.Refined{Text: hash, Talk: s.Refined.Talk})
	case p == way.Analyze && s.Analyzed.Room == "":
		n = way.AnalyzeKind.New(root, "person", way.Analyzed{Talk: s.Analyzed.Talk, Text: hash, Points: pointsOf(text)})
	case p == way.Analyze:
		return root, &engine.Refusal{Message: "a panel's decision cannot be edited", Hint: "say what to change, and it debates again"}
	default:
		return root, &engine.Refusal{Message: "run " + op.Run + " has nothing to edit yet"}
	}
	_, err = l.store.Append(ctx, n)
	return root, err
}

// pointsOf are the points that an analysis names, one a line.
func pointsOf(text string) []plan.Point {
	points := []plan.Point{}
	for _, m := range pointLine().FindAllStringSubmatch(text, -1) {
		points = append(points, plan.Point{ID: m[1], Kind: kindOf[m[1][0]], Text: m[2]})
	}
	return points
}
