package verdict_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
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
	quote := func(line int, text string) verdict.Evidence {
		return verdict.Evidence{Kind: "quote", File: "a", Line: line, Quote: text}
	}
	run := func(expect string) verdict.Evidence {
		return verdict.Evidence{Kind: "command", Command: []string{"go", "test"}, Expect: expect}
	}
	at := func(file string, first, last int) *verdict.Proof {
		return &verdict.Proof{File: file, Line: first, Last: last}
	}
	for name, c := range map[string]struct {
		a, b           verdict.Evidence
		foundA, foundB *verdict.Proof
		now, until     int // checks that can begin now, and by the rules of version 4
	}{
		"another part of one line":   {quote(3, "x := 1"), quote(3, "x"), at("a", 3, 0), at("a", 3, 0), 1, 2},
		"a quote with another line":  {quote(3, "x := 1"), quote(9, "x := 1"), at("a", 3, 0), at("a", 3, 0), 1, 2},
		"two lines, in other words":  {quote(3, "x\ny"), quote(3, "x y"), at("a", 3, 4), at("a", 3, 4), 1, 1},
		"lines among others":         {quote(3, "x"), quote(1, "w\nx\ny"), at("a", 3, 0), at("a", 1, 9), 1, 2},
		"lines after others":         {quote(3, "x"), quote(1, "v\nw"), at("a", 3, 0), at("a", 1, 2), 2, 2},
		"one line number, two files": {quote(3, "x"), quote(3, "x"), at("a", 3, 0), at("b", 3, 0), 2, 1},
		"the very same":              {quote(3, "x"), quote(3, "x"), at("a", 3, 0), at("a", 3, 0), 1, 1},
		"one command, two hopes":     {run("pass"), run("fail"), nil, nil, 1, 2},
	} {
		l := sharing(c.a, c.b, c.foundA, c.foundB)
		for _, by := range []struct {
			rules verdict.Rules
			want  int
		}{{current, c.now}, {old(t, "4"), c.until}} {
			if got := begun(l, by.rules); got != by.want {
				t.Errorf("%s, rules %s: %d checks can be made, want %d", name, by.rules.Version, got, by.want)
			}
		}
	}
}

// sharing is a ledger in which two seats vote alike and cite this, and a third votes for the other option.
func sharing(a, b verdict.Evidence, foundA, foundB *verdict.Proof) verdict.Ledger {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1", Votes: []verdict.Vote{
		{Seat: "s", Lineage: "s", Status: verdict.Voted, Option: "A"}, {Seat: "t", Lineage: "t", Status: verdict.Voted, Option: "A"},
		{Seat: "u", Lineage: "u", Status: verdict.Voted, Option: "B"}, {Seat: "v", Lineage: "v", Status: verdict.Voted, Option: "B"}}}
	for seat, e := range map[string]verdict.Evidence{"s": a, "t": b} {
		l.Claims = append(l.Claims, verdict.Claim{ID: seat, Seat: seat, Text: seat + " says so", Option: "A", Supports: true, Evidence: e})
	}
	for seat, found := range map[string]*verdict.Proof{"s": foundA, "t": foundB} {
		if found != nil {
			l.Checks = append(l.Checks, verdict.Check{ID: "k" + seat, Claim: seat, Kind: "quote", Result: verdict.Pass, Grade: verdict.Matched, Proof: found})
		}
	}
	return l
}

// begun counts the claims that are checked, if every one passes, one after the other.
func begun(l verdict.Ledger, r verdict.Rules) (n int) {
	r.CheckPrice = -1 // whatever it is worth
	for {
		step, ok := verdict.Next(l, r, func(c *verdict.Claim) bool { return !l.Passed(c.ID, "entailment") }, plenty)
		if !ok || step.Why != "drawn" {
			return n
		}
		n++
		l.Checks = append(l.Checks, judged(n, step.Claim, "u", step.Why, verdict.Pass), judged(100+n, step.Claim, "v", "confirming", verdict.Pass))
	}
}

