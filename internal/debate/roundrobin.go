package debate

import (
	"context"
	"fmt"
)

// roundrobin lets the seats speak one after the other, each having heard all before it.
var roundrobin = Strategy{
	Name:  "roundrobin",
	Doc:   "seats speak in turn, each having read all before it; then votes",
	When:  "To develop an idea further than one seat would. The first speaker sways the rest, so the order is drawn from the seed.",
	Least: 2, Rounds: 2, Explores: true,
	Turns: func(rounds int) (int, int) { return 1 + rounds, 1 + rounds },
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			seats := r.present(r.Seats...)
			shuffler(r.Frame.Seed, "turns").Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
			for _, s := range seats {
				if _, err := r.talk(ctx, phase{name: fmt.Sprintf("%d", round), task: "turn", words: 200}, s); err != nil {
					return err
				}
			}
		}
		return r.conclude(ctx)
	},
}
