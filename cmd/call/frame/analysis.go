package frame

import (
	"cmp"
	"context"

	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Analysis frames the debate in which a run decides how to reach its goal. A run without a plan debates how to make
// one. Rule-based seats cannot do that, and a plan made of their words would look like one made by models, so a
// rehearsal is refused.
func (a *Framer) Analysis(ctx context.Context, dir, question string, w way.Way) (*rooms.Debate, error) {
	op, err := a.Frame(ctx, &Flags{Seats: w.Panel, Files: w.Files, Commands: w.Allow, Dir: dir}, question)
	if err == nil && op.Frame.Rehearsal {
		err = failure.Usage("the rehearsal is rule-based: it cannot analyze anything", home.SetUpHint)
	}
	if err != nil {
		return nil, err
	}
	m := w.Manner(way.Analyze)
	for i := range op.Frame.Seats {
		op.Frame.Seats[i].Effort = cmp.Or(m.Effort, op.Frame.Seats[i].Effort)
	}
	op.Frame.Limits.SeatTimeout = cmp.Or(w.Manners[way.Analyze].Timeout, op.Frame.Limits.SeatTimeout)
	return op, nil
}
