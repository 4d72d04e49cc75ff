package frame

import (
	"context"
	"slices"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
)

// follow reads the debate that this one continues. Its seats and files are used unless flags name others. The result
// is nil if no debate is continued. It fills in d, so it must run before seats and context are made.
func (a *Framer) follow(ctx context.Context, d *Flags) (*debate.Result, error) {
	if d.Follows == "" {
		return nil, nil
	}
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	if d.Follows, err = room.New(a.Call).Name(ctx, e, d.Follows); err != nil {
		return nil, err
	}
	res, err := rooms.Named(ctx, rooms.In(e), d.Follows)
	if err != nil {
		return nil, err
	}
	if !res.Ended {
		return nil, failure.Usage("debate "+res.Room+" has not ended, so it cannot be followed up",
			"send it a message: socrates debate tell "+res.Room+" \"…\"")
	}
	if len(d.Seats) == 0 {
		for _, s := range res.Seats {
			if !s.Dropped {
				d.Seats = append(d.Seats, s.Called())
			}
		}
	}
	if len(d.Files) == 0 && d.contextFile == "" {
		d.Files = res.Files
	}
	return &res, nil
}

// remind gives seats their memory of an earlier debate. A seat remembers its own replies only if it is the same seat
// on the same model; a newcomer reads what everybody may know.
func remind(seats []table.Seat, earlier *debate.Result) {
	if earlier == nil {
		return
	}
	for i := range seats {
		there := slices.ContainsFunc(earlier.Seats, func(s debate.SeatResult) bool {
			return s.ID == seats[i].ID &&
				s.Spec == seats[i].Spec
		})
		seats[i].Newcomer = !there
		seats[i].Memory = earlier.Memory(map[bool]string{true: seats[i].ID}[there])
	}
}
