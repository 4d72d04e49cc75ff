package llm

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"
)

// Meter counts what a call takes while it runs, so that one that fails is booked by what was received.
type Meter struct {
	info  Info
	input int   // of the request, estimated
	told  Usage // by the vendor about this try, so far
	bytes int   // of the answer, so far
	lost  Usage // by tries that failed
	last  Usage // by the last of them
}

// NewMeter begins a call.
func NewMeter(info Info, req Request) *Meter { return &Meter{info: info, input: req.Tokens()} }

// Hear takes in a delta.
func (m *Meter) Hear(d Delta) {
	m.bytes += len(d.Text) + len(d.Think)
	switch {
	case d.Usage != nil:
		m.told = *d.Usage
	case d.Call != nil:
		m.bytes += len(d.Call.Args)
	case d.Retry != nil && !m.info.Acts: // a program counts its own tries
		m.last = m.Try(d.Retry.Err)
		m.lost = m.lost.Add(m.last)
		m.told, m.bytes = Usage{}, 0
	}
}

// Retried is what the try took that failed and is made again, as a delta told that Hear was given; nothing for other deltas.
func (m *Meter) Retried(d Delta) Usage {
	if d.Retry == nil || m.info.Acts {
		return Usage{}
	}
	return m.last
}

// Lost is what all tries took that failed.
func (m *Meter) Lost() Usage { return m.lost }

// Whole is what a call took whose answer came to its end with u. A program that counts nothing leaves that unknown.
func (m *Meter) Whole(u Usage) Usage {
	u = m.info.Price.Of(u)
	u.Least = u.Least || u.Total() == 0 && u.USD == 0 && u.Source != CostFree
	return u.Add(m.lost)
}

// Failed is what a call took that ended with err, or was left with none: what the vendor told and what came, else what was
// sent.
func (m *Meter) Failed(err error) Usage { return m.Try(err).Add(m.lost) }

// Try is what the running try took. One that was turned away, or never sent, costs nothing.
func (m *Meter) Try(err error) Usage {
	if m.told == (Usage{}) && m.bytes == 0 && turnedAway(err) {
		return Usage{}
	}
	u := m.told
	if u.Input+u.CacheRead+u.CacheWrite == 0 {
		u.Input = m.input
	}
	u.Output = max(u.Output, m.bytes/4)
	u = m.info.Price.Of(u)
	u.Least = u.Source != CostFree
	return u
}

// Unfinished is what a call took of which nothing is known but that it may have been sent.
func Unfinished(info Info, req Request) Usage { return NewMeter(info, req).Failed(nil) }

// Ask makes one call and says what it took, however it ended.
func Ask(ctx context.Context, model Model, req Request) (end End, took Usage, err error) {
	m := NewMeter(model.Info(), req)
	began := time.Now()
	defer func() { m.Log(began, took, err) }()
	for d, err := range model.Stream(ctx, req) {
		if err != nil {
			return End{}, m.Failed(err), err
		}
		if m.Hear(d); d.End != nil {
			return *d.End, m.Whole(d.End.Usage), nil
		}
	}
	err = &Error{Kind: Malformed, Message: "the response was cut off"}
	return End{}, m.Failed(err), err
}

// Log writes into the program's log what the call took, and how it ended.
func (m *Meter) Log(began time.Time, took Usage, err error) {
	about := []any{"model", m.info.ID, "ms", time.Since(began).Milliseconds(), "in", took.Input + took.CacheRead + took.CacheWrite,
		"cached", took.CacheRead, "out", took.Output}
	if err != nil {
		slog.Info("model call failed", append(about, "error", err)...)
		return
	}
	slog.Info("model call", about...)
}

// turnedAway says whether a call that brought nothing was refused before a model read it, or never left.
func turnedAway(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case Auth, Quota, RateLimit, Overloaded, Context, BadRequest:
		return true
	}
	return e.Unsent || e.Status >= 400
}

// neverSent says whether err came up before there was a connection, and whether that is for want of any network.
func neverSent(err error) (unsent, offline bool) {
	if name, ok := errors.AsType[*net.DNSError](err); ok { // a name that does not exist is misspelt, if there is a network to ask
		return true, !name.IsNotFound || !connected()
	}
	e, ok := errors.AsType[*net.OpError](err)
	unsent = ok && e.Op == "dial"
	away := []syscall.Errno{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN}
	return unsent, unsent && slices.ContainsFunc(away, func(no syscall.Errno) bool { return errors.Is(err, no) })
}

// connected says whether this machine has an address that others can reach.
func connected() bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast()
	})
}

// Tokens is about how many tokens a request has: its bytes at three to a token, and something for what is around them.
func (r Request) Tokens() int {
	size := len(r.System) + len(r.Schema)
	for _, m := range r.Messages {
		size += m.Bytes()
	}
	for _, t := range r.Tools {
		size += len(t.Doc) + len(t.Schema)
	}
	return size/3 + 200
}
