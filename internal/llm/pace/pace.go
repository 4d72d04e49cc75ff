package pace

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// answer is the expected limit of tokens in an answer if the request sets none.
const answer = 8_000

// Model returns m with each request delayed until its book allows it. A wait is reported as a retry, with its length.
// provider is its name in sentences.
func Model(m llm.Model, provider string, b Book) llm.Model { return paced{m, provider, b} }

type paced struct {
	llm.Model
	provider string
	book     Book
}

// Close closes the wrapped model if it can be closed.
func (p paced) Close() error {
	if c, ok := p.Model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Stream books, waits and forwards.
func (p paced) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		slot, err := p.slot(ctx, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		slot, ok := p.wait(ctx, slot, yield)
		if !ok {
			return
		}
		meter, sent := meter.New(p.Info(), req), &sending{book: p.book, slot: slot}
		for d, err := range p.Model.Stream(httptrace.WithClientTrace(ctx, sent.trace()), req) {
			meter.Hear(d)
			if used := took(meter, d, err); used > 0 {
				sent.settle(used)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// slot books a request. A request that would not fit even alone is refused as too long.
func (p paced) slot(ctx context.Context, req llm.Request) (Slot, error) {
	tokens, most := req.Tokens(), p.book.Limits.Tokens
	if most > 0 && tokens > most {
		return Slot{}, &trouble.Error{Kind: trouble.Context, Unsent: true, Message: fmt.Sprintf(
			"the request has about %d tokens and providers.%s.tokens_per_minute is %d; "+
				"compact the conversation or raise the limit", tokens, p.provider, most)}
	}
	if tokens += expected(req); most > 0 {
		tokens = min(tokens, most)
	}
	slot, err := p.book.Take(ctx, time.Now(), tokens)
	if err != nil && ctx.Err() == nil {
		err = p.unusable(err)
	}
	return slot, err
}

// unusable refuses a request whose limits cannot be kept.
func (p paced) unusable(err error) error {
	return &trouble.Error{Kind: trouble.BadRequest, Unsent: true, Err: err,
		Message: "cannot apply the limits of " + p.provider + ": " + err.Error()}
}

// expected returns how many tokens the answer will have: the request's limit, but no more than answers usually have.
func expected(req llm.Request) int {
	if req.MaxTokens > 0 {
		return min(req.MaxTokens, answer)
	}
	return answer
}

// telling is how often a waiting request reports that it still waits: silence would count as a stalled call.
const telling = 30 * time.Second

// sending is a request that was sent. Its slot counts from the latest time at which the vendor may have received it:
// before an answer began, and not much later than it was sent.
type sending struct {
	book     Book
	mu       sync.Mutex
	slot     Slot
	written  time.Time
	answered bool
}

// way is how long a sent request can travel; spare is how late a slot may be without being corrected.
const way, spare = 5 * time.Second, minute - time.Minute

// trace observes the request that the connection carries.
func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.written = time.Now()
		},
		GotFirstResponseByte: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.answered = true
			s.arrived(time.Now())
		},
	}
}

// arrived corrects the slot of a request that its vendor has received by now.
func (s *sending) arrived(now time.Time) {
	at := now
	if most := s.written.Add(way); !s.written.IsZero() && most.Before(at) {
		at = most
	}
	if at.Sub(s.slot.At) > spare {
		s.slot, _ = s.book.Late(s.slot, now, at) // if it cannot, the slot counts as it was booked
	}
}

// settle makes the slot count what its request used. A request without an answer may have arrived all the same.
func (s *sending) settle(tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.written.IsZero() && !s.answered {
		s.arrived(now)
	}
	s.book.Settle(s.slot, now, tokens) // if it cannot, the slot counts as it was booked
}

// wait waits until a slot begins; false means that nobody waits any more, and the slot is free again.
func (p paced) wait(ctx context.Context, slot Slot, yield func(llm.Delta, error) bool) (Slot, bool) {
	full := &trouble.Error{Kind: trouble.RateLimit, Unsent: true, Message: "your limit per minute for " + p.provider + " is reached"}
	if wait := time.Until(slot.At); wait > 0 {
		slog.Info("limit per minute reached", "provider", p.provider, "wait", wait)
	}
	for !slot.Begun {
		wait := time.Until(slot.At)
		if wait <= 0 {
			var err error
			if slot, err = p.book.Begin(ctx, slot, time.Now()); err != nil {
				yield(llm.Delta{}, cmp.Or(ctx.Err(), p.unusable(err)))
				return slot, false
			}
			continue
		}
		if !yield(llm.Delta{Retry: &llm.Retry{Wait: wait, Err: full}}, nil) {
			p.book.Drop(slot, time.Now())
			return slot, false
		}
		select {
		case <-ctx.Done():
			p.book.Drop(slot, time.Now())
			yield(llm.Delta{}, ctx.Err())
			return slot, false
		case <-time.After(min(wait, telling)):
		}
	}
	return slot, true
}

// took returns how many tokens a request used, once it is over; 0 before.
func took(m *meter.Meter, d llm.Delta, err error) int {
	switch {
	case err != nil:
		return max(1, m.Failed(err).Total())
	case d.End != nil:
		return max(1, d.End.Usage.Total())
	}
	return 0
}
