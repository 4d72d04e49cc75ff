package frame

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
)

// judge returns the model that judges evidence without a seat, if one is named. A rehearsal has none. A flag must
// name a usable judge; a setting that does not suit this panel is skipped with a warning, since it cannot fit every
// panel.
func (a *Framer) judge(ctx context.Context, d *Flags, panel []table.Seat, isRehearsal bool) (*table.Seat, error) {
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

// sitting lists the seats for a person.
func sitting(f table.Frame) string {
	if f.Judge == nil {
		return SeatList(f.Seats)
	}
	return SeatList(f.Seats) + "; judge: " + f.Judge.ID + " (" + f.Judge.Lineage + ")"
}

// moderator returns the seat that moderates, found by its name or by the tier of its model; empty: it is drawn. Names
// are matched before tiers, so a seat that is called big is found under its name.
func (a *Framer) moderator(d *Flags, s debate.Strategy, seats []table.Seat) (string, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return "", err
	}
	wanted, given := c.String("debate.moderator"), d.Set.Given("debate.moderator")
	switch {
	case wanted == "" || !s.Moderated && !given:
		return "", nil
	case !s.Moderated:
		return "", failure.Usage("--moderator has no effect in the strategy "+s.Name, "nobody moderates it; leave it out")
	}
	var names []string
	for _, one := range seats {
		names = append(names, one.ID)
		if one.ID == wanted || one.Spec == wanted || strings.HasSuffix(one.Spec, ":"+wanted) {
			return one.ID, nil
		}
	}
	err = failure.Usage("no seat has the name or tier "+wanted+", so none can moderate",
		"the seats are: "+strings.Join(names, ", "))
	if !given {
		a.Out.Warn("debate.moderator: " + failure.Explain(err).Message)
		return "", nil
	}
	return "", err
}
