package debate

import (
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// Under rules 3, a claim of somebody who votes for the option and the same one of somebody who does not stay two: only checks of the
// first count, and folded into the second, they would not.
func TestMergedClaims(t *testing.T) {
	merged := func(rules verdict.Rules, seats ...string) int {
		l := &tally{frame: &table.Frame{Rules: rules}, Ledger: verdict.Ledger{Votes: []verdict.Vote{{Seat: "a", Status: verdict.Voted, Option: "A"},
			{Seat: "b", Status: verdict.Voted, Option: "A"}, {Seat: "c", Status: verdict.Voted, Option: "B"}, {Seat: "d", Status: verdict.Voted, Option: "B"}}}}
		for _, seat := range seats {
			l.Claims = append(l.Claims, verdict.Claim{ID: seat, Seat: seat, Option: "A", Supports: true})
		}
		l.merge(func(x, y verdict.Claim) bool { return true })
		return len(l.Claims)
	}
	own := verdict.Rules{OwnCase: true}
	for _, c := range []struct {
		name  string
		rules verdict.Rules
		seats [2]string
		want  int
	}{
		{"two who vote for it", own, [2]string{"a", "b"}, 1},
		{"two who do not", own, [2]string{"c", "d"}, 1},
		{"one of each", own, [2]string{"a", "c"}, 2},
		{"one of each, the other way round", own, [2]string{"c", "a"}, 2},
		{"one of each, under rules 2", verdict.Rules{}, [2]string{"a", "c"}, 1},
		{"a case each, since rules 4", verdict.Rules{OwnCase: true, CaseRules: verdict.CaseRules{Cases: true}}, [2]string{"a", "b"}, 2},
	} {
		if got := merged(c.rules, c.seats[:]...); got != c.want {
			t.Errorf("%s: %d claims, want %d", c.name, got, c.want)
		}
	}
}
