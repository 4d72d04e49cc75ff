package cmd

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
)

// judge is the model that judges evidence without a seat, if one is named. A rehearsal has none, and a setting that does not suit
// this panel is passed over with a warning.
func judge(ctx context.Context, a *app, d *debateFlags, panel []debate.SeatInfo, isRehearsal bool) (*debate.SeatInfo, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	flag := d.set["debate.judge"]
	given := flag != nil && *flag != ""
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

func seatList(seats []debate.SeatInfo) string {
	var ids []string
	for _, s := range seats {
		ids = append(ids, s.Title()+" ("+s.Lineage+")")
	}
	return strings.Join(ids, ", ")
}

// sitting lists who takes part.
func sitting(f debate.Frame) string {
	if f.Judge == nil {
		return seatList(f.Seats)
	}
	return seatList(f.Seats) + "; judge: " + f.Judge.ID + " (" + f.Judge.Lineage + ")"
}
