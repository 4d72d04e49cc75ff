package verdict_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// votes is a ledger of options A to D in which each seat, of a lineage of its own, votes for a letter of choices.
// A dot is a seat that failed, a dash one that abstained.
func votes(choices string) verdict.Ledger {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}, {Key: "C"}, {Key: "D"}}}
	for i, c := range choices {
		v := verdict.Vote{Seat: "s" + string(rune('a'+i)), Lineage: "l" + string(rune('a'+i)), Status: verdict.Voted, Option: string(c)}
		switch c {
		case '.':
			v.Status, v.Option = verdict.Failed, ""
		case '-':
			v.Status, v.Option = verdict.Abstained, ""
		}
		l.Votes = append(l.Votes, v)
	}
	return l
}

// check adds a claim that an option is right and a check of it with this ratio.
func check(l verdict.Ledger, option string, ratio float64) verdict.Ledger {
	id := "c" + option
	l.Claims = append(l.Claims, verdict.Claim{ID: id, Seat: l.Votes[0].Seat, Option: option, Supports: true, Impact: 2, Put: true})
	l.Checks = append(l.Checks, verdict.Check{ID: "k" + option, Claim: id, Grade: verdict.Executed, Result: verdict.Pass, Ratio: ratio})
	return l
}

func TestHostileLedgers(t *testing.T) {
	accuracy := func(l verdict.Ledger, a float64) verdict.Ledger { l.Votes[0].Accuracy = a; return l }
	impact := func(l verdict.Ledger, own, said int) verdict.Ledger {
		l = check(l, "A", 3)
		l.Claims[0].Impact = own
		l.Claims[0].Stances = map[string]verdict.Stance{"sb": {Verb: verdict.Object, Impact: said}, "nobody": {Verb: verdict.Agree, Impact: said}}
		return l
	}
	cancel := impact(votes("AAB"), 2, 2)
	cancel.Claims = append(cancel.Claims, verdict.Claim{ID: "cx", Seat: "sc", Option: "B", Supports: true, Impact: -3, Put: true})
	unknown := check(votes("AAB"), "A", 3)
	unknown.Checks[0].Claim = "c99"
	unknown.Switches = []verdict.Switch{{Seat: "nobody", To: "Z", Supported: true}, {Seat: "sa", To: "Z", Supported: true}}
	double := votes("AAB")
	double.Votes = append(double.Votes, double.Votes[0], verdict.Vote{Seat: "sa", Lineage: "lb", Status: verdict.Voted, Option: "B"})
	options := votes("AAB")
	options.Options = append(options.Options, verdict.Option{Key: "A"}, verdict.Option{})
	for name, l := range map[string]verdict.Ledger{
		"nothing":            {},
		"no options":         {Votes: votes("AB").Votes},
		"no votes":           {Options: votes("A").Options},
		"unknown ids":        unknown,
		"seats sit twice":    double,
		"options twice":      options,
		"ratio not finite":   check(check(votes("AAB"), "A", math.NaN()), "B", math.Inf(1)),
		"ratio negative":     check(votes("AAB"), "A", -3),
		"ratios enormous":    check(check(votes("AAB"), "A", math.MaxFloat64), "B", math.SmallestNonzeroFloat64),
		"accuracy no chance": accuracy(votes("AAB"), math.NaN()),
		"accuracy above 1":   accuracy(votes("AAB"), 7),
		"impact negative":    impact(votes("AAB"), -5, -7),
		"impact enormous":    impact(votes("AAB"), math.MaxInt, math.MinInt),
		"impacts cancel":     cancel,
		"impact zero":        impact(votes("AAB"), 0, 0),
		"status unheard of":  {Options: options.Options, Votes: []verdict.Vote{{Seat: "sa", Status: "asleep", Option: "A"}}},
	} {
		t.Run(name, func(t *testing.T) {
			v := verdict.Decide(l, rules)
			if wrong := inRange(v); wrong != "" {
				t.Errorf("%s: %+v", wrong, v)
			}
			bytesOf(t, v)
		})
	}
}

func TestVoteForNothingOnOfferIsNoVote(t *testing.T) {
	l := votes("ZZZ")
	l.Options = l.Options[:1]
	if v := verdict.Decide(l, rules); v.Outcome != verdict.NoQuorum || v.Winner != "" || v.Panel.NoVote != 3 {
		t.Errorf("nobody voted for an option on offer, yet: %s", bytesOf(t, v))
	}
	if v := verdict.Decide(votes("AAZ"), rules); v.Score.Coverage > .67 || v.Panel.NoVote != 1 {
		t.Errorf("a vote for no option counts as one: %s", bytesOf(t, v))
	}
}

func FuzzDecide(f *testing.F) {
	for _, l := range []verdict.Ledger{{}, votes("AAB.-"), check(check(votes("ABBCA"), "A", 3), "B", 1./3)} {
		f.Add([]byte(bytesOf(f, l)))
	}
	f.Add([]byte(`{"options":[{"key":"A"}],"votes":[{"seat":"x","status":"voted","option":"A"},{"seat":"x","status":"voted","option":"A"}],` +
		`"claims":[{"id":"c","impact":-3,"put":true,"merged":["c","d"]}],"checks":[{"claim":"d","result":"pass","ratio":-1}]}`))
	f.Fuzz(func(t *testing.T, record []byte) {
		var l verdict.Ledger
		if json.Unmarshal(record, &l) != nil || slices.ContainsFunc(l.Options, func(o verdict.Option) bool { return o.Key == "" }) {
			t.Skip() // a frame gives every option a key
		}
		v := verdict.Decide(l, rules)
		if wrong := inRange(v); wrong != "" {
			t.Fatal(wrong, bytesOf(t, v))
		}
		if bytesOf(t, v) != bytesOf(t, verdict.Decide(l, rules)) {
			t.Fatal("the same ledger, another verdict")
		}
		verdict.NextCheck(l, rules, func(string) bool { return len(l.Checks) < 100 })
		verdict.Settled(l, rules, l.Votes...)
	})
}
