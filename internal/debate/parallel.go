package debate

import "context"

// parallel has every seat write a proposal, take the others' apart, and defend its own; one seat then draws them
// together.
var parallel = Strategy{
	Name:  "parallel",
	Doc:   "proposals, critiques and rebuttals by all seats at once, a synthesis by one; then votes",
	When:  "To get a worked-out answer and its weak points, when the options are known but their consequences are not.",
	Least: 2, Explores: true,
	Turns: func(int) (int, int) { return 4, 5 },
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		for _, ph := range []phase{
			{name: "proposal", task: "proposal", blind: true},
			{name: "critique", task: "critique"},
			{name: "rebuttal", task: "rebuttal", words: 200},
		} {
			if _, err := r.talk(ctx, ph, r.Seats...); err != nil {
				return err
			}
		}
		if err := r.synthesis(ctx); err != nil {
			return err
		}
		return r.conclude(ctx)
	},
}

// synthesis lets one seat draw together what was said; if it fails, one more tries.
func (r *Room) synthesis(ctx context.Context) error {
	seats := r.present(r.Seats...)
	shuffler(r.Frame.Seed, "synthesis").Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	for _, s := range seats[:min(2, len(seats))] {
		turns, err := r.talk(ctx, phase{name: "synthesis", task: "synthesis", words: 400}, s)
		if err != nil || len(turns) > 0 && turns[0].State == Answered {
			return err
		}
	}
	return nil
}
