package strategy

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
)

// single asks one seat. It is the baseline that every panel must beat.
var _ = register(debate.Strategy{
	Name: "single",
	Doc:  "one seat answers and its claims are checked",
	When: "For cheap questions, and as the baseline for a panel: if one seat answers as well, save the money (measure it with socrates " +
		"eval). One lineage never scores above .60.",
	Least: 1, Most: 1,
	Turns: fixed(1),
	Run: func(ctx context.Context, r *debate.Room) error {
		r.Seats = r.Seats[:1]
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		turns, err := r.Vote(ctx)
		if err != nil {
			return err
		}
		if err := r.Snapshot(ctx); err != nil {
			return err
		}
		return r.Verify(ctx, r.Usable(turns))
	},
})
