package verdict_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// argued adds, for each option voted for, the claim of its first voter that it is right.
func argued(l verdict.Ledger) verdict.Ledger {
	for _, v := range l.Votes {
		if v.Status == verdict.Voted && l.Claim("c"+v.Option) == nil {
			l.Claims = append(l.Claims, verdict.Claim{ID: "c" + v.Option, Seat: v.Seat, Option: v.Option, Supports: true, Impact: 2, Put: true})
		}
	}
	return l
}

// say records a stance on a claim.
func say(l verdict.Ledger, claim, seat string, verb verdict.Verb) verdict.Ledger {
	c := l.Claim(claim)
	if c.Stances == nil {
		c.Stances = map[string]verdict.Stance{}
	}
	c.Stances[seat] = verdict.Stance{Verb: verb}
	return l
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-5 }

func TestUnanimousPanelsTopOut(t *testing.T) {
	for n, want := range map[int]float64{2: 2.5 / 3, 3: .875, 4: .9, 5: .916667, 6: 6.5 / 7} {
		v := verdict.Decide(argued(votes(strings.Repeat("A", n))), rules)
		if !near(v.Score.Value, want) || v.Outcome != verdict.Decided || v.Gate != "proceed" {
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
			l.Claims = []verdict.Claim{{ID: "cA", Seat: "sa", Option: "A", Supports: true, Impact: 2, Put: true}}
			for i := range n {
				say(l, "cA", l.Votes[i].Seat, []verdict.Verb{verdict.Agree, verdict.Object, verdict.Undecided}[mix%3])
				mix /= 3
			}
			v := verdict.Decide(l, rules)
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
	family := func(l verdict.Ledger, n int) verdict.Ledger {
		for i := range n {
			l.Votes[i].Lineage = "la"
		}
		return l
	}
	danger := argued(votes("AAAAA"))
	danger.Claims = append(danger.Claims, verdict.Claim{ID: "cx", Seat: "sa", Option: "A", Kind: "fact", Impact: 5, Put: true})
	danger.Checks = []verdict.Check{{ID: "k", Claim: "cx", Grade: verdict.Executed, Result: verdict.Pass, Ratio: 1}}
	for _, c := range []struct {
		cap string
		at  float64
		l   verdict.Ledger
	}{
		{"one-lineage", .60, argued(family(votes("AAA"), 3))},
		{"one-lineage", .60, argued(votes("A"))},
		{"coverage", .60, argued(votes("AAA.."))},
		{"coverage", .60, argued(votes("AAA--"))},
		{"unstable", .75, argued(votes("AAB"))},
		{"objection", .49, danger},
	} {
		v := verdict.Decide(c.l, rules)
		if !slices.ContainsFunc(v.Score.Caps, func(k verdict.Cap) bool { return k.Name == c.cap && k.At == c.at }) || v.Score.Value > c.at || v.Gate == "proceed" {
			t.Errorf("%s: value %g, gate %s, caps %v", c.cap, v.Score.Value, v.Gate, v.Score.Caps)
		}
	}
	if v := verdict.Decide(argued(votes("AAAA")), rules); len(v.Score.Caps) > 0 {
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
			c := verdict.Claim{ID: fmt.Sprint("c", i), Seat: "sa", Option: "A", Supports: true, Put: true, Impact: []int{2, 5}[mix>>(2*i)&1], Stances: map[string]verdict.Stance{}}
			if mix>>(2*i+1)&1 == 1 {
				c.Stances["sb"] = verdict.Stance{Verb: verdict.Object}
			}
			l.Claims = append(l.Claims, c)
		}
		v := verdict.Decide(l, rules)
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
	base := func(claims ...verdict.Claim) verdict.Ledger {
		l := votes("AAA")
		for i, c := range claims {
			c.ID, c.Put = fmt.Sprint("c", i), true
			l.Claims = append(l.Claims, c)
		}
		return l
	}
	favour := verdict.Claim{Seat: "sa", Option: "A", Supports: true, Impact: 2}
	against := verdict.Claim{Seat: "sa", Option: "A", Impact: 2}
	rival := verdict.Claim{Seat: "sa", Option: "B", Supports: true, Impact: 2}
	rivalDown := verdict.Claim{Seat: "sa", Option: "B", Impact: 2}
	neutral := verdict.Claim{Seat: "sa", Impact: 2}
	small := favour
	small.Impact = 1
	big := favour
	big.Impact = 5
	hidden := base(favour, against)
	hidden.Claims[1].Put = false
	objected := say(say(base(small, small, small, small, big), "c0", "sb", verdict.Object), "c0", "sc", verdict.Object)
	for _, c := range []struct {
		name string
		l    verdict.Ledger
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
		{"an author may take it back", say(base(favour), "c0", "sa", verdict.Object), 1 - 2.5/4},
		{"abstaining on a claim is no voice", say(base(favour), "c0", "sb", verdict.Undecided), 1 - 2.5/3},
		{"same as agrees", say(base(against), "c0", "sb", verdict.SameAs), 2.5 / 3},
	} {
		if v := verdict.Decide(c.l, rules); !near(v.Score.Contested, c.want) {
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
		stances := map[string]verdict.Stance{}
		for seat, impact := range c.said {
			stances[seat] = verdict.Stance{Verb: verdict.Undecided, Impact: impact}
		}
		l.Claims = []verdict.Claim{
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
		if v := verdict.Decide(l, rules); !near(v.Score.Contested, want) {
			t.Errorf("own %d, said %v: contested %g, want %g", c.own, c.said, v.Score.Contested, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	l := argued(votes("AAA"))
	l.Claims = append(l.Claims,
		verdict.Claim{ID: "c5", Seat: "sb", Option: "A", Supports: true, Impact: 5, Put: true},
		verdict.Claim{ID: "c1", Seat: "sb", Option: "A", Supports: true, Impact: 1, Put: true})
	with := func(results ...string) float64 {
		l := l
		l.Checks = nil
		for i := 0; i < len(results); i += 2 {
			l.Checks = append(l.Checks, verdict.Check{ID: fmt.Sprint("k", i), Claim: results[i], Grade: verdict.Executed, Result: results[i+1], Ratio: 1})
		}
		return verdict.Decide(l, rules).Score.Evidence
	}
	for _, c := range []struct{ got, want float64 }{
		{with(), 0},
		{with("cA", verdict.Pass), 2. / 7},
		{with("cA", verdict.Pass, "c5", verdict.Pass), 1},
		{with("c5", verdict.Fail), -5. / 7},
		{with("c5", verdict.Pass, "c5", verdict.Fail), -5. / 7}, // one refutation outweighs a pass
		{with("c5", verdict.Fail, "c5", verdict.Pass), -5. / 7},
		{with("c1", verdict.Pass), 0}, // bears no load beside heavier ones
		{with("c5", verdict.Skipped), 0},
	} {
		if !near(c.got, c.want) {
			t.Errorf("evidence %g, want %g", c.got, c.want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	threat := argued(votes("AAA"))
	threat.Claims = append(threat.Claims, verdict.Claim{ID: "cx", Seat: "sb", Option: "A", Kind: "security", Impact: 5, Put: true})
	verified := threat
	verified.Checks = []verdict.Check{{ID: "k", Claim: "cx", Grade: verdict.Executed, Result: verdict.Pass, Ratio: 1}}
	quoted := threat
	quoted.Checks = []verdict.Check{{ID: "k", Claim: "cx", Grade: verdict.Matched, Result: verdict.Pass, Ratio: 1}}
	for _, c := range []struct {
		name string
		l    verdict.Ledger
		want verdict.Outcome
	}{
		{"all alike", votes("AAA"), verdict.Decided},
		{"one against", votes("AAB"), verdict.WithDissent},
		{"level", votes("AABB"), verdict.Tie},
		{"level among four", votes("ABCD"), verdict.Tie},
		{"one lost", votes("AAA."), verdict.Degraded},
		{"most lost", votes("A.."), verdict.NoQuorum},
		{"all lost", votes("..."), verdict.NoQuorum},
		{"most abstain", votes("A--"), verdict.Abstain},
		{"all abstain", votes("---"), verdict.Abstain},
		{"a verified danger", verified, verdict.Abstain},
		{"a danger somebody quoted", quoted, verdict.Decided},
		{"nobody sat down", verdict.Ledger{}, verdict.Abstain},
	} {
		v := verdict.Decide(c.l, rules)
		if v.Outcome != c.want || c.want.Decision() != (v.Winner != "") {
			t.Errorf("%s: %s, winner %q, want %s", c.name, v.Outcome, v.Winner, c.want)
		}
	}
}

func TestDissentNamesTheStrongestLoser(t *testing.T) {
	l := argued(votes("AAABBC"))
	l.Switches = []verdict.Switch{{Seat: "sf", From: "C", To: "A"}}
	l.Votes[0].Flip = "a failing test"
	l.Claims = append(l.Claims, verdict.Claim{ID: "cy", Seat: "sd", Option: "A", Impact: 2, Put: true})
	l.Checks = []verdict.Check{{ID: "k", Claim: "cB", Grade: verdict.Executed, Result: verdict.Fail, Ratio: 1}}
	d := verdict.Decide(l, rules).Dissent
	if d.Option != "B" || !slices.Equal(d.Seats, []string{"sd", "se"}) || !slices.Equal(d.Claims, []string{"cy"}) ||
		len(d.Unsupported) != 1 || !slices.Equal(d.Flip, []string{"a failing test"}) {
		t.Errorf("%+v", d)
	}
}

// TestStabilityByHand removes each seat and each lineage in turn and asks who leads.
func TestStabilityByHand(t *testing.T) {
	for _, panel := range panels() {
		v := verdict.Decide(panel, rules)
		if v.Outcome == verdict.NoQuorum || v.Outcome == verdict.Abstain {
			continue
		}
		groups := map[string][]string{}
		voters := 0
		for _, x := range panel.Votes {
			if x.Status == verdict.Voted {
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
			rest.Votes = slices.DeleteFunc(slices.Clone(panel.Votes), func(x verdict.Vote) bool { return slices.Contains(g, x.Seat) })
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