// TestNobodyHidesAClaim: whatever a seat cites beside a true claim for its option does not keep that claim from being checked.
func TestNobodyHidesAClaim(t *testing.T) {
	true1 := verdict.Evidence{Kind: "quote", File: "a", Line: 3, Quote: "x := 1"}
	at := &verdict.Proof{File: "a", Line: 3}
	for name, hide := range map[string]func(l *verdict.Ledger, i int){
		"a quote that is not there": func(l *verdict.Ledger, i int) {
			l.Checks = append(l.Checks, verdict.Check{ID: fmt.Sprint("kx", i), Claim: fmt.Sprint("x", i), Kind: "quote", Result: verdict.Fail})
		},
		"one nobody looked at": func(*verdict.Ledger, int) {},
		"one that judges refuted": func(l *verdict.Ledger, i int) {
			id := fmt.Sprint("x", i)
			l.Checks = append(l.Checks, verdict.Check{ID: "kx" + id, Claim: id, Kind: "quote", Result: verdict.Pass, Proof: at})
			if i == 0 {
				l.Checks = append(l.Checks, judged(50, id, "u", "drawn", verdict.Fail), judged(51, id, "v", "after a no", verdict.Fail))
			}
		},
	} {
		for key := range 50 {
			l := sharing(true1, verdict.Evidence{Kind: "quote", File: "b", Line: 1, Quote: "other"}, at, &verdict.Proof{File: "b", Line: 1})
			l.DrawKey = fmt.Sprint(key)
			for i := range 30 {
				id := fmt.Sprint("x", i)
				l.Claims = append(l.Claims, verdict.Claim{ID: id, Seat: "t", Text: id, Option: "A", Supports: true,
					Evidence: verdict.Evidence{Kind: "quote", File: "a", Line: 3, Quote: "x := 1" + strings.Repeat("\n", i)}})
				hide(&l, i)
			}
			may := false
			verdict.Next(l, current, func(c *verdict.Claim) bool {
				if c.ID == "s" {
					may = true
				}
				return l.Passed(c.ID, "quote") && (c.ID == "s" || !strings.HasPrefix(c.ID, "x"))
			}, plenty)
			if step, ok := verdict.Next(l, current, func(c *verdict.Claim) bool { return c.ID == "s" }, plenty); !may || !ok || step.Claim != "s" {
				t.Errorf("%s, key %d: the true claim is not checked: %+v", name, key, step)
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
	if step, ok := verdict.Next(l, current, always, plenty); ok {
		t.Errorf("nobody affirmed the objection, yet %+v", step)
	}
	l.Checks = []verdict.Check{judged(0, "o", "s", "drawn", verdict.Pass)}
	if _, ok := verdict.Next(l, current, always, plenty); !ok {
		t.Error("an objection could block, and nothing is checked")
	}
	four := l
	four.Checks = nil
	if step, ok := verdict.Next(four, old(t, "4"), always, plenty); ok {
		t.Errorf("rules of version 4 check %+v", step)
	}
	harmless := l
	harmless.Claims = slices.Clone(l.Claims)
	harmless.Claims[3].Option = "B"
	if step, ok := verdict.Next(harmless, current, always, plenty); ok {
		t.Errorf("the objection is to what nobody chose, yet %+v", step)
	}
	harmless.Claims[3].Option = "A"
	harmless.Checks = []verdict.Check{{ID: "k1", Claim: "o", Kind: "quote", Result: verdict.Fail}}
	if step, ok := verdict.Next(harmless, current, always, plenty); ok {
		t.Errorf("the objection's evidence is not there, yet %+v", step)
	}
	l.Claims[3].Vetoed = "a person knows better"
	if step, ok := verdict.Next(l, current, always, plenty); ok {
		t.Errorf("a person lifted the objection, yet %+v", step)
	}
}

// TestUnrun: a command that was not run is no check and takes none of its option's; before version 5 it did.
func TestUnrun(t *testing.T) {
	for version, want := range map[string]int{"5": 2, "4": 1} {
		l := sharing(verdict.Evidence{Kind: "command", Command: []string{"rm"}}, verdict.Evidence{Kind: "quote", File: "b", Line: 1}, nil, nil)
		l.Checks = []verdict.Check{{ID: "k1", Claim: "s", Kind: "command", Result: verdict.Skipped, Grade: verdict.Nothing}}
		l.Claims = append(l.Claims, verdict.Claim{ID: "s2", Seat: "s", Text: "more", Option: "A", Supports: true, Evidence: verdict.Evidence{Kind: "quote", File: "c", Line: 1}})
		r := current
		if version == "4" {
			r = old(t, "4")
		}
		r.ChecksPerOption = 2
		if got := begun(l, r); got != want {
			t.Errorf("rules %s: %d checks are left, want %d", version, got, want)
		}
	}
}

// TestSilent: whoever fails to judge claims of one author is asked again about others', so that no author silences a judge.
func TestSilent(t *testing.T) {
	l := sharing(verdict.Evidence{Kind: "quote"}, verdict.Evidence{Kind: "quote"}, nil, nil)
	l.Claims = append(l.Claims, verdict.Claim{ID: "s2", Seat: "s"})
	fails := func(claims ...string) verdict.Ledger {
		m := l
		for i, c := range claims {
			m.Checks = append(m.Checks, judged(i, c, "u", "drawn", verdict.Skipped))
		}
		return m
	}
	for name, c := range map[string]struct {
		l         verdict.Ledger
		now, four bool
	}{"none": {fails(), false, false}, "one": {fails("s"), false, true}, "two of one author": {fails("s", "s2"), false, true}, "of two": {fails("s", "t"), true, true}} {
		if now, four := c.l.Silent("u", current), c.l.Silent("u", old(t, "4")); now != c.now || four != c.four {
			t.Errorf("%s: silent is %v, by version 4 %v", name, now, four)
		}
	}
}
