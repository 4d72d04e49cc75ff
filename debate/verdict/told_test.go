package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// agreed is a ledger of two lineages that want the same, with one claim whose command was run.
func agreed() verdict.Ledger {
	return verdict.Ledger{
		Options: []verdict.Option{{Key: "A", Text: "yes"}, {Key: "B", Text: "no"}},
		Votes: []verdict.Vote{
			{Seat: "one", Lineage: "x", Status: verdict.Voted, Option: "A"},
			{Seat: "two", Lineage: "y", Status: verdict.Voted, Option: "A"},
		},
		Claims: []verdict.Claim{{ID: "c1", Seat: "one", Option: "A", Text: "the test passes",
			Evidence: verdict.Evidence{Kind: "command", Command: []string{"sh", "check.sh"}}}},
		Checks: []verdict.Check{{ID: "k1", Claim: "c1", Kind: "command", Result: verdict.Pass, Control: "with its fact broken it fails, too"}},
	}
}

// TestControlIsTold: a run with the fact broken is told beside the check of a command, and only there.
func TestControlIsTold(t *testing.T) {
	l := agreed()
	if said := verdict.Explain(l, verdict.DefaultRules()); !strings.Contains(said, "; with its fact broken it fails, too") {
		t.Errorf("nothing is said of the control:\n%s", said)
	}
	l.Checks[0].Kind = "quote"
	if said := verdict.Explain(l, verdict.DefaultRules()); strings.Contains(said, "broken") {
		t.Errorf("a quote has no control:\n%s", said)
	}
}

// TestCalibratedChance: what was measured is said of a decision by the panel, and neither of a tie nor of a person's choice.
func TestCalibratedChance(t *testing.T) {
	r := verdict.DefaultRules()
	r.Learned = &verdict.Learned{Calibration: &verdict.Calibration{Slope: .5, N: 1000}}
	l := agreed()
	v := verdict.Decide(l, r)
	if v.Winner != "A" || v.Calibrated <= .5 || v.Calibrated >= v.Beliefs[0].P {
		t.Errorf("%s %s: %g from %g, want less than that and more than a half", v.Outcome, v.Winner, v.Calibrated, v.Beliefs[0].P)
	}
	l.Claims, l.Checks, l.Votes[1].Option = nil, nil, "B"
	if v := verdict.Decide(l, r); v.Winner != "" || v.Calibrated != 0 {
		t.Errorf("a tie: %s %q %g", v.Outcome, v.Winner, v.Calibrated)
	}
	l.Ruling = &verdict.Ruling{Option: "B"}
	if v := verdict.Decide(l, r); v.Outcome != verdict.Ruled || v.Calibrated != 0 {
		t.Errorf("a person's choice: %s %q %g", v.Outcome, v.Winner, v.Calibrated)
	}
}

// TestPlacesInLists: what has no id is named by its place, the first as 1; what shares an id, by its place besides.
func TestPlacesInLists(t *testing.T) {
	got := verdict.Differences(map[string]any{"why": []string{"a", "b"}}, map[string]any{"why": []string{"a", "c"}})
	if want := []string{`why 2 is "b" in the record, but "c" when recomputed`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	twice := func(n int) any { return []any{map[string]any{"id": "c1", "n": 1}, map[string]any{"id": "c1", "n": n}} }
	if got := verdict.Differences(twice(2), twice(3)); len(got) != 1 || !strings.HasPrefix(got[0], "c1 (2) n is 2") {
		t.Errorf("%q, want the second c1 named", got)
	}
}
