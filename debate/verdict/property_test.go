package verdict_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// ledgers makes well-formed ledgers: up to seven seats of up to four lineages over up to four options.
func ledgers() *rapid.Generator[verdict.Ledger] {
	return rapid.Custom(func(t *rapid.T) verdict.Ledger {
		var l verdict.Ledger
		for i := range rapid.IntRange(1, 4).Draw(t, "options") {
			l.Options = append(l.Options, verdict.Option{Key: string(rune('A' + i))})
		}
		for i := range rapid.IntRange(1, 7).Draw(t, "seats") {
			l.Votes = append(l.Votes, drawVote(t, fmt.Sprintf("s%d", i), l))
		}
		for i := range rapid.IntRange(0, 7).Draw(t, "claims") {
			l.Claims = append(l.Claims, drawClaim(t, fmt.Sprintf("c%d", i), l))
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "checks") {
			if len(l.Claims) > 0 {
				l.Checks = append(l.Checks, drawCheck(t, fmt.Sprintf("k%d", i), l))
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "switches") {
			l.Switches = append(l.Switches, verdict.Switch{
				Seat: drawSeat(t, l), From: drawOption(t, l), To: drawOption(t, l), Supported: rapid.Bool().Draw(t, "supported"),
			})
		}
		return l
	})
}

func drawSeat(t *rapid.T, l verdict.Ledger) string {
	return rapid.SampledFrom(l.Votes).Draw(t, "seat").Seat
}

func drawOption(t *rapid.T, l verdict.Ledger) string {
	return rapid.SampledFrom(l.Options).Draw(t, "option").Key
}

func drawVote(t *rapid.T, seat string, l verdict.Ledger) verdict.Vote {
	v := verdict.Vote{Seat: seat, Lineage: rapid.SampledFrom([]string{"v", "x", "y", "z"}).Draw(t, "lineage")}
	v.Status = rapid.SampledFrom([]verdict.Status{verdict.Voted, verdict.Voted, verdict.Voted, verdict.Voted, verdict.Voted,
		verdict.Abstained, verdict.NoVote, verdict.Failed, verdict.Expelled}).Draw(t, "status")
	if v.Status == verdict.Voted {
		v.Option = drawOption(t, l)
		v.Flip = "if " + seat + " is shown otherwise"
		v.Accuracy = rapid.SampledFrom([]float64{0, 0, .4, .6, .9}).Draw(t, "accuracy")
	}
	return v
}

func drawClaim(t *rapid.T, id string, l verdict.Ledger) verdict.Claim {
	c := verdict.Claim{
		ID: id, Seat: drawSeat(t, l), Supports: rapid.Bool().Draw(t, "supports"), Put: rapid.IntRange(0, 4).Draw(t, "put") > 0,
		Kind:   rapid.SampledFrom([]string{"fact", "security", "data"}).Draw(t, "kind"),
		Impact: rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "impact"), Stances: map[string]verdict.Stance{},
	}
	if rapid.IntRange(0, 4).Draw(t, "neutral") > 0 {
		c.Option = drawOption(t, l)
	}
	for _, v := range l.Votes {
		if verb := rapid.SampledFrom(append(verbs, "")).Draw(t, "verb"); verb != "" {
			c.Stances[v.Seat] = verdict.Stance{Verb: verb, Impact: rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "said impact")}
		}
	}
	return c
}

var verbs = []verdict.Verb{verdict.Agree, verdict.Object, verdict.Add, verdict.SameAs, verdict.Undecided}

func drawCheck(t *rapid.T, id string, l verdict.Ledger) verdict.Check {
	k := verdict.Check{
		ID: id, Claim: rapid.SampledFrom(l.Claims).Draw(t, "claim").ID,
		Result: rapid.SampledFrom([]string{verdict.Pass, verdict.Fail, verdict.Skipped}).Draw(t, "result"),
		Grade:  rapid.SampledFrom([]verdict.Grade{verdict.Executed, verdict.Entailed, verdict.Fetched, verdict.Matched, verdict.Nothing}).Draw(t, "grade"),
	}
	k.Ratio = rules.Ratio(k.Grade, k.Result)
	return k
}

// rules are those of version 3: the tests that use them say how records of that time score. Later rules have tests of their own.
var rules = version(3)

func version(n int) verdict.Rules {
	raw, err := os.ReadFile(fmt.Sprintf("testdata/rules-%d.json", n))
	var r verdict.Rules
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		panic(err)
	}
	return r
}

