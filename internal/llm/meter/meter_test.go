package meter_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// TestFailedCallsAreBooked: by what the vendor told and what came, else by what was sent; what was turned away or never
// sent costs nothing.
func TestFailedCallsAreBooked(t *testing.T) {
	req := llm.Request{System: strings.Repeat("s", 300)} // 300 tokens by our estimate
	priced := llm.Info{Price: cost.Price{Input: 10, Output: 20, CacheRead: 1, Known: true}}
	told := llm.Delta{Usage: &cost.Usage{Input: 1000, Output: 1, CacheRead: 50}}
	text := llm.Delta{Text: strings.Repeat("x", 400)}
	cut := &trouble.Error{Kind: trouble.Network}
	limited := &llm.Retry{Wait: time.Hour, Err: &trouble.Error{Kind: trouble.RateLimit}}
	dial := wire.CallError(context.Background(), &net.OpError{Op: "dial", Err: errors.New("refused")})
	for name, c := range map[string]struct {
		info   llm.Info
		deltas []llm.Delta
		err    error
		want   cost.Usage
	}{
		"told and streamed":      {priced, []llm.Delta{told, text}, cut, cost.Usage{Input: 1000, Output: 100, CacheRead: 50, USD: .01205, Source: cost.Table, Least: true}},
		"told, nothing came":     {priced, []llm.Delta{told}, cut, cost.Usage{Input: 1000, Output: 1, CacheRead: 50, USD: .01007, Source: cost.Table, Least: true}},
		"streamed, nothing told": {priced, []llm.Delta{text}, cut, cost.Usage{Input: 300, Output: 100, USD: .005, Source: cost.Table, Least: true}},
		"nothing heard":          {priced, nil, context.Canceled, cost.Usage{Input: 300, USD: .003, Source: cost.Table, Least: true}},
		"no price":               {llm.Info{}, []llm.Delta{text}, cut, cost.Usage{Input: 300, Output: 100, Least: true}},
		"free":                   {llm.Info{Price: cost.Price{Known: true}}, []llm.Delta{text}, cut, cost.Usage{Input: 300, Output: 100, Source: cost.Free}},
		"turned away":            {priced, nil, &trouble.Error{Kind: trouble.Overloaded, Status: 529}, cost.Usage{}},
		"overloaded midway":      {priced, []llm.Delta{told, text}, &trouble.Error{Kind: trouble.Overloaded}, cost.Usage{Input: 1000, Output: 100, CacheRead: 50, USD: .01205, Source: cost.Table, Least: true}},
		"never sent":             {priced, nil, dial, cost.Usage{}},
		"stopped as it waits":    {priced, []llm.Delta{{Retry: limited}}, context.Canceled, cost.Usage{}},
		"a try that was cut":     {priced, []llm.Delta{told, {Retry: &llm.Retry{Attempt: 1, Err: cut}}}, &trouble.Error{Kind: trouble.RateLimit}, cost.Usage{Input: 1000, Output: 1, CacheRead: 50, USD: .01007, Source: cost.Table, Least: true}},
	} {
		m := meter.New(c.info, req)
		for _, d := range c.deltas {
			m.Hear(d)
		}
		got := m.Failed(c.err)
		if d := got.USD - c.want.USD; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: $%f, want $%f", name, got.USD, c.want.USD)
		}
		if got.USD = c.want.USD; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestWholeCallsAreBooked: with the tries before them, and as unknown where a program counts nothing.
func TestWholeCallsAreBooked(t *testing.T) {
	m := meter.New(llm.Info{}, llm.Request{})
	if u := m.Whole(cost.Usage{}); !u.Least || u.Money() != "cost unknown" {
		t.Errorf("nothing counted: %+v, %s", u, u.Money())
	}
	m = meter.New(llm.Info{Price: cost.Price{Input: 10, Known: true}}, llm.Request{})
	m.Hear(llm.Delta{Retry: &llm.Retry{Attempt: 1, Err: &trouble.Error{Kind: trouble.Stall}}})
	if u := m.Whole(cost.Usage{Input: 800}); u.Money() != "at least $0.01" {
		t.Errorf("after a try that stalled: %+v, %s", u, u.Money())
	}
	m = meter.New(llm.Info{Price: cost.Price{Input: 10, Known: true}}, llm.Request{})
	// No attempt failed: the call goes on elsewhere.
	wait := llm.Delta{Retry: &llm.Retry{Err: &trouble.Error{Kind: trouble.Network}}}
	m.Hear(llm.Delta{Text: "some"})
	if m.Hear(wait); m.Retried(wait) != (cost.Usage{}) || m.Lost() != (cost.Usage{}) {
		t.Errorf("after a wait: %+v lost", m.Lost())
	}
	if u := m.Whole(cost.Usage{Input: 1000}); u.Money() != "$0.01" {
		t.Errorf("after a wait: %+v, %s", u, u.Money())
	}
	for want, u := range map[string]cost.Usage{"free": {Input: 9, Source: cost.Free}, "price unknown": {Input: 9}, "$0.01": {USD: .01, Source: cost.Table},
		"at least $0.01": {USD: .01, Input: 9}} {
		if u.Money() != want {
			t.Errorf("%+v is %s, want %s", u, u.Money(), want)
		}
	}
}
