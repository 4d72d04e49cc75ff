package strategy

import (
	"context"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

// delphi has the seats estimate a number, blind, and again after seeing how the estimates lie and why.
var _ = register(debate.Strategy{
	Name:  "delphi",
	Doc:   "seats estimate a number blind, then revise it knowing the others' reasons; median and quartiles",
	When:  "For questions of how much, how long or how many. The answer is a range; the verdict only says how many seats it covers.",
	Least: 3, Rounds: 2, Explores: true, Estimates: true,
	Turns: func(rounds int) (int, int) { return 2, 1 + rounds },
	Run: func(ctx context.Context, r *debate.Room) error {
		var rounds []verdict.Quartiles
		for round := 0; round <= max(1, r.Frame.Limits.Rounds); round++ {
			q, ok, err := r.Estimate(ctx, round)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			rounds = append(rounds, q)
			if n := len(rounds); r.Polled() || n > 1 && spread(rounds[n-1]) >= .9*spread(rounds[n-2]) {
				break // they no longer converge
			}
		}
		// Even without estimates: then nobody has voted, and the verdict says so.
		return r.Cover(ctx)
	},
})

// spread returns the interquartile range.
func spread(q verdict.Quartiles) float64 { return q.High - q.Low }
