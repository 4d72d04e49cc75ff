package verdict_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// played spends a ledger's checks as a room does; what judges say is drawn.
func played(t *rapid.T, l verdict.Ledger) verdict.Ledger {
	l.Checks = nil
	for i := range l.Claims {
		l.Checks = append(l.Checks, verdict.Check{ID: "q", Claim: l.Claims[i].ID, Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched})
	}
	for range 20 {
		jury := slices.DeleteFunc(slices.Clone(able(l)), func(v verdict.Vote) bool { return l.Silent(v.Seat, current) || v.Status == verdict.Failed })
		left := func(c *verdict.Claim) int { return l.JudgesLeft(c, jury) }
		step, ok := verdict.Next(l, current, always, left)
		if !ok {
			step, ok = verdict.NextObjection(l, current, always, left)
		}
		if !ok {
			return l
		}
		k := judged(len(l.Checks), step.Claim, "", step.Why, verdict.Skipped)
		if by, ok := l.DrawJudge(l.Claim(step.Claim), jury); ok {
			k = judged(len(l.Checks), step.Claim, by.Seat, step.Why, rapid.SampledFrom([]string{verdict.Pass, verdict.Fail, verdict.Fail, verdict.Skipped}).Draw(t, "says"))
			k.Lineage = by.Lineage
		}
		l.Checks = append(l.Checks, k)
	}
	return l
}

// TestMisdrawn: what a room's key and rules draw passes, and neither another judge nor another claim does.
func TestMisdrawn(t *testing.T) {
	judges, claims := 0, 0
	for range 50 { // a hundred ledgers may have no claim to exchange
		misdrawn(t, &judges, &claims)
		if judges > 0 && claims > 0 || t.Failed() {
			return
		}
	}
	t.Errorf("%d judges and %d claims were exchanged", judges, claims)
}

func misdrawn(t *testing.T, judges, claims *int) {
	rapid.Check(t, func(t *rapid.T) {
		l := played(t, bench().Draw(t, "ledger"))
		if err := l.Misdrawn(current); err != nil {
			t.Fatal(err)
		}
		short := l
		short.Checks = slices.Clone(l.Checks)
		if last := len(l.Checks) - 1; last >= 0 && l.Checks[last].By != "" {
			short.Checks = l.Checks[:last]
			if next, left := short.Unfinished(current); !left || next != l.Checks[last].Claim {
				t.Fatalf("without its last check %s is next (%v), want %s", next, left, l.Checks[last].Claim)
			}
		}
		at := slices.IndexFunc(l.Checks, func(k verdict.Check) bool { return k.By != "" })
		if at < 0 {
			return
		}
		drawn := l.Checks[at]
		for _, v := range l.Votes {
			if v.Lineage != l.Lineage(l.Claim(drawn.Claim).Seat) && v.Seat != drawn.By && (v.Status == verdict.Voted || v.Status == verdict.Abstained) {
				l.Checks[at].By, l.Checks[at].Lineage = v.Seat, v.Lineage
				if *judges++; l.Misdrawn(current) == nil {
					t.Fatalf("%s judges %s instead of %s", v.Seat, drawn.Claim, drawn.By)
				}
			}
		}
		l.Checks[at] = drawn
		for _, c := range l.Claims {
			if l.Eligible(c) && l.Eligible(*l.Claim(drawn.Claim)) && c.ID != drawn.Claim && c.Evidence.File != l.Claim(drawn.Claim).Evidence.File {
				l.Checks[at].Claim = c.ID
				if *claims++; l.Misdrawn(current) == nil {
					t.Fatalf("%s is checked instead of %s", c.ID, drawn.Claim)
				}
			}
		}
	})
}
