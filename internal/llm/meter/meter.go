// Package meter counts the tokens and cost of a call, however it ends.
//
// A [Meter] hears every delta of one call. If the call ends well, [Meter.Whole] adds the failed attempts to what the
// vendor counted. If not, [Meter.Failed] is the best lower bound: what the vendor had reported, else an estimate from
// the request and the received bytes, marked as at least. A call that was refused before a model read it costs
// nothing. [Ask] makes a call and does all of this. A Meter is for one goroutine.
package meter

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Meter counts what a call uses while it runs, so that a failed call is recorded by what was received.
type Meter struct {
	info  llm.Info
	input int        // of the request, estimated
	told  cost.Usage // reported by the vendor about this attempt, so far
	bytes int        // of the answer, so far
	lost  cost.Usage // by failed attempts
	last  cost.Usage // by the last of them
	next  time.Time  // no other attempt is sent before that
}

// New begins a call.
func New(info llm.Info, req llm.Request) *Meter { return &Meter{info: info, input: req.Tokens()} }

// Hear processes a delta.
func (m *Meter) Hear(d llm.Delta) {
	m.bytes += len(d.Text) + len(d.Think)
	switch {
	case d.Usage != nil:
		m.told = *d.Usage
	case d.Call != nil:
		m.bytes += len(d.Call.Args)
	case d.Retry != nil && d.Retry.Attempt == 0: // none failed, and none is sent before the wait is over
		m.last, m.next = cost.Usage{}, time.Now().Add(d.Retry.Wait)
	case d.Retry != nil && !m.info.Acts: // a program counts its own attempts
		m.last = m.Try(d.Retry.Err)
		m.lost = m.lost.Add(m.last)
		m.told, m.bytes, m.next = cost.Usage{}, 0, time.Now().Add(d.Retry.Wait)
	}
}

// Retried returns what the failed attempt used that d reports, after Hear got d; nothing for other deltas.
func (m *Meter) Retried(d llm.Delta) cost.Usage {
	if d.Retry == nil || m.info.Acts {
		return cost.Usage{}
	}
	return m.last
}

// Lost returns what all failed attempts used.
func (m *Meter) Lost() cost.Usage { return m.lost }

// Whole returns what a call used whose answer was completed with u. For a program that counts nothing it stays
// unknown.
func (m *Meter) Whole(u cost.Usage) cost.Usage {
	u = m.info.Price.Of(u)
	u.Least = u.Least || u.Total() == 0 && u.USD == 0 && u.Source != cost.Free
	return u.Add(m.lost)
}

// Failed returns what a call used that ended with err, or was abandoned with none: what the vendor reported and what
// came, else what was sent.
func (m *Meter) Failed(err error) cost.Usage { return m.Try(err).Add(m.lost) }

// Try returns what the current attempt used. One that was refused, or never sent, costs nothing.
func (m *Meter) Try(err error) cost.Usage {
	if m.told == (cost.Usage{}) && m.bytes == 0 && (turnedAway(err) || time.Now().Before(m.next)) {
		return cost.Usage{}
	}
	u := m.told
	if u.Input+u.CacheRead+u.CacheWrite == 0 {
		u.Input = m.input
	}
	u.Output = max(u.Output, m.bytes/4)
	u = m.info.Price.Of(u)
	u.Least = u.Source != cost.Free
	return u
}

// Unfinished returns what a call may have used if nothing is known but that it may have been sent.
func Unfinished(info llm.Info, req llm.Request) cost.Usage { return New(info, req).Failed(nil) }

// Ask makes one call and returns what it used, however it ended.
func Ask(ctx context.Context, model llm.Model, req llm.Request) (end llm.End, took cost.Usage, err error) {
	m := New(model.Info(), req)
	began := time.Now()
	defer func() { m.Log(began, took, err) }()
	for d, err := range model.Stream(ctx, req) {
		if err != nil {
			return llm.End{}, m.Failed(err), err
		}
		if m.Hear(d); d.End != nil {
			return *d.End, m.Whole(d.End.Usage), nil
		}
	}
	err = &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"}
	return llm.End{}, m.Failed(err), err
}

// Log writes to the program's log what the call used, and how it ended.
func (m *Meter) Log(began time.Time, took cost.Usage, err error) {
	about := []any{"model", m.info.ID, "ms", time.Since(began).Milliseconds(), "in", took.Input + took.CacheRead + took.CacheWrite,
		"cached", took.CacheRead, "out", took.Output}
	if err != nil {
		slog.Info("model call failed", append(about, "error", err)...)
		return
	}
	slog.Info("model call", about...)
}

// turnedAway reports whether a call without any answer was refused before a model read it, or was never sent.
func turnedAway(err error) bool {
	var e *trouble.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case trouble.Auth, trouble.Quota, trouble.RateLimit, trouble.Overloaded, trouble.Context, trouble.BadRequest:
		return true
	}
	return e.Unsent || e.Status >= 400
}
