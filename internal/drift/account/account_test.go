package account_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/drift/account"
)

func report(holds bool, changes []string, states ...drift.State) drift.Report {
	r := drift.Report{Room: "r-1", Question: "A or B?", Holds: holds, Changes: changes,
		Before: drift.Standing{Outcome: verdict.Decided, Key: "A", Option: "one writer", P: .8}}
	r.After = r.Before
	for _, s := range states {
		r.Cites = append(r.Cites, drift.Cite{Claim: "c1", Seat: "a", Text: "It is so.", Option: "one writer", For: true, Ratio: 3, State: s,
			Place: drift.Place{File: "a.go", Line: 3}, Quote: "writers = 1"})
	}
	return r
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		reports []drift.Report
		want    []string
		not     string
	}{
		{"as it was", []drift.Report{report(true, nil, drift.True, drift.True)},
			[]string{"✓ one writer", "holds", "2 quotes unchanged", "1 checked · all hold · evidence: 2 unchanged\n"}, "verdict is the same"},
		{"some changed", []drift.Report{report(true, nil, drift.True, drift.Changed)},
			[]string{"still holds", "the verdict is the same without the evidence that changed", "all hold · evidence: 1 unchanged, 1 changed\n"}, "was "},
		{"only moved", []drift.Report{report(true, nil, drift.Moved)}, []string{"still holds", "evidence: 1 moved\n"}, "verdict is the same"},
		{"nothing left", []drift.Report{report(false, []string{"evidence"}, drift.Changed, drift.Gone)},
			[]string{"no evidence left", "only votes remain", "next: socrates decisions revisit r-1", "1 to revisit · evidence: 1 changed, 1 gone\n"}, "    was "},
		{"no evidence", []drift.Report{report(true, nil)}, []string{"nothing to check", "1 checked · no evidence to check\n"}, "hold"},
		{"one of two without", []drift.Report{report(true, nil), report(true, nil, drift.True)},
			[]string{"2 checked · 1 without evidence to check, all others hold · evidence: 1 unchanged\n"}, "to revisit"},
	} {
		text := account.Of(c.reports, 0)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, text)
			}
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q is in\n%s", c.name, c.not, text)
		}
	}
}

func TestOfAnotherVerdict(t *testing.T) {
	r := report(false, []string{"winner"}, drift.Changed)
	r.After = drift.Standing{Outcome: verdict.Tie}
	if text := account.Of([]drift.Report{r}, 0); !strings.Contains(text, "    was one writer, ") || !strings.Contains(text, "    now no decision: a tie") {
		t.Error(text)
	}
}

func TestShort(t *testing.T) {
	if got := account.Short(report(true, nil, drift.True, drift.Changed)); got != "still holds (evidence: 1 unchanged, 1 changed)" {
		t.Error(got)
	}
}
