package verdict_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// old reads the rules of an earlier version.
func old(t *testing.T, version string) (r verdict.Rules) {
	t.Helper()
	raw, err := os.ReadFile("testdata/rules-" + version + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSameEvidence: of claims for one option that cite the same lines or run the same command one is checked, whatever part of the
// lines is quoted, wherever it was said to be, and whatever is expected of the command. Rules before version 5 go by the very quote.
func TestSameEvidence(t *testing.T) {
	quote := func(file string, line int, text string) verdict.Evidence {
		return verdict.Evidence{Kind: "quote", File: file, Line: line, Quote: text}
	}
	run := func(expect string) verdict.Evidence {
		return verdict.Evidence{Kind: "command", Command: []string{"go", "test"}, Expect: expect}
	}
	for name, c := range map[string]struct {
		a, b       verdict.Evidence
		foundB     *verdict.Proof
		now, until int // checks that can begin now, and by the rules of version 4
	}{
		"another part of one line":     {quote("a", 3, "x := 1"), quote("a", 3, "x"), nil, 1, 2},
		"a quote with another line":    {quote("a", 3, "x := 1"), quote("a", 9, "x := 1"), &verdict.Proof{File: "a", Line: 3}, 1, 2},
		"lines of which one is shared": {quote("a", 3, "x\ny"), quote("a", 4, "y\nz"), nil, 1, 2},
		"lines that touch":             {quote("a", 3, "x\ny"), quote("a", 5, "z"), nil, 2, 2},
		"one line number, two files":   {quote("a", 3, "x"), quote("b", 3, "x"), nil, 2, 2},
		"the very same":                {quote("a", 3, "x"), quote("a", 3, "x"), nil, 1, 1},
		"one command, two hopes":       {run("pass"), run("fail"), nil, 1, 2},
	} {
		l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1", Votes: []verdict.Vote{
			{Seat: "s", Lineage: "s", Status: verdict.Voted, Option: "A"}, {Seat: "t", Lineage: "t", Status: verdict.Voted, Option: "A"},
			{Seat: "u", Lineage: "u", Status: verdict.Voted, Option: "B"}}}
		for seat, e := range map[string]verdict.Evidence{"s": c.a, "t": c.b} {
			l.Claims = append(l.Claims, verdict.Claim{ID: seat, Seat: seat, Text: seat + " says so", Option: "A", Supports: true, Evidence: e})
		}
		if c.foundB != nil {
			l.Checks = append(l.Checks, verdict.Check{ID: "k1", Claim: "t", Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched, Proof: c.foundB})
		}
		for _, by := range []struct {
			rules verdict.Rules
			want  int
		}{{current, c.now}, {old(t, "4"), c.until}} {
			var may []string
			verdict.Next(l, by.rules, func(c *verdict.Claim) bool { may = append(may, c.ID); return true }, plenty)
			if slices.Sort(may); len(may) != by.want {
				t.Errorf("%s, rules %s: checks of %v can begin, want %d", name, by.rules.Version, may, by.want)
			}
		}
	}
}

// TestBlockworthy: where an objection could block, the leader of a unanimous panel is checked, too. Before version 5 it was not.
func TestBlockworthy(t *testing.T) {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1"}
	for _, seat := range []string{"s", "t", "u"} {
		l.Votes = append(l.Votes, verdict.Vote{Seat: seat, Lineage: seat, Status: verdict.Voted, Option: "A"})
		l.Claims = append(l.Claims, verdict.Claim{ID: seat, Seat: seat, Text: seat, Option: "A", Supports: true,
			Evidence: verdict.Evidence{Kind: "quote", File: seat, Line: 1}})
	}
	if step, ok := verdict.Next(l, current, always, plenty); ok {
		t.Errorf("nobody disagrees or objects, yet %+v", step)
	}
	l.Claims = append(l.Claims, verdict.Claim{ID: "o", Seat: "u", Text: "it leaks", Option: "A", Kind: "security", Impact: 5})
	if _, ok := verdict.Next(l, current, always, plenty); !ok {
		t.Error("an objection could block, and nothing is checked")
	}
	if step, ok := verdict.Next(l, old(t, "4"), always, plenty); ok {
		t.Errorf("rules of version 4 check %+v", step)
	}
	l.Claims[3].Vetoed = "a person knows better"
	if step, ok := verdict.Next(l, current, always, plenty); ok {
		t.Errorf("a person lifted the objection, yet %+v", step)
	}
}
