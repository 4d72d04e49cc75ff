package llm

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"time"
)

// Patience says how long a Guard bears with a model.
type Patience struct {
	Tries   int           // calls in all; 0: 4
	Base    time.Duration // first wait, doubled each time, with up to a fifth of jitter; 0: 1 s
	Longest time.Duration // a vendor that asks for a longer wait is not waited for; 0: 60 s
	Idle    time.Duration // silence after which a call counts as stalled; 0: 2 min
}

func (p Patience) withDefaults() Patience {
	if p.Tries == 0 {
		p.Tries = 4
	}
	if p.Base == 0 {
		p.Base = time.Second
	}
	if p.Longest == 0 {
		p.Longest = time.Minute
	}
	if p.Idle == 0 {
		p.Idle = 2 * time.Minute
	}
	return p
}

// Guard wraps m with retries and an idle limit. A call is tried again only if it failed in a retryable way
// before it yielded any part of an answer, so no text is ever doubled. Each retry is yielded as Delta.Retry.
func Guard(m Model, p Patience) Model { return guarded{m, p.withDefaults()} }

type guarded struct {
	Model
	p Patience
}

// Close closes the wrapped model if it can be closed.
func (g guarded) Close() error {
	if c, ok := g.Model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (g guarded) Stream(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		for try := 1; ; try++ {
			spoke, more, err := g.once(ctx, req, yield)
			if err == nil || !more {
				return
			}
			e := AsError(err)
			wait := g.wait(try, e)
			if ctx.Err() != nil || spoke || !e.Retryable() || try >= g.p.Tries || wait > g.p.Longest {
				yield(Delta{}, err)
				return
			}
			if !yield(Delta{Retry: &Retry{try, wait, e}}, nil) {
				return
			}
			if !sleep(ctx, wait) {
				yield(Delta{}, ctx.Err())
				return
			}
		}
	}
}

// once runs one call. spoke: part of an answer was passed on; more: the reader still listens.
func (g guarded) once(ctx context.Context, req Request, yield func(Delta, error) bool) (spoke, more bool, err error) {
	stalled := &Error{Kind: Stall, Message: "nothing came for " + g.p.Idle.String()}
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
		idle.Stop() // a slow reader is no silence of the model
		spoke = spoke || d.part()
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
	return spoke, true, &Error{Kind: Malformed, Message: "the response was cut off"}
}

func (g guarded) wait(try int, e *Error) time.Duration {
	w := g.p.Base << (try - 1)
	w += time.Duration(rand.Int64N(int64(w)/5 + 1))
	return max(w, e.RetryAfter)
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
