package debate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
)

// argued adds, for each option voted for, the claim of its first voter that it is right.
func argued(l debate.Ledger) debate.Ledger {
	for _, v := range l.Votes {
		if v.Status == debate.Voted && l.Claim("c"+v.Option) == nil {
			l.Claims = append(l.Claims, debate.Claim{ID: "c" + v.Option, Seat: v.Seat, Option: v.Option, Supports: true, Impact: 2, Put: true})
		}
	}
	return l
}

// say records a stance on a claim.
func say(l debate.Ledger, claim, seat string, verb debate.Verb) debate.Ledger {
	c := l.Claim(claim)
	if c.Stances == nil {
		c.Stances = map[string]debate.Stance{}
	}
	c.Stances[seat] = debate.Stance{Verb: verb}
	return l
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-5 }

func TestUnanimousPanelsTopOut(t *testing.T) {
	for n, want := range map[int]float64{2: 2.5 / 3, 3: .875, 4: .9, 5: .916667, 6: 6.5 / 7} {
		v := debate.Decide(argued(votes(strings.Repeat("A", n))), rules)
		if !near(v.Score.Value, want) || v.Outcome != debate.Decided || v.Gate != "proceed" {
			t.Errorf("%d alike: value %g, want %g; %s, %s", n, v.Score.Value, want, v.Outcome, v.Gate)
		}
	}
}

// TestOneDissentCaps goes through every stance every seat can take on a single claim for the winner. A rival's claim
// or an objection could only lower the value further.
func TestOneDissentCaps(t *testing.T) {
	for n, most := range map[int]float64{3: .583333, 4: .675, 5: .733333, 6: .773810} {
		best := 0.0
		for mix := range int(math.Pow(3, float64(n))) {
			l := votes(strings.Repeat("A", n-1) + "B")
			l.Claims = []debate.Claim{{ID: "cA", Seat: "sa", Option: "A", Supports: true, Impact: 2, Put: true}}
			for i := range n {
				say(l, "cA", l.Votes[i].Seat, []debate.Verb{debate.Agree, debate.Object, debate.Undecided}[mix%3])
				mix /= 3
			}
			v := debate.Decide(l, rules)
			best = max(best, v.Score.Value)
			if v.Gate == "proceed" {
				t.Fatalf("%d seats with one dissent proceed", n)
			}
		}
		if !near(best, most) {
			t.Errorf("%d seats with one dissent reach %g, want %g", n, best, most)
		}
	}
}

func TestCaps(t *testing.T) {
	family := func(l debate.Ledger, n int) debate.Ledger {
		for i := range n {
			l.Votes[i].Lineage = "la"
		}
		return l
	}
	danger := argued(votes("AAAAA"))
	danger.Claims = append(danger.Claims, debate.Claim{ID: "cx", Seat: "sa", Option: "A", Kind: "fact", Impact: 5, Put: true})
	danger.Checks = []debate.Check{{ID: "k", Claim: "cx", Grade: debate.Executed, Result: debate.Pass, Ratio: 1}}
	for _, c := range []struct {
		cap string
		at  float64
		l   debate.Ledger
	}{
		{"one-lineage", .60, argued(family(votes("AAA"), 3))},
		{"one-lineage", .60, argued(votes("A"))},
		{"coverage", .60, argued(votes("AAA.."))},
		{"coverage", .60, argued(votes("AAA--"))},
		{"unstable", .75, argued(votes("AAB"))},
		{"objection", .49, danger},
	} {
		v := debate.Decide(c.l, rules)
		if !slices.ContainsFunc(v.Score.Caps, func(k debate.Cap) bool { return k.Name == c.cap && k.At == c.at }) || v.Score.Value > c.at || v.Gate == "proceed" {
			t.Errorf("%s: value %g, gate %s, caps %v", c.cap, v.Score.Value, v.Gate, v.Score.Caps)
		}
	}
	if v := debate.Decide(argued(votes("AAAA")), rules); len(v.Score.Caps) > 0 {
		t.Errorf("nothing to cap, yet %v", v.Score.Caps)
	}
}

// TestGateGoesByWhatIsPrinted: four claims of which half the impact is objected to by one of four seats come to
// exactly .80, in whatever order the sum is taken.
func TestGateGoesByWhatIsPrinted(t *testing.T) {
	exact := 0
	for mix := range 1 << 8 {
		l := votes("AAAA")
		for i := range 4 {
			c := debate.Claim{ID: fmt.Sprint("c", i), Seat: "sa", Option: "A", Supports: true, Put: true, Impact: []int{2, 5}[mix>>(2*i)&1], Stances: map[string]debate.Stance{}}
			if mix>>(2*i+1)&1 == 1 {
				c.Stances["sb"] = debate.Stance{Verb: debate.Object}
			}
			l.Claims = append(l.Claims, c)
		}
		v := debate.Decide(l, rules)
		if v.Score.Value == .8 {
			exact++
		}
		if (v.Score.Value >= .8) != (v.Gate == "proceed") {
			t.Errorf("value %g, gate %s", v.Score.Value, v.Gate)
		}
	}
	if exact == 0 {
		t.Error("no ledger came to exactly .80")
	}
}

