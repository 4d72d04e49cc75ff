package choice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/proof"
)

// Code decides a race: what two comparisons agree on, else the smallest proved change; only what is proved can win where anything is.
func TestDecide(t *testing.T) {
	proved := func(attempt, lines int, tree string) choice.Entrant {
		return choice.Entrant{Attempt: attempt, Lines: lines, Tree: tree, State: proof.Proved}
	}
	failed := choice.Entrant{Attempt: 8, State: proof.Failed}
	person := choice.Entrant{Attempt: 9, State: proof.Person}
	look := func(said string) choice.Look {
		l := choice.Look{By: "j", Order: []int{1, 2}}
		l.Read(said)
		return l
	}
	a, b, none := look("- best: A\n- because: a:1 wrong"), look("Well.\n- best: B\n"), look("- best: C\n")
	both := []choice.Entrant{failed, proved(1, 5, "t1"), proved(2, 3, "t2")}
	for name, c := range map[string]struct {
		entrants []choice.Entrant
		looks    []choice.Look
		best     int
		why      string
	}{
		"agreed":    {both, []choice.Look{a, a}, 1, "preferred by j: a:1 wrong"},
		"disagreed": {both, []choice.Look{a, b}, 2, "the comparisons disagree; it is the smallest"},
		"unclear":   {both, []choice.Look{a, none}, 2, "j could not compare them (it named no change)"},
		"nobody":    {both, nil, 2, "nobody compared them"},
		"one":       {[]choice.Entrant{failed, person, proved(3, 9, "t")}, nil, 3, "the only change that is proved"},
		"equal":     {[]choice.Entrant{proved(4, 1, "t"), proved(5, 1, "t")}, nil, 4, "all 2 proved changes are equal"},
		"person":    {[]choice.Entrant{failed, person}, nil, 9, "no change is proved"},
		"failed":    {[]choice.Entrant{failed}, nil, 8, "no change is proved"},
	} {
		best, why := choice.Decide(c.entrants, c.looks)
		if best != c.best || !strings.HasPrefix(why, c.why) {
			t.Errorf("%s: attempt %d, %s", name, best, why)
		}
	}
	if text := choice.Ask("# Do it\n", both[1:], []string{"+one\n", "+two ``` \n"}); !strings.Contains(text, "## Change B\n\n```\n+two ''' \n```") {
		t.Error(text)
	}
	if n := choice.Lines("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"); n != 3 {
		t.Error(fmt.Sprint(n, " lines"))
	}
}
