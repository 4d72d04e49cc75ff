package home

import (
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/seat"
)

// Judge makes of a spec the judge of a panel: it holds no seat, and its family must be none of the panel's, or its word about a
// seat's evidence would not be another family's.
// The judge gets an id that no seat has, since ids name both in the record.
func (ss *Seats) Judge(ctx context.Context, spec string, panel []table.Seat) (*table.Seat, error) {
	one, _, err := ss.Panel(ctx, []string{spec})
	if err != nil {
		return nil, err
	}
	if len(one) != 1 {
		return nil, failure.Usage("the judge "+spec+" is a panel, not a model", "name one model, such as anthropic:big")
	}
	judge := one[0]
	if judge.Persona.Name != "" {
		return nil, failure.Usage("the judge "+spec+" cannot have a persona", "leave out @"+judge.Persona.Name)
	}
	if _, err := seat.Company(append(slices.Clone(panel), judge)); err != nil {
		return nil, err
	}
	used := map[string]int{}
	for _, s := range panel {
		if s.Lineage == judge.Lineage {
			return nil, failure.Usage("the judge "+spec+" is of the same family as seat "+s.ID+" ("+s.Lineage+")",
				"name a model of another family, or leave the judge out")
		}
		seat.NextID(used, s.Spec)
	}
	judge.ID = seat.NextID(used, judge.Spec)
	return &judge, nil
}