func TestContestedMass(t *testing.T) {
	// Three seats for A, so that a claim nobody objects to has p = 3.5/4.
	base := func(claims ...debate.Claim) debate.Ledger {
		l := votes("AAA")
		for i, c := range claims {
			c.ID, c.Put = fmt.Sprint("c", i), true
			l.Claims = append(l.Claims, c)
		}
		return l
	}
	favour := debate.Claim{Seat: "sa", Option: "A", Supports: true, Impact: 2}
	against := debate.Claim{Seat: "sa", Option: "A", Impact: 2}
	rival := debate.Claim{Seat: "sa", Option: "B", Supports: true, Impact: 2}
	rivalDown := debate.Claim{Seat: "sa", Option: "B", Impact: 2}
	neutral := debate.Claim{Seat: "sa", Impact: 2}
	small := favour
	small.Impact = 1
	big := favour
	big.Impact = 5
	hidden := base(favour, against)
	hidden.Claims[1].Put = false
	objected := say(say(base(small, small, small, small, big), "c0", "sb", debate.Object), "c0", "sc", debate.Object)
	for _, c := range []struct {
		name string
		l    debate.Ledger
		want float64
	}{
		{"no claims: half", base(), .5},
		{"for the winner: 1-p", base(favour), .125},
		{"against the winner, only its author agrees: p = 1.5/2", base(against), .75},
		{"for a rival: p", base(rival), .75},
		{"against a rival: 1-p", base(rivalDown), .25},
		{"neutral: 4p(1-p)", base(neutral), .75},
		{"neutral counts half", base(favour, neutral), (2*.125 + 1*.75) / 3},
		{"impact weighs", base(big, against), (5*.125 + 2*.75) / 7},
		{"a claim not put before the seats does not count", hidden, .125},
		{"small ones are scaled to a quarter of the rest", objected, (5*.125 + 1.25*(3*.125+.625)/4) / 6.25},
		{"small ones alone are not scaled", base(small, small), .125},
		{"an author may take it back", say(base(favour), "c0", "sa", debate.Object), 1 - 2.5/4},
		{"abstaining on a claim is no voice", say(base(favour), "c0", "sb", debate.Undecided), 1 - 2.5/3},
		{"same as agrees", say(base(against), "c0", "sb", debate.SameAs), 2.5 / 3},
	} {
		if v := debate.Decide(c.l, rules); !near(v.Score.Contested, c.want) {
			t.Errorf("%s: %g, want %g", c.name, v.Score.Contested, c.want)
		}
	}
}

