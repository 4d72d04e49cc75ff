package strategy

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/socrates-cli/socrates/internal/debate"
)

//go:embed prompt/turn.md
var turnTask string

// roundrobin has the seats speak one after another, each having read all before it.
var _ = register(debate.Strategy{
	Name:  "roundrobin",
	Doc:   "seats speak in turn, each having read all before it; then votes",
	When:  "To develop an idea further than one seat would. The first speaker sways the rest, so the order is drawn from the seed.",
	Least: 2, Rounds: 2, Explores: true,
	Turns: func(rounds int) (int, int) { return 1 + rounds, 1 + rounds },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			seats := r.Present(r.Seats...)
			r.Draw("turns").Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
			for _, s := range seats {
				if _, err := r.Talk(ctx, debate.Phase{Name: fmt.Sprintf("%d", round), Task: turnTask, Words: 200}, s); err != nil {
					return err
				}
			}
		}
		return r.Conclude(ctx)
	},
})
