package debate

import (
	"context"
	"fmt"
	"slices"
)

// adversarial gives every seat an option to defend, whatever it thinks of it, and lets all vote as they like at the end.
var adversarial = Strategy{
	Name:  "adversarial",
	Doc:   "every seat defends the option it is given: cases, answers, closing words; then all vote freely",
	When:  "To hear the best case for each side, above all for the one nobody likes. Advocacy is not belief: the votes at the end are.",
	Least: 2, Explores: true,
	Turns: fixed(4),
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		side := r.sides()
		if n := len(r.ledger.Options); n > len(r.Seats) {
			if err := r.book.note(ctx, "sides", fmt.Sprintf("%d options and %d seats: some options have no advocate", n, len(r.Seats))); err != nil {
				return err
			}
		}
		told := func(seat string) string {
			return "You argue for option " + side[seat] + ", as well as the evidence allows."
		}
		for _, ph := range []phase{
			{name: "case", task: "case", blind: true, detail: told},
			{name: "answer", task: "answer", words: 200, detail: told},
			{name: "closing", task: "closing", words: 150, detail: told},
		} {
			if _, err := r.talk(ctx, ph, r.Seats...); err != nil {
				return err
			}
		}
		return r.conclude(ctx)
	},
}

// sides gives every seat an option to defend: the options in turn, drawn by the seed, so that each has an advocate if
// there are seats enough and seats of one lineage do not all stand on one side.
func (r *Room) sides() map[string]string {
	seats := slices.Clone(r.Seats)
	shuffler(r.Frame.Seed, "sides").Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	slices.SortStableFunc(seats, func(a, b Seat) int {
		return slices.IndexFunc(seats, func(s Seat) bool { return s.Info.Lineage == a.Info.Lineage }) -
			slices.IndexFunc(seats, func(s Seat) bool { return s.Info.Lineage == b.Info.Lineage })
	})
	side := map[string]string{}
	for i, s := range seats {
		side[s.Info.ID] = r.ledger.Options[i%len(r.ledger.Options)].Key
	}
	return side
}