func TestImpactIsLowerWeightedMedian(t *testing.T) {
	// The claim's impact shows in how much it counts beside another of impact 2.
	for _, c := range []struct {
		own    int
		said   map[string]int
		impact float64
	}{
		{5, nil, 5},
		{5, map[string]int{"sb": 1}, 1},
		{1, map[string]int{"sb": 5}, 1},
		{1, map[string]int{"sb": 5, "sc": 5}, 5},
		{5, map[string]int{"sb": 2, "sc": 1}, 2},
		{5, map[string]int{"sa": 1}, 5}, // the author has said its word
	} {
		l := votes("AAA")
		stances := map[string]debate.Stance{}
		for seat, impact := range c.said {
			stances[seat] = debate.Stance{Verb: debate.Undecided, Impact: impact}
		}
		l.Claims = []debate.Claim{
			{ID: "c0", Seat: "sa", Option: "B", Impact: c.own, Supports: true, Put: true, Stances: stances},
			{ID: "c1", Seat: "sa", Option: "A", Impact: 2, Supports: true, Put: true},
		}
		p := .75
		if _, ok := c.said["sa"]; ok {
			p = .5
		}
		mass := c.impact
		if mass == 1 {
			mass = .5 // scaled to a quarter of the rest
		}
		want := (mass*p + 2*.125) / (mass + 2)
		if v := debate.Decide(l, rules); !near(v.Score.Contested, want) {
			t.Errorf("own %d, said %v: contested %g, want %g", c.own, c.said, v.Score.Contested, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	l := argued(votes("AAA"))
	l.Claims = append(l.Claims,
		debate.Claim{ID: "c5", Seat: "sb", Option: "A", Supports: true, Impact: 5, Put: true},
		debate.Claim{ID: "c1", Seat: "sb", Option: "A", Supports: true, Impact: 1, Put: true})
	with := func(results ...string) float64 {
		l := l
		l.Checks = nil
		for i := 0; i < len(results); i += 2 {
			l.Checks = append(l.Checks, debate.Check{ID: fmt.Sprint("k", i), Claim: results[i], Grade: debate.Executed, Result: results[i+1], Ratio: 1})
		}
		return debate.Decide(l, rules).Score.Evidence
	}
	for _, c := range []struct{ got, want float64 }{
		{with(), 0},
		{with("cA", debate.Pass), 2. / 7},
		{with("cA", debate.Pass, "c5", debate.Pass), 1},
		{with("c5", debate.Fail), -5. / 7},
		{with("c5", debate.Pass, "c5", debate.Fail), -5. / 7}, // one refutation outweighs a pass
		{with("c5", debate.Fail, "c5", debate.Pass), -5. / 7},
		{with("c1", debate.Pass), 0}, // bears no load beside heavier ones
		{with("c5", debate.Skipped), 0},
	} {
		if !near(c.got, c.want) {
			t.Errorf("evidence %g, want %g", c.got, c.want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	threat := argued(votes("AAA"))
	threat.Claims = append(threat.Claims, debate.Claim{ID: "cx", Seat: "sb", Option: "A", Kind: "security", Impact: 5, Put: true})
	verified := threat
	verified.Checks = []debate.Check{{ID: "k", Claim: "cx", Grade: debate.Executed, Result: debate.Pass, Ratio: 1}}
	quoted := threat
	quoted.Checks = []debate.Check{{ID: "k", Claim: "cx", Grade: debate.Matched, Result: debate.Pass, Ratio: 1}}
	for _, c := range []struct {
		name string
		l    debate.Ledger
		want debate.Outcome
	}{
		{"all alike", votes("AAA"), debate.Decided},
		{"one against", votes("AAB"), debate.WithDissent},
		{"level", votes("AABB"), debate.Tie},
		{"level among four", votes("ABCD"), debate.Tie},
		{"one lost", votes("AAA."), debate.Degraded},
		{"most lost", votes("A.."), debate.NoQuorum},
		{"all lost", votes("..."), debate.NoQuorum},
		{"most abstain", votes("A--"), debate.Abstain},
		{"all abstain", votes("---"), debate.Abstain},
		{"a verified danger", verified, debate.Abstain},
		{"a danger somebody quoted", quoted, debate.Decided},
		{"nobody sat down", debate.Ledger{}, debate.Abstain},
	} {
		v := debate.Decide(c.l, rules)
		if v.Outcome != c.want || c.want.Decision() != (v.Winner != "") {
			t.Errorf("%s: %s, winner %q, want %s", c.name, v.Outcome, v.Winner, c.want)
		}
	}
}

func TestDissentNamesTheStrongestLoser(t *testing.T) {
	l := argued(votes("AAABBC"))
	l.Switches = []debate.Switch{{Seat: "sf", From: "C", To: "A"}}
	l.Votes[0].Flip = "a failing test"
	l.Claims = append(l.Claims, debate.Claim{ID: "cy", Seat: "sd", Option: "A", Impact: 2, Put: true})
	l.Checks = []debate.Check{{ID: "k", Claim: "cB", Grade: debate.Executed, Result: debate.Fail, Ratio: 1}}
	d := debate.Decide(l, rules).Dissent
	if d.Option != "B" || !slices.Equal(d.Seats, []string{"sd", "se"}) || !slices.Equal(d.Claims, []string{"cy"}) ||
		len(d.Unsupported) != 1 || !slices.Equal(d.Flip, []string{"a failing test"}) {
		t.Errorf("%+v", d)
	}
}

// TestStabilityByHand removes each seat and each lineage in turn and asks who leads.
func TestStabilityByHand(t *testing.T) {
	for _, panel := range panels() {
		v := debate.Decide(panel, rules)
		if v.Outcome == debate.NoQuorum || v.Outcome == debate.Abstain {
			continue
		}
		groups := map[string][]string{}
		voters := 0
		for _, x := range panel.Votes {
			if x.Status == debate.Voted {
				voters++
				groups["seat "+x.Seat] = []string{x.Seat}
				groups["lineage "+x.Lineage] = append(groups["lineage "+x.Lineage], x.Seat)
			}
		}
		tried := map[string]bool{}
		kept := 0
		for _, g := range groups {
			key := strings.Join(g, " ")
			if tried[key] || len(g) == voters {
				continue
			}
			tried[key] = true
			rest := panel
			rest.Votes = slices.DeleteFunc(slices.Clone(panel.Votes), func(x debate.Vote) bool { return slices.Contains(g, x.Seat) })
			if p := bruteForce(rest); p[0].option == leader(v) && p[0].odds > p[1].odds*(1+1e-9) {
				kept++
			}
		}
		want := 0.0
		if len(tried) > 0 {
			want = float64(kept) / float64(len(tried))
		}
		if !near(v.Score.Stability, want) {
			t.Fatalf("stability %g, by hand %g: %s", v.Score.Stability, want, bytesOf(t, panel))
		}
	}
}
