package debate_test

import (
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Why a cost is not known, or is a lower bound, is said of each seat, and of the judge without one, once.
func TestUnpriced(t *testing.T) {
	seat := func(id string, status verdict.Status, u cost.Usage) debate.SeatResult {
		return debate.SeatResult{ID: id, Status: status, Usage: u}
	}
	fine := seat("fine", verdict.Voted, cost.Usage{Input: 9, Source: cost.Table})
	idle := seat("idle", verdict.Failed, cost.Usage{Source: cost.Unknown})
	price := seat("price", verdict.Voted, cost.Usage{Input: 9, Source: cost.Unknown})
	once := seat("once", verdict.Voted, cost.Usage{Input: 9, Source: cost.Table, Least: true})
	gone := seat("gone", verdict.Failed, cost.Usage{Source: cost.Table, Least: true})
	mute := seat("mute", verdict.Voted, cost.Usage{Source: cost.Table, Least: true})
	for _, c := range []struct {
		seats []debate.SeatResult
		judge *debate.SeatResult
		want  string
	}{
		{[]debate.SeatResult{fine, idle}, nil, ""},
		{[]debate.SeatResult{fine, once}, nil, "the cost of once's failed call is unknown"},
		{[]debate.SeatResult{once, gone}, nil, "the cost of a failed call of once, gone is unknown"},
		{[]debate.SeatResult{fine, mute}, nil, "mute reported no tokens"},
		{[]debate.SeatResult{price}, &mute, "no price is known for price; mute reported no tokens"},
	} {
		if got := (debate.Result{Seats: c.seats, Judge: c.judge}).Unpriced(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
