package debate

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// A call that was cut off while the room goes on was cut off by its clock. An error the vendor names is the vendor's, whatever it wraps.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err   error
		state exchange.State
		kind  trouble.Kind
	}{
		{fmt.Errorf("ask: %w", context.Canceled), exchange.TimedOut, timeKind},
		{fmt.Errorf("ask: %w", context.DeadlineExceeded), exchange.TimedOut, timeKind},
		{errors.New("connection reset"), exchange.Broken, trouble.Network},
		{&trouble.Error{Kind: trouble.Auth, Message: "no key", Err: context.Canceled}, exchange.Broken, trouble.Auth},
	} {
		if state, kind, why := classify(t.Context(), c.err); state != c.state || kind != c.kind {
			t.Errorf("%v: %s, %s, %q; want %s, %s", c.err, state, kind, why, c.state, c.kind)
		}
	}
}

// Of equal claims for an option, the one whose author was not checked there yet goes first, wherever it stands.
func TestCandidate(t *testing.T) {
	command := func(id, seat string) verdict.Claim {
		return verdict.Claim{ID: id, Seat: seat, Option: "A", Supports: true, Impact: 3, Evidence: verdict.Evidence{Kind: "command"}}
	}
	one, two, other := command("c1", "a"), command("c2", "a"), command("c3", "b")
	check := verdict.Check{ID: "k1", Claim: "c1", Kind: "command", Result: verdict.Pass, Grade: verdict.Executed}
	for _, c := range []struct {
		name   string
		checks []verdict.Check
		claims []verdict.Claim
		want   string
	}{
		{"nobody was checked", nil, []verdict.Claim{one, two, other}, "c1"},
		{"one author was checked", []verdict.Check{check}, []verdict.Claim{one, two, other}, "c3"},
		{"the other one is first", []verdict.Check{check}, []verdict.Claim{other, one, two}, "c3"},
	} {
		frame := table.Frame{}
		b := &checker{room: &Room{Frame: frame}, ledger: &tally{frame: &frame, Ledger: verdict.Ledger{Claims: c.claims, Checks: c.checks}}}
		if got := b.nextClaim("A", nil); got == nil || got.ID != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}