func bytesOf(t interface{ Fatal(...any) }, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// inRange says what is wrong with a verdict's numbers, or nothing.
func inRange(v verdict.Verdict) string {
	in := func(x, low, high float64) bool { return x >= low-1e-6 && x <= high+1e-6 }
	s := v.Score
	var sum float64
	for _, b := range v.Beliefs {
		sum += b.P
		if !in(b.P, 0, 1) {
			return "a posterior lies outside [0, 1]"
		}
	}
	switch {
	case len(v.Beliefs) > 0 && !in(sum, 1-1e-5, 1+1e-5):
		return "the posterior does not add up to 1"
	case !in(s.Value, 0, 1) || !in(s.Support, 0, 1) || !in(s.Contested, 0, 1) ||
		!in(s.Stability, 0, 1) || !in(s.Coverage, 0, 1) || !in(s.Evidence, -1, 1):
		return "a part of the score lies outside its range"
	case s.Value > s.Support*(1-s.Contested)+2e-6:
		return "the value exceeds support times what is uncontested"
	case slices.ContainsFunc(s.Caps, func(c verdict.Cap) bool { return s.Value > c.At+1e-6 }):
		return "the value exceeds a cap"
	case v.Outcome.Decision() != (v.Winner != ""):
		return "there is a winner without a decision, or the reverse"
	case v.Gate == "proceed" && (s.Value < rules.Proceed || s.Stability < 1 || s.Evidence < 0 || !v.Outcome.Decision()):
		return "the gate lets through what it must not"
	case v.Gate == "evidence" && s.Value >= rules.Proceed && s.Stability == 1 && s.Evidence >= 0:
		return "the gate holds what it must let through"
	case v.Gate != "person" && s.Value < rules.Person:
		return "the gate spares the person although the value is low"
	case v.Panel.Voted+v.Panel.Abstained+v.Panel.NoVote+v.Panel.Failed != v.Panel.Seats:
		return "seats are unaccounted for"
	}
	return ""
}

func TestNumbersStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := verdict.Decide(ledgers().Draw(t, "ledger"), rules)
		if wrong := inRange(v); wrong != "" {
			t.Fatal(wrong, bytesOf(t, v))
		}
	})
}

// leader is the option the score is about, also where there is no decision.
func leader(v verdict.Verdict) string {
	if len(v.Beliefs) == 0 {
		return ""
	}
	return v.Beliefs[0].Option
}

func TestStancesPushOneWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Filter(func(l verdict.Ledger) bool { return len(l.Claims) > 0 }).Draw(t, "ledger")
		i, seat := rapid.IntRange(0, len(l.Claims)-1).Draw(t, "which"), drawSeat(t, l)
		said := func(verb verdict.Verb) float64 {
			c := l.Claims[i]
			c.Stances = maps.Clone(c.Stances)
			c.Stances[seat] = verdict.Stance{Verb: verb, Impact: c.Stances[seat].Impact}
			with := l
			with.Claims = slices.Clone(l.Claims)
			with.Claims[i] = c
			return verdict.Decide(with, rules).Score.Value
		}
		v := verdict.Decide(l, rules)
		c := l.Claims[i]
		agreed, objected := said(verdict.Agree), said(verdict.Object)
		switch {
		case c.Option == "":
		case (c.Option == leader(v)) == c.Supports:
			if agreed < v.Score.Value || objected > v.Score.Value {
				t.Fatalf("a claim for the winner: %g, agreed %g, objected %g", v.Score.Value, agreed, objected)
			}
		default:
			if agreed > v.Score.Value || objected < v.Score.Value {
				t.Fatalf("a claim against the winner: %g, agreed %g, objected %g", v.Score.Value, agreed, objected)
			}
		}
	})
}

// renamed is the ledger with every seat and option called something else.
func renamed(l verdict.Ledger, seat, option func(string) string) verdict.Ledger {
	out := verdict.Ledger{}
	for _, o := range l.Options {
		out.Options = append(out.Options, verdict.Option{Key: option(o.Key), Text: o.Text})
	}
	for _, v := range l.Votes {
		v.Seat, v.Option = seat(v.Seat), option(v.Option)
		out.Votes = append(out.Votes, v)
	}
	for _, c := range l.Claims {
		stances := map[string]verdict.Stance{}
		for s, said := range c.Stances {
			stances[seat(s)] = said
		}
		c.Seat, c.Option, c.Stances = seat(c.Seat), option(c.Option), stances
		out.Claims = append(out.Claims, c)
	}
	for _, s := range l.Switches {
		s.Seat, s.From, s.To = seat(s.Seat), option(s.From), option(s.To)
		out.Switches = append(out.Switches, s)
	}
	out.Checks = l.Checks
	return out
}

func same(s string) string { return s }

// permutation maps every name to another of them, and the empty one to itself.
func permutation(t *rapid.T, names []string) func(string) string {
	to := rapid.Permutation(names).Draw(t, "names")
	return func(s string) string {
		if i := slices.Index(names, s); i >= 0 {
			return to[i]
		}
		return s
	}
}

// alike says whether two scores are equal but for rounding.
func alike(a, b verdict.Score) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) < 3e-6 }
	return near(a.Value, b.Value) && near(a.Support, b.Support) && near(a.Contested, b.Contested) &&
		near(a.Evidence, b.Evidence) && near(a.Stability, b.Stability) && near(a.Coverage, b.Coverage)
}

func TestNamesOfSeatsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Draw(t, "ledger")
		var names []string
		for _, v := range l.Votes {
			names = append(names, v.Seat)
		}
		a, b := verdict.Decide(l, rules), verdict.Decide(renamed(l, permutation(t, names), same), rules)
		if a.Outcome != b.Outcome || a.Winner != b.Winner || a.Gate != b.Gate || a.Panel != b.Panel || !alike(a.Score, b.Score) {
			t.Fatalf("renaming seats changed the verdict\n%s\n%s", bytesOf(t, a), bytesOf(t, b))
		}
	})
}

func TestNamesOfOptionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Draw(t, "ledger")
		var keys []string
		for _, o := range l.Options {
			keys = append(keys, o.Key)
		}
		to := permutation(t, keys)
		a, b := verdict.Decide(l, rules), verdict.Decide(renamed(l, same, to), rules)
		if len(a.Beliefs) > 1 && a.Beliefs[0].P-a.Beliefs[1].P < 1e-5 {
			return // level options: which one the score is about is a matter of names
		}
		if a.Outcome != b.Outcome || to(a.Winner) != b.Winner || a.Gate != b.Gate || !alike(a.Score, b.Score) {
			t.Fatalf("renaming options changed the verdict\n%s\n%s", bytesOf(t, a), bytesOf(t, b))
		}
	})
}

func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Draw(t, "ledger")
		l.Switches = nil // of a seat's switches the last one counts
		other := l
		other.Votes = rapid.Permutation(l.Votes).Draw(t, "votes")
		other.Claims = rapid.Permutation(l.Claims).Draw(t, "claims")
		other.Checks = rapid.Permutation(l.Checks).Draw(t, "checks")
		a, b := bytesOf(t, verdict.Decide(l, rules)), bytesOf(t, verdict.Decide(other, rules))
		if a != b {
			t.Fatalf("another order of arrival, another verdict\n%s\n%s", a, b)
		}
	})
}

func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Draw(t, "ledger")
		record := bytesOf(t, l)
		first := bytesOf(t, verdict.Decide(l, rules))
		if bytesOf(t, l) != record {
			t.Fatal("Decide changed the ledger")
		}
		var again verdict.Ledger
		if err := json.Unmarshal([]byte(record), &again); err != nil {
			t.Fatal(err)
		}
		if second := bytesOf(t, verdict.Decide(again, rules)); first != second {
			t.Fatalf("replayed from the record:\n%s\n%s", first, second)
		}
	})
}

func TestSilenceNeverRaisesSupport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledgers().Draw(t, "ledger")
		quiet := l
		quiet.Votes = slices.Clone(l.Votes)
		status := rapid.SampledFrom([]verdict.Status{verdict.Abstained, verdict.NoVote, verdict.Failed}).Draw(t, "status")
		if i := rapid.IntRange(-1, len(l.Votes)-1).Draw(t, "which"); i >= 0 {
			quiet.Votes[i].Status, quiet.Votes[i].Option = status, ""
		} else {
			quiet.Votes = append(quiet.Votes, verdict.Vote{Seat: "late", Lineage: rapid.SampledFrom([]string{"v", "new"}).Draw(t, "lineage"), Status: status})
		}
		a, b := verdict.Decide(l, rules), verdict.Decide(quiet, rules)
		if leader(a) == leader(b) && b.Score.Support > a.Score.Support+1e-6 {
			t.Fatalf("a silent seat raised support from %g to %g", a.Score.Support, b.Score.Support)
		}
	})
}

func TestClonesGainLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules
		r.WithinLineage = rapid.SampledFrom([]float64{.25, .5, .8, 1}).Draw(t, "r")
		n := rapid.IntRange(1, 60).Draw(t, "clones")
		l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}}
		for i := range n {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("clone", i), Lineage: "v", Status: verdict.Voted, Option: "A"})
		}
		var rivals float64
		for rivals < 1/r.WithinLineage {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("rival", rivals), Lineage: fmt.Sprint("w", rivals), Status: verdict.Voted, Option: "B"})
			rivals++
		}
		v := verdict.Decide(l, r)
		weight := v.Beliefs[slices.IndexFunc(v.Beliefs, func(b verdict.Belief) bool { return b.Option == "A" })].Votes
		want := float64(n) / (1 + float64(n-1)*r.WithinLineage)
		if math.Abs(weight-want) > 1e-6 || weight > 1/r.WithinLineage+1e-6 {
			t.Fatalf("%d clones weigh %g, not %g", n, weight, want)
		}
		if v.Winner == "A" {
			t.Fatalf("%d clones outvoted %g lineages at r = %g", n, rivals, r.WithinLineage)
		}
	})
}
