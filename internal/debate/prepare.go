package debate

import (
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// Preparing is the state of a room, shown under its root, while its seats are got ready.
const Preparing = "preparing"

// refusedNote begins the key of the note that a seat is refused.
const refusedNote = "refused/"

// prepare gets the seats ready and says which of them are refused, before any is asked.
func (r *Room) prepare(ctx context.Context) error {
	if r.Prepare == nil || r.book.Sealed {
		return nil
	}
	round, over := r.time.round(ctx)
	defer over()
	// The seats of the caller stay as they are.
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
		if err := r.book.note(ctx, refusedNote+s.Info.ID, s.Info.ID+" is not asked: "+s.Refused); err != nil {
			return err
		}
	}
	return nil
}

// remarks are the notes a reader of the result needs. That a seat was refused is one only as long as nothing else tells
// what became of it: a lost seat is named with its reason, and one that was asked after all has answered.
func (res Result) remarks(notes []ruling.Note, seats []table.Seat) []string {
	out := []string{}
	for _, s := range seats {
		if s.Open != "" {
			out = append(out, s.ID+": "+s.Open)
		}
	}
	for _, n := range notes {
		id, refused := strings.CutPrefix(n.Key, refusedNote)
		if refused && slices.ContainsFunc(res.Seats, func(s SeatResult) bool { return s.ID == id && s.Status != Spared }) {
			continue
		}
		out = append(out, n.Text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
