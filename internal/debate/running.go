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

// running is what concerns the turns that are running: people can change their time meanwhile, and some of them end late.
type running struct {
	wait sync.WaitGroup // for turns whose phase is over

	mu      sync.Mutex       // guards the rest
	late    []exchange.Reply // statements that came after their phase, not yet admitted
	limits  map[string]time.Duration
	clocks  map[string]*clock // by seat
	applied map[tree.ID]bool  // messages that changed a running turn at once
}

// clock ends a turn. Its limit can be changed while it runs.
type clock struct {
	timer *time.Timer
	since time.Time
	drop  context.CancelCauseFunc
}

// begin starts a seat's time for one turn: its own limit, else that of all, else usual. 0: it has none.
func (r *running) begin(ctx context.Context, seat string, usual time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{since: time.Now(), drop: cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A person's message for one seat goes before one for all, and both before the frame's limit.
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

// applyNow has a message work on the turns that are running, as far as it concerns them.
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

// appliedNow says whether a message changed a running turn.
func (r *running) appliedNow(message tree.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied[message]
}

// limit sets the time of later turns of a seat, or of "all".
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

// takeLate are the statements that came since it was last asked.
func (r *running) takeLate() []exchange.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	late := r.late
	r.late = nil
	return late
}
