package frame

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
)

// judge is the model that judges evidence without a seat, if one is named. A rehearsal has none, and a setting that does not suit
// this panel is passed over with a warning.
func (a *Framer) judge(ctx context.Context, d *Flags, panel []debate.SeatInfo, isRehearsal bool) (*debate.SeatInfo, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	given := d.Set.Given("debate.judge")
	spec := c.String("debate.judge")
	if spec == "" || isRehearsal && !given {
		return nil, nil
	}
	judge, err := a.Home.Seats.Judge(ctx, spec, panel)
	if err != nil && !given {
		a.Out.Warn("no judge takes part: " + err.Error())
		return nil, nil
	}
	return judge, err
}

// sitting lists who takes part.
func sitting(f debate.Frame) string {
	if f.Judge == nil {
		return SeatList(f.Seats)
	}
	return SeatList(f.Seats) + "; judge: " + f.Judge.ID + " (" + f.Judge.Lineage + ")"
}
