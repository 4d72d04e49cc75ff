// Package retry retries calls that failed temporarily, and ends those that fell silent.
//
// trouble.Error.Retryable decides what is temporary. Waits double from a second to half a minute with up to a fifth
// of jitter, or are as long as the vendor asks for, within a limit. A vendor that answers nonsense is asked three
// times at most. Without a network a patient request waits for it, and such attempts do not count. Silence, from the
// request to the first delta or between two, is a stall after two minutes; the time that the reader takes is not
// silence.
package retry

import (
	"cmp"
	"context"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Patience is how long a Guard keeps trying.
type Patience struct {
	Tries   int           // calls in all; 0: 4
	Base    time.Duration // first wait, doubled each time up to half a minute, with up to a fifth of jitter; 0: 1 s
	Longest time.Duration // a vendor that asks for a longer wait is not asked again; 0: 60 s
	Idle    time.Duration // silence after which a call counts as stalled; 0: 2 min
	Offline time.Duration // how long to wait for the network; such attempts do not count. 0: not at all
}

func (p Patience) withDefaults() Patience {
	p.Tries, p.Base = cmp.Or(p.Tries, 4), cmp.Or(p.Base, time.Second)
	p.Longest, p.Idle = cmp.Or(p.Longest, time.Minute), cmp.Or(p.Idle, 2*time.Minute)
	return p
}

// patient returns the patience for a request that is marked as patient.
func (p Patience) patient() Patience {
	p.Tries, p.Longest, p.Offline = max(p.Tries, 15), max(p.Longest, 15*time.Minute), max(p.Offline, time.Hour)
	return p
}

// mostWait limits the waits that no vendor asks for; fewTries limits the attempts after an unusable answer.
const (
	mostWait = 30 * time.Second
	fewTries = 3
)

// Guard wraps m with retries and an idle limit. A call that failed temporarily is repeated, even if part of its
// answer had come: that part is void, so that no text is doubled and no half answer counts as complete. Each retry is
// yielded as Delta.Retry, before the wait.
func Guard(m llm.Model, p Patience) llm.Model { return guarded{m, p.withDefaults()} }

// guarded is a model with retries.
type guarded struct {
	llm.Model
	p Patience
}

// Close closes the wrapped model if it can be closed.
func (g guarded) Close() error {
	if c, ok := g.Model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Stream yields deltas of all attempts; after a Retry with Void set, what came before it must be discarded.
func (g guarded) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if req.Patient {
		g.p = g.p.patient()
	}
	return func(yield func(llm.Delta, error) bool) {
		tries := attempts{p: g.p}
		for {
			spoke, more, err := g.once(ctx, req, yield)
			if err == nil || !more {
				return
			}
			e := trouble.As(err)
			wait, again := tries.next(e)
			if ctx.Err() != nil || !again {
				yield(llm.Delta{}, err)
				return
			}
			slog.Warn("retrying model call", "model", g.Info().ID, "attempt", tries.all, "wait", wait, "error", e)
			if !yield(llm.Delta{Retry: &llm.Retry{Attempt: tries.all, Wait: wait, Err: e, Void: spoke}}, nil) {
				return
			}
			if !Pause(ctx, wait) {
				yield(llm.Delta{}, ctx.Err())
				return
			}
		}
	}
}

// attempts counts the attempts of one call.
type attempts struct {
	p         Patience
	all, used int
	offline   time.Duration // time spent waiting for the network
}

// next decides whether and when to try again after e.
func (a *attempts) next(e *trouble.Error) (wait time.Duration, again bool) {
	a.all++
	if e.Offline && a.offline < a.p.Offline {
		wait = a.backoff(a.all)
		a.offline += wait
		return wait, true
	}
	a.used++
	most := a.p.Tries
	if e.Kind == trouble.Malformed || e.Kind == trouble.Empty {
		most = min(most, fewTries)
	}
	wait = max(a.backoff(a.used), e.RetryAfter)
	if a.used == 1 && e.Kind == trouble.Network && !e.Unsent { // a broken connection says nothing about the server
		wait /= 4
	}
	return wait, e.Retryable() && a.used < most && wait <= a.p.Longest
}

// backoff returns the wait before the n-th next attempt, with jitter so that many processes do not come back at once.
func (a *attempts) backoff(n int) time.Duration {
	w := a.p.Base
	for range n - 1 {
		w = min(2*w, max(mostWait, a.p.Base))
	}
	return w + time.Duration(rand.Int64N(int64(w)/5+1))
}

// once runs one call. spoke: part of an answer was forwarded; more: the reader still listens.
func (g guarded) once(ctx context.Context, req llm.Request, yield func(llm.Delta, error) bool) (spoke, more bool, err error) {
	stalled := &trouble.Error{Kind: trouble.Stall, Message: "no data for " + g.p.Idle.String()}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(g.p.Idle, func() { cancel(stalled) })
	defer idle.Stop()
	for d, err := range g.Model.Stream(ctx, req) {
		if err != nil {
			if context.Cause(ctx) == stalled {
				err = stalled
			}
			return spoke, true, err
		}
		idle.Stop() // a slow reader is not silence of the model
		spoke = spoke || d.Part()
		if !yield(d, nil) {
			return spoke, false, nil
		}
		if d.End != nil {
			return spoke, true, nil
		}
		idle.Reset(g.p.Idle)
	}
	if context.Cause(ctx) == stalled {
		return spoke, true, stalled
	}
	return spoke, true, &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"}
}

// Pause waits; it returns false if ctx ended before.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
