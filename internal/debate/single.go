package debate

import "context"

// single asks one seat. It is what every panel must be better than.
var single = Strategy{
	Name:  "single",
	Doc:   "one seat answers and its claims are checked",
	When:  "For cheap questions, and as the baseline for a panel: if one seat answers as well, save the money (measure it with socrates eval). One lineage never scores above .60.",
	Least: 1,
	Turns: fixed(1),
	Run: func(ctx context.Context, r *Room) error {
		r.Seats = r.Seats[:1]
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		turns, err := r.blind(ctx)
		if err != nil {
			return err
		}
		if err := r.count(ctx, turns); err != nil {
			return err
		}
		if err := r.snapshot(ctx); err != nil {
			return err
		}
		return r.verify(ctx, r.usable(turns))
	},
}
