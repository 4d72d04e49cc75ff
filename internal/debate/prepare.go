package debate

import (
	"context"
	"slices"
)

// Preparing is the state of a room, shown under its root, while its seats are prepared.
const Preparing = "preparing"

// refusedNote is the prefix of the key of a note that a seat is refused.
const refusedNote = "refused/"

// prepare prepares the seats and notes which are refused, before any is asked.
func (r *Room) prepare(ctx context.Context) error {
	if r.Prepare == nil || r.journal.Sealed {
		return nil
	}
	round, over := r.time.round(ctx)
	defer over()
	// The caller's seats are not changed.
	r.Seats = slices.Clone(r.Seats)
	err := r.Prepare(round, r.Seats)
	ready := r.Seats
	if r.Judge != nil && err == nil {
		judge := []Seat{*r.Judge}
		err = r.Prepare(round, judge)
		r.Judge, ready = &judge[0], append(slices.Clone(ready), judge...)
	}
	switch {
	case round.Err() != nil && ctx.Err() == nil:
		return nil // nobody is asked any more
	case err != nil:
		return err
	}
	for _, s := range ready {
		if s.Refused == "" {
			continue
		}
		if err := r.journal.note(ctx, refusedNote+s.Info.ID, s.Info.ID+" is not asked: "+s.Refused); err != nil {
			return err
		}
	}
	return nil
}
