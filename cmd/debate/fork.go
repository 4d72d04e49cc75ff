package debate

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/seat"
)

// newResume returns the command resume. Answers are taken from the record under their keys, so only interrupted
// questions are asked again. Of the flags only those of delivery and checks apply; everything else is frozen in the
// frame.
func newResume(a *commands) *cobra.Command {
	d := &frame.Flags{}
	c := &cobra.Command{Use: "resume ROOM", Short: "Resume an interrupted debate, reusing paid answers",
		Args: room.One, ValidArgsFunction: a.rooms.CompleteOne}
	f := c.Flags()
	d.Delivery.Flags(a.Call, c)
	f.StringArrayVar(&d.Commands, "allow-check", nil, "allow checks to run this `command`")
	f.StringArrayVar(&d.Sources, "allow-source", nil, "allow checks to fetch from this `host`")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name, err := a.rooms.Name(ctx, e, args[0])
		if err != nil {
			return err
		}
		d.Apply(a.Call)
		if err := a.frames.Ready(d); err != nil {
			return err
		}
		if err := a.frames.Allow(d.Commands, d.Sources); err != nil {
			return err
		}
		return a.rooms.Conduct(ctx, e, rooms.Resume{Room: name}, d.Delivery)
	}
	return c
}

// newFork returns the command fork: a new debate that shares the old one's nodes as far as they still hold, and pays
// only for what differs.
func newFork(a *commands) *cobra.Command {
	d := &frame.Flags{}
	var at string
	var drop []string
	c := &cobra.Command{Use: "fork ROOM", Short: "Rerun with other seats or limits, reusing paid answers",
		Args: room.One, ValidArgsFunction: a.rooms.CompleteOne}
	f := c.Flags()
	f.StringVar(&at, "at", "", "drop everything after this `node` (end of its id)")
	f.StringArrayVar(&d.Seats, "seat", nil, "add this `seat` (repeatable)")
	f.StringArrayVar(&drop, "drop", nil, "drop this `seat` (repeatable)")
	d.Delivery.Flags(a.Call, c)
	f.StringArrayVar(&d.Commands, "allow-check", nil, "allow checks to run this `command`")
	f.StringArrayVar(&d.Sources, "allow-source", nil, "allow checks to fetch from this `host`")
	d.Settings(c)
	d.Set.Add(c, "effort", "debate.effort", "reasoning effort of added models: minimal, low, medium, high, xhigh, max")
	c.RunE = func(c *cobra.Command, args []string) error { return a.fork(c.Context(), d, args[0], at, drop) }
	return c
}

// Name, seats and limits are settled before the operation; Change then applies them to the frame that the engine reads
// again.
func (a *commands) fork(ctx context.Context, d *frame.Flags, room, at string, drop []string) error {
	d.Apply(a.Call)
	if err := a.frames.Ready(d); err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	name, err := a.rooms.Name(ctx, e, room)
	if err != nil {
		return err
	}
	f, err := rooms.In(e).Frame(ctx, name)
	if err != nil {
		return err
	}
	seats, err := a.reseat(ctx, f, d, drop)
	if err != nil {
		return err
	}
	if err := a.frames.Allow(d.Commands, d.Sources); err != nil {
		return err
	}
	fresh, err := a.frames.Limits()
	if err != nil {
		return err
	}
	// A copy is changed here to print and check it; Change does the same to the frame that counts.
	f.Seats, f.Limits = seats, change(d, f.Limits, fresh)
	if err := seat.TellTruth(&f, ""); err != nil {
		return err
	}
	if err := frame.Enough(f, 0); err != nil {
		return err
	}
	a.frames.Estimate(f, 0)
	fork := rooms.Fork{Room: name, At: at, Change: func(g *table.Frame) { g.Seats, g.Limits = f.Seats, f.Limits }}
	return a.rooms.Conduct(ctx, e, fork, d.Delivery)
}

// change takes the fresh limits that a flag sets, and the old ones otherwise. Limits that no flag sets stay those of
// the old debate, even if the settings have changed since.
func change(d *frame.Flags, old, fresh table.Limits) table.Limits {
	for key, assign := range map[string]func(){
		"debate.seat_timeout": func() { old.SeatTimeout = fresh.SeatTimeout },
		"debate.timeout":      func() { old.Timeout = fresh.Timeout },
		"debate.grace":        func() { old.Grace = fresh.Grace },
		"debate.rounds":       func() { old.Rounds = fresh.Rounds },
		"debate.budget_usd":   func() { old.USD = fresh.USD },
		"debate.max_tokens":   func() { old.Tokens = fresh.Tokens },
		"debate.tool_calls":   func() { old.ToolCalls = fresh.ToolCalls },
	} {
		if d.Set.Given(key) {
			assign()
		}
	}
	return old
}

// reseat drops and adds seats.
// A seat keeps its id, because its answers are recorded under it; an added one gets an id that no old seat had, dropped
// ones included.
func (a *commands) reseat(ctx context.Context, f table.Frame, d *frame.Flags, drop []string) ([]table.Seat, error) {
	var seats []table.Seat
	var ids []string
	for _, s := range f.Seats {
		ids = append(ids, s.ID)
		if !slices.Contains(drop, s.ID) {
			seats = append(seats, s)
		}
	}
	for _, id := range drop {
		if !slices.Contains(ids, id) {
			return nil, failure.Usage("no seat "+id+" in this debate", failure.Nearest(id, ids))
		}
	}
	more, _, err := a.Home.Seats.Panel(ctx, d.Seats)
	if err != nil {
		return nil, err
	}
	for _, s := range more {
		a.Home.Seats.WarnUnlisted(s.Spec)
		a.Home.Programs.WarnOpen(s.Spec, s.Open)
		for base, n := s.ID, 2; slices.Contains(ids, s.ID); n++ {
			s.ID = fmt.Sprintf("%s-%d", base, n)
		}
		// Two added seats must not get the same id, either.
		ids = append(ids, s.ID)
		seats = append(seats, s)
	}
	s, _ := strategy.Find(f.Strategy)
	switch {
	case s.Most > 0 && len(seats) > s.Most:
		return nil, failure.Usage(fmt.Sprintf("%d seats are too many for the strategy %s; the limit is %d", len(seats), s.Name, s.Most),
			"drop the others with --drop")
	case len(seats) < s.Least:
		return nil, failure.Usage(fmt.Sprintf("the strategy %s needs %d seats, not %d", s.Name, s.Least, len(seats)),
			"drop fewer, or add one with --seat")
	}
	// Seats that cannot debate together, such as a rehearsal among models, are refused here.
	_, err = seat.Company(seats)
	return seats, err
}
