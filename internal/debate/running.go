package debate

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/tree"
)

// running tracks the running turns: people can change their time limits meanwhile, and some end late.
type running struct {
	wait sync.WaitGroup // for turns whose phase is over

	mu      sync.Mutex       // guards the rest
	late    []exchange.Reply // statements that arrived after their phase, not yet admitted
	limits  map[string]time.Duration
	clocks  map[string]*clock // by seat
	applied map[tree.ID]bool  // messages that changed a running turn at once
}

// clock ends a turn at its limit, which can change while it runs.
type clock struct {
	timer *time.Timer
	since time.Time
	drop  context.CancelCauseFunc
}

// begin starts a seat's clock for one turn: its own limit, else the limit of all, else usual; 0: no limit.
func (r *running) begin(ctx context.Context, seat string, usual time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{since: time.Now(), drop: cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A person's limit for one seat has priority over one for all, and both over the frame's.
	if limit := cmp.Or(r.limits[seat], r.limits["all"], usual); limit > 0 {
		c.timer = time.AfterFunc(limit, func() { cancel(errSeatTime) })
	}
	r.clocks[seat] = c
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if c.timer != nil {
			c.timer.Stop()
		}
		delete(r.clocks, seat)
		cancel(nil)
	}
}

// applyNow applies a message to the running turns that it concerns.
func (r *running) applyNow(t Told) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for seat, c := range r.clocks {
		switch {
		case t.Message.Verb == people.Drop && t.Message.Seat == seat:
			c.drop(errDropped)
			r.applied[t.ID] = true
		case t.Message.Verb == people.Deadline && (t.Message.Seat == seat || t.Message.Seat == "all") && c.timer != nil:
			// Counted from the turn's beginning, not from the message.
			c.timer.Reset(max(0, t.Message.Limit-time.Since(c.since)))
			r.applied[t.ID] = true
		}
	}
}

// appliedNow reports whether a message changed a running turn.
func (r *running) appliedNow(message tree.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied[message]
}

// limit sets the time limit of later turns of a seat, or of "all".
func (r *running) limit(seat string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limits[seat] = d
}

// putLate keeps a statement for the next place at which messages are applied.
func (r *running) putLate(answer exchange.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = append(r.late, answer)
}

// takeLate removes and returns the late statements.
func (r *running) takeLate() []exchange.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = nil
	return late
}
