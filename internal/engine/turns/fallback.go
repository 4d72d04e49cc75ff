package turns

import (
	"context"
	"errors"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/talk"
)

// passing are the failures with which another model may do better.
var passing = []trouble.Kind{trouble.Overloaded, trouble.RateLimit, trouble.Quota, trouble.Stall,
	trouble.Malformed, trouble.Empty, trouble.Network}

// fallBack lets the fallback model answer the rest of the turn, if one is set and the chosen model cannot; false: nothing changed. It
// continues from everything that was recorded. A program that works by itself cannot take over in the middle.
func (w *turn) fallBack(ctx context.Context, end llm.End, failed error) bool {
	spec := w.lib.wiring.Fallback
	why := "refused to answer"
	if failed != nil {
		e, ok := errors.AsType[*trouble.Error](failed)
		if !ok || !slices.Contains(passing, e.Kind) {
			return false
		}
		why = "failed (" + e.Error() + ")"
	} else if end.Stop != llm.StopRefusal {
		return false
	}
	if spec == "" || spec == w.spec || ctx.Err() != nil {
		return false
	}
	m, err := w.lib.wiring.Seat(ctx, spec)
	if err != nil || m.Info().Acts {
		return false
	}
	notice := talk.NoticeKind.New("", "code", talk.Notice{Text: w.spec + " " + why + ": " + spec + " answers the rest of this turn"})
	if w.add(context.WithoutCancel(ctx), notice) != nil {
		return false
	}
	w.model, w.spec = m, spec
	w.lostUsage = w.lostUsage.Add(end.Usage)
	return true
}
