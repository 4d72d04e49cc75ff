package frame

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Analysis frames the debate by which a run finds out how to do what is wanted.
func (a *Framer) Analysis(ctx context.Context, dir, question string, w way.Way) (*rooms.Debate, error) {
	op, err := a.Frame(ctx, &Flags{Seats: w.Panel, Files: w.Files, Commands: w.Allow, Dir: dir}, question)
	if err == nil && op.Frame.Rehearsal {
		err = failure.Usage("no model configured: a rehearsal analyzes nothing",
			"connect a model: socrates login; or name seats with --seat")
	}
	return op, err
}
