package strategy

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
)

// council is the default: blind ballots, checks before persuasion, one cross-examination only on disagreement.
var council = register(debate.Strategy{
	Name:  "council",
	Doc:   "blind ballots, checks by code, and an anonymous cross-examination if seats disagree",
	When:  "The default, and the only strategy with independent votes: for decisions that are costly to get wrong.",
	Least: 2, Rounds: 2, Spares: true,
	Turns: func(rounds int) (int, int) { return 1, 1 + rounds },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		turns, err := r.Vote(ctx)
		if err != nil {
			return err
		}
		joined, err := r.Welcome(ctx)
		if err != nil {
			return err
		}
		if err := r.Snapshot(ctx); err != nil {
			return err
		}
		seats := r.Usable(append(turns, joined...))
		if err := r.Verify(ctx, seats); err != nil {
			return err
		}
		for round := 1; round <= min(4, r.Frame.Limits.Rounds) && r.Disagree() && len(seats) > 1; round++ {
			joined, err := r.Welcome(ctx)
			if err != nil {
				return err
			}
			seats = append(seats, r.Usable(joined)...)
			// Another round is held only for something new that code could check.
			if moved, err := r.CrossExamine(ctx, round, seats); err != nil || !moved {
				return err
			}
		}
		return nil
	},
})
