package document

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
)

// A percent says what it follows from: the votes, what one check or several made of them, and whether outcomes calibrated it.
func TestBasis(t *testing.T) {
	vote, up, down := Move{Lineage: "a", Percent: 70}, Move{Passed: true, Percent: 84}, Move{Percent: 60}
	for want, moves := range map[string][]Move{
		"by votes alone (not calibrated)":                       {vote},
		"by votes, raised by one check (not calibrated)":        {vote, up},
		"by votes, lowered by one check (not calibrated)":       {vote, down},
		"by votes, lowered by 2 checks (not calibrated)":        {vote, up, down},
		"by votes, changed by one check (not calibrated)":       {vote, {Percent: 70}},
		"by votes, changed by 2 checks (not calibrated)":        {up, down},
		"by votes, raised by 3 checks (not calibrated)":         {vote, down, up, up},
		"by votes, changed by one check (not calibrated) again": {up},
	} {
		if got := basisOf(debate.Result{}, moves); got != want && got+" again" != want {
			t.Errorf("%+v: %q, not %q", moves, got, want)
		}
	}
	var res debate.Result
	res.Calibrated = 60
	if got := basisOf(res, []Move{vote, up}); got != "by votes, checks and known outcomes" {
		t.Errorf("calibrated: %q", got)
	}
}
