package verdict_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
)

var current = verdict.DefaultRules()

// yes and no are judgements of a claim.
func judged(n int, claim, by, why, result string) verdict.Check {
	return verdict.Check{ID: fmt.Sprintf("k%02d", n), Claim: claim, Kind: "entailment", Grade: verdict.Entailed, Result: result, By: by, Lineage: by, Asked: why}
}

func always(*verdict.Claim) bool { return true }

func plenty(*verdict.Claim) int { return 9 }

// TestWorkedExample plays the documented example: three honest seats, one mistaken, one that lies and judges falsely.
func TestWorkedExample(t *testing.T) {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1"}
	for seat, option := range map[string]string{"h1": "A", "h2": "A", "h3": "A", "w": "B", "s": "B"} {
		l.Votes = append(l.Votes, verdict.Vote{Seat: seat, Lineage: seat, Status: verdict.Voted, Option: option})
		for n := range 3 {
			id := fmt.Sprint(seat, n)
			l.Claims = append(l.Claims, verdict.Claim{ID: id, Seat: seat, Text: id, Option: option, Supports: true, Put: true, Evidence: verdict.Evidence{Kind: "quote", File: id}})
		}
	}
	l.Claims = append(l.Claims, verdict.Claim{ID: "straw", Seat: "s", Text: "straw", Option: "A", Supports: true, Put: true})
	next := func(claim, why string, stop, worth float64) {
		t.Helper()
		step, ok := verdict.Next(l, current, always, plenty)
		if !ok || claim != "" && step.Claim != claim || step.Why != why || why == "drawn" && (!near3(step.Stop, stop) || !near3(step.Worth, worth)) {
			t.Errorf("next is %+v, %v; want %s of %s, %.3f, %.3f", step, ok, why, claim, stop, worth)
		}
	}
	say := func(claim, by, why, result string) {
		l.Checks = append(l.Checks, judged(len(l.Checks), claim, by, why, result))
	}
	next("", "drawn", .700, .818)
	say("h10", "s", "drawn", verdict.Fail)
	next("h10", "after a no", 0, 0)
	say("h10", "h3", "after a no", verdict.Pass)
	next("h10", "tie-break", 0, 0)
	say("h10", "w", "tie-break", verdict.Pass)
	next("", "drawn", .875, .905)
	say("h20", "w", "drawn", verdict.Pass)
	if step, ok := verdict.Next(l, current, always, plenty); ok {
		t.Errorf("nothing is worth its price, yet %+v", step)
	}
	v := verdict.Decide(l, current)
	if !near3(v.Beliefs[0].P, .955) || v.Score.Stability != 1 || v.Gate != verdict.GateProceed || v.Winner != "A" {
		t.Errorf("P %.3f, J %g, gate %s, reasons %v", v.Beliefs[0].P, v.Score.Stability, v.Gate, v.Reasons)
	}
	if i := slices.IndexFunc(v.Hinges, func(h verdict.Hinge) bool { return strings.Join(h.Without, " ") == "h1 h2" }); i < 0 || v.Hinges[i].Winner != "B" {
		t.Errorf("without h1 and h2 B would win, yet hinges are %v", v.Hinges)
	}
	if said := verdict.Explain(l, current); strings.Count(said, "; case 0.8473 → 1.9459\n") != 2 || strings.Count(said, "→") != 2 {
		t.Errorf("h1 and h2 have one case each that two checks moved:\n%s", said)
	}
	for i := range l.Checks { // were the checks left to the liar alone
		l.Checks[i].Result = verdict.Fail
	}
	alone := l
	alone.Checks = []verdict.Check{judged(0, "h10", "s", "drawn", verdict.Fail), judged(1, "h20", "s", "drawn", verdict.Fail)}
	one := current
	one.Judges = 1
	if bs := verdict.Posterior(alone, one); bs[0].Option != "B" || !near3(1-bs[0].P, .300) {
		t.Errorf("one judge for each check: %+v", bs)
	}
}

func near3(a, b float64) bool { return math.Abs(a-b) < .0006 }

// bench makes ledgers with claims, judgements, objections and vetoes, as any seat may write them.
func bench() *rapid.Generator[verdict.Ledger] {
	return rapid.Custom(func(t *rapid.T) verdict.Ledger {
		l := verdict.Ledger{DrawKey: fmt.Sprint(rapid.Uint8().Draw(t, "key"))}
		for i := range rapid.IntRange(2, 4).Draw(t, "options") {
			l.Options = append(l.Options, verdict.Option{Key: string(rune('A' + i)), Text: fmt.Sprint("option ", i)})
		}
		option := func(what string) string { return rapid.SampledFrom(l.Options).Draw(t, what).Key }
		seats := rapid.IntRange(1, 6).Draw(t, "seats")
		for i := range seats {
			v := verdict.Vote{Seat: fmt.Sprint("s", i), Lineage: rapid.SampledFrom([]string{"u", "v", "w", "x", "y"}).Draw(t, "lineage"), Status: verdict.Voted,
				Accuracy: rapid.SampledFrom([]float64{0, 0, .6, .95}).Draw(t, "accuracy")}
			v.Status = rapid.SampledFrom([]verdict.Status{verdict.Voted, verdict.Voted, verdict.Voted, verdict.Abstained, verdict.Failed}).Draw(t, "status")
			if v.Status == verdict.Voted {
				v.Option = option("vote")
			}
			l.Votes = append(l.Votes, v)
		}
		if rapid.Bool().Draw(t, "has a judge") {
			l.Judge = &verdict.Judge{Seat: "judge", Lineage: "j"}
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "claims") {
			c := verdict.Claim{ID: fmt.Sprint("c", i), Seat: fmt.Sprint("s", rapid.IntRange(0, seats-1).Draw(t, "author")), Text: fmt.Sprint("claim ", i), Put: true,
				Kind: rapid.SampledFrom([]string{"logic", "security"}).Draw(t, "kind"), Impact: rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "impact"),
				Option: option("about"), Supports: rapid.Bool().Draw(t, "supports"), Evidence: verdict.Evidence{Kind: "quote", File: fmt.Sprint("f", rapid.IntRange(0, 9).Draw(t, "file")), Line: 1}}
			l.Claims = append(l.Claims, c)
		}
		for i := range l.Claims {
			c := &l.Claims[i]
			for _, why := range []string{"drawn", "after a no", "tie-break"}[:rapid.IntRange(0, 3).Draw(t, "judges")] {
				if by, ok := l.DrawJudge(c, able(l)); ok {
					k := judged(len(l.Checks), c.ID, by.Seat, why, rapid.SampledFrom([]string{verdict.Pass, verdict.Fail, verdict.Skipped}).Draw(t, "says"))
					k.Lineage = by.Lineage
					l.Checks = append(l.Checks, k)
				}
			}
		}
		return l
	})
}

// able are all that can judge.
func able(l verdict.Ledger) []verdict.Vote {
	if l.Judge == nil {
		return l.Votes
	}
	return append(slices.Clone(l.Votes), verdict.Vote{Seat: l.Judge.Seat, Lineage: l.Judge.Lineage})
}

// taught are the rules, perhaps with what outcomes of earlier questions may have shown.
func taught() *rapid.Generator[verdict.Rules] {
	return rapid.Custom(func(t *rapid.T) verdict.Rules {
		r := current
		if rapid.Bool().Draw(t, "learned") {
			return r
		}
		r.Learned = &verdict.Learned{Outcomes: 200}
		for range rapid.IntRange(0, 6).Draw(t, "jurors") {
			r.Learned.Judges = append(r.Learned.Judges, verdict.Juror{Grade: verdict.Entailed,
				Seat: fmt.Sprint("s", rapid.IntRange(0, 5).Draw(t, "juror")), Ratio: verdict.Ratio{Pass: rapid.Float64Range(1, 5).Draw(t, "pass"), Fail: rapid.Float64Range(.2, 1).Draw(t, "fail")}})
		}
		for range rapid.IntRange(0, 4).Draw(t, "pairs") {
			two := rapid.Permutation([]string{"u", "v", "w", "x", "y", "z"}).Draw(t, "pair")
			r.Learned.Pairs = append(r.Learned.Pairs, verdict.Pair{Lineages: [2]string{two[0], two[1]},
				Correlation: rapid.Float64Range(0, 1).Draw(t, "correlation")})
		}
		r.Learned.Calibration = &verdict.Calibration{N: 60, Shift: rapid.Float64Range(-1, 1).Draw(t, "shift"),
			Slope: rapid.Float64Range(0, 2).Draw(t, "slope")}
		return r
	})
}

func casesOf(l verdict.Ledger, r verdict.Rules) map[string]verdict.Case {
	out := map[string]verdict.Case{}
	for _, c := range verdict.Decide(l, r).Cases {
		out[c.Option+c.Lineage] = c
	}
	return out
}

// TestOwnCaseOnly: whatever a lineage claims, rates, objects to or switches to, no other lineage's case moves.
func TestOwnCaseOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := bench().Draw(t, "ledger"), taught().Draw(t, "rules")
		who := rapid.SampledFrom(l.Votes).Draw(t, "who")
		before := casesOf(l, r)
		m := l
		m.Claims = slices.Clone(l.Claims)
		for i := range m.Claims {
			m.Claims[i].Stances = map[string]verdict.Stance{who.Seat: {Verb: verdict.Object, Impact: 5, Why: "no", Cites: []string{"c0"}}}
		}
		for i := range rapid.IntRange(1, 7).Draw(t, "more") {
			m.Claims = append(m.Claims, verdict.Claim{ID: fmt.Sprint("m", i), Seat: who.Seat, Text: fmt.Sprint("more ", i), Kind: "security", Impact: 5, Put: true,
				Option: rapid.SampledFrom(l.Options).Draw(t, "about").Key, Supports: rapid.Bool().Draw(t, "supports"), Evidence: verdict.Evidence{Kind: "quote", File: fmt.Sprint("f", i), Line: 1}})
			k := judged(len(m.Checks), fmt.Sprint("m", i), "", "drawn", rapid.SampledFrom([]string{verdict.Pass, verdict.Fail}).Draw(t, "says"))
			k.By, k.Lineage = "z", "z"
			m.Checks = append(slices.Clone(m.Checks), k)
		}
		m.Switches = append(slices.Clone(l.Switches), verdict.Switch{Seat: who.Seat, From: who.Option, To: l.Options[0].Key, Supported: true})
		for key, c := range casesOf(m, r) {
			if c.Lineage != who.Lineage && c != before[key] {
				t.Fatalf("what %s says moved the case %+v to %+v", who.Lineage, before[key], c)
			}
		}
	})
}

// TestAVoterNeverHarmsItsOption: one more lineage that votes for an option, whatever becomes of its claims, never lowers its log-odds.
func TestAVoterNeverHarmsItsOption(t *testing.T) {
	sum := func(l verdict.Ledger, r verdict.Rules, option string) (total float64) {
		v := verdict.Decide(l, r)
		for _, c := range v.Cases {
			if c.Value < 0 {
				return math.Inf(-1)
			}
			if c.Option == option {
				total += c.Value
			}
		}
		for _, s := range v.Shares {
			if s.Option == option {
				total -= s.Off
			}
		}
		return total
	}
	rapid.Check(t, func(t *rapid.T) {
		l, r := bench().Draw(t, "ledger"), taught().Draw(t, "rules")
		option := rapid.SampledFrom(l.Options).Draw(t, "option").Key
		m := l
		m.Votes = append(slices.Clone(l.Votes), verdict.Vote{Seat: "z", Lineage: "z", Status: verdict.Voted, Option: option})
		m.Claims, m.Checks = slices.Clone(l.Claims), slices.Clone(l.Checks)
		for i := range rapid.IntRange(0, 4).Draw(t, "claims") {
			id := fmt.Sprint("z", i)
			m.Claims = append(m.Claims, verdict.Claim{ID: id, Seat: "z", Text: id, Option: option, Supports: true, Evidence: verdict.Evidence{Kind: "quote", File: id}})
			for _, by := range []string{"p", "q"} {
				m.Checks = append(m.Checks, judged(len(m.Checks), id, by, "drawn", rapid.SampledFrom([]string{verdict.Pass, verdict.Fail}).Draw(t, "says")))
			}
		}
		if a, b := sum(l, r, option), sum(m, r, option); b < a-1e-6 {
			t.Fatalf("a voter for %s lowers it from %.6f to %.6f", option, a, b)
		}
	})
}

// TestOneWordDecidesNothing: once nothing is left to do, no winner rests on checks that one lineage alone judged.
func TestOneWordDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := bench().Draw(t, "ledger"), taught().Draw(t, "rules")
		l.Checks = nil
		left := func(c *verdict.Claim) int { return l.JudgesLeft(c, able(l)) }
		for range 200 {
			step, ok := verdict.Next(l, r, always, left)
			if !ok {
				break
			}
			c := l.Claim(step.Claim)
			k := judged(len(l.Checks), c.ID, "", step.Why, verdict.Skipped)
			if by, ok := l.DrawJudge(c, able(l)); ok {
				k.By, k.Lineage, k.Result = by.Seat, by.Lineage, rapid.SampledFrom([]string{verdict.Pass, verdict.Fail, verdict.Skipped}).Draw(t, "says")
			}
			l.Checks = append(l.Checks, k)
		}
		if step, ok := verdict.Next(l, r, always, left); ok {
			t.Fatalf("it does not end: %+v after %d checks", step, len(l.Checks))
		}
		now := inFront(l, r)
		for _, g := range []string{"u", "v", "w", "x", "y", "j"} {
			mute := l
			mute.Checks = nil
			other := map[string]bool{}
			for _, k := range l.Checks {
				if k.Lineage != g && k.By != "" {
					other[k.Claim] = true
				}
			}
			for _, k := range l.Checks {
				if k.Lineage != g || other[k.Claim] { // only what g alone judged is taken away
					mute.Checks = append(mute.Checks, k)
				}
			}
			if inFront(mute, r) != now {
				t.Fatalf("without what %s alone judged %q would win instead of %q", g, inFront(mute, r), now)
			}
		}
	})
}

func inFront(l verdict.Ledger, r verdict.Rules) string {
	v := verdict.Decide(l, r)
	if v.Outcome == verdict.Tie || len(v.Beliefs) == 0 || v.Beliefs[0].Votes == 0 {
		return ""
	}
	return v.Beliefs[0].Option
}

// TestOrderMeansNothing: the same ledger under other names and in another order gives the same numbers and the same next check.
func TestOrderMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, r := bench().Draw(t, "ledger"), taught().Draw(t, "rules")
		named := r
		if r.Learned != nil { // seats have other names below
			learned := *r.Learned
			learned.Judges = slices.Clone(learned.Judges)
			for i := range learned.Judges {
				learned.Judges[i].Seat = "t" + learned.Judges[i].Seat
			}
			named.Learned = &learned
		}
		keys := rapid.Permutation(l.Options).Draw(t, "keys")
		option, back := map[string]string{}, map[string]string{}
		for i, o := range l.Options {
			option[o.Key], back[keys[i].Key] = keys[i].Key, o.Key
		}
		m := verdict.Ledger{DrawKey: l.DrawKey}
		if l.Judge != nil {
			m.Judge = &verdict.Judge{Seat: "t" + l.Judge.Seat, Lineage: l.Judge.Lineage}
		}
		for _, o := range rapid.Permutation(l.Options).Draw(t, "options") {
			m.Options = append(m.Options, verdict.Option{Key: option[o.Key], Text: o.Text})
		}
		for _, v := range rapid.Permutation(l.Votes).Draw(t, "votes") {
			v.Seat, v.Option = "t"+v.Seat, option[v.Option]
			m.Votes = append(m.Votes, v)
		}
		for _, c := range rapid.Permutation(l.Claims).Draw(t, "claims") {
			c.ID, c.Seat, c.Option = "d"+c.ID, "t"+c.Seat, option[c.Option]
			m.Claims = append(m.Claims, c)
		}
		for _, k := range rapid.Permutation(l.Checks).Draw(t, "checks") {
			k.Claim = "d" + k.Claim
			if k.By != "" {
				k.By = "t" + k.By
			}
			m.Checks = append(m.Checks, k)
		}
		a, b := verdict.Decide(l, r), verdict.Decide(m, named)
		if a.Outcome != b.Outcome || a.Gate != b.Gate || back[b.Winner] != a.Winner || fmt.Sprint(a.Score.Value, a.Score.Support, a.Score.Stability, a.Score.Coverage, a.Score.Contested) !=
			fmt.Sprint(b.Score.Value, b.Score.Support, b.Score.Stability, b.Score.Coverage, b.Score.Contested) || len(a.Hinges) != len(b.Hinges) {
			t.Fatalf("%s\n%s", asJSON(a), asJSON(b))
		}
		p := map[string]string{}
		for _, x := range a.Beliefs {
			p[x.Option] = fmt.Sprint(x.P, x.Votes)
		}
		for _, x := range b.Beliefs {
			if p[back[x.Option]] != fmt.Sprint(x.P, x.Votes) {
				t.Fatalf("beliefs %v and %v", a.Beliefs, b.Beliefs)
			}
		}
		s1, ok1 := verdict.Next(l, r, always, plenty)
		s2, ok2 := verdict.Next(m, named, always, plenty)
		if ok1 != ok2 || ok1 && ("d"+s1.Claim != s2.Claim && !twins(l, s1.Claim, s2.Claim[1:]) || s1.Why != s2.Why || math.Abs(s1.Worth-s2.Worth) > 1e-9) {
			t.Fatalf("next %+v and %+v", s1, s2)
		}
	})
}

// twins are two claims between which nothing could choose: the same lineage cites the same evidence.
func twins(l verdict.Ledger, a, b string) bool {
	x, y := l.Claim(a), l.Claim(b)
	return x.Text == y.Text && l.Lineage(x.Seat) == l.Lineage(y.Seat)
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// TestObjections: what blocks takes two lineages other than the author's, and one alone asks a person.
func TestObjections(t *testing.T) {
	for _, c := range []struct {
		says, state, outcome, gate string
	}{
		{"", verdict.Unjudged, "decided-with-dissent", verdict.GatePerson},
		{"y", verdict.Contested, "decided-with-dissent", verdict.GatePerson},
		{"n", verdict.Rejected, "decided-with-dissent", verdict.GatePerson},
		{"yy", verdict.Blocks, "abstain", verdict.GatePerson},
		{"nn", verdict.Rejected, "decided-with-dissent", verdict.GatePerson},
		{"yn", verdict.Contested, "decided-with-dissent", verdict.GatePerson},
		{"ynn", verdict.Rejected, "decided-with-dissent", verdict.GatePerson},
		{"yny", verdict.Blocks, "abstain", verdict.GatePerson},
	} {
		l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1",
			Claims: []verdict.Claim{{ID: "c6", Seat: "s3", Text: "everybody can read it", Kind: "security", Impact: 5, Option: "A", Put: true, Evidence: verdict.Evidence{Kind: "quote", File: "f"}}}}
		for i, option := range []string{"A", "A", "A", "B"} {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("s", i), Lineage: fmt.Sprint("s", i), Status: verdict.Voted, Option: option})
		}
		for i, says := range c.says {
			l.Checks = append(l.Checks, judged(i, "c6", fmt.Sprint("s", i), "drawn", map[rune]string{'y': verdict.Pass, 'n': verdict.Fail}[says]))
		}
		if found := (verdict.Check{ID: "k0", Claim: "c6", Kind: "quote", Result: verdict.Pass}); c.says == "" {
			l.Checks = append(l.Checks, found) // a quote that is there begins nothing
			if s, ok := verdict.NextObjection(l, current, func(*verdict.Claim) bool { return false }, plenty); ok {
				t.Errorf("an objection that cannot be checked is begun: %+v", s)
			}
		}
		l.Claims[0].Stances = map[string]verdict.Stance{"s0": {Verb: verdict.Object, Impact: 1}, "s1": {Verb: verdict.Object, Impact: 1}} // no rating lifts it
		v := verdict.Decide(l, current)
		if o := v.Objections; len(o) != 1 || o[0].State != c.state || string(v.Outcome) != c.outcome || v.Gate != c.gate {
			t.Errorf("%q: objections %+v, %s, gate %s", c.says, o, v.Outcome, v.Gate)
		}
		if asks := slices.ContainsFunc(v.Reasons, func(r verdict.Reason) bool { return r.Code == "objection" }); asks != (c.state == verdict.Contested) {
			t.Errorf("%q: reasons %+v", c.says, v.Reasons)
		}
		if l.Claims[0].Vetoed = "it is meant to be read"; verdict.Decide(l, current).Outcome != verdict.WithDissent {
			t.Errorf("%q: a veto does not lift it", c.says)
		}
	}
}

// TestExplainedObjections: that others of its lineage are judged instead is said of an objection that nobody has begun to look at.
func TestExplainedObjections(t *testing.T) {
	for _, c := range []struct {
		check verdict.Check
		want  string
	}{
		{verdict.Check{Kind: "quote", Result: verdict.Pass}, "unjudged; 1 per lineage is judged, and only against the leading option"},
		{verdict.Check{Kind: "quote", Result: verdict.Fail}, "rejected"},
		{verdict.Check{Kind: "command", Result: verdict.Pass}, "unjudged"},
		{judged(0, "c6", "s1", "drawn", verdict.Pass), "contested"},
	} {
		l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1", Checks: []verdict.Check{c.check},
			Claims: []verdict.Claim{{ID: "c6", Seat: "s3", Kind: "security", Impact: 5, Option: "A", Put: true, Evidence: verdict.Evidence{Kind: "quote", File: "f"}}}}
		l.Checks[0].Claim = "c6"
		for i, option := range []string{"A", "A", "A", "B"} {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("s", i), Lineage: fmt.Sprint("s", i), Status: verdict.Voted, Option: option})
		}
		if said := verdict.Explain(l, current); !strings.Contains(said, "a high-impact objection: "+c.want+"\n") {
			t.Errorf("%+v: not %q:\n%s", c.check, c.want, said)
		}
	}
}

// TestForgedJudgements: a judgement that no room can record is refused.
func TestForgedJudgements(t *testing.T) {
	record := func() verdict.Ledger {
		l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1",
			Claims: []verdict.Claim{{ID: "c1", Seat: "s0", Text: "so it is", Option: "A", Supports: true, Evidence: verdict.Evidence{Kind: "quote", File: "f"}}}}
		for i, option := range []string{"A", "B", "B", "A"} {
			l.Votes = append(l.Votes, verdict.Vote{Seat: fmt.Sprint("s", i), Lineage: fmt.Sprint("s", i), Status: verdict.Voted, Option: option})
		}
		l.Checks = []verdict.Check{judged(0, "c1", "s1", "drawn", verdict.Pass), judged(1, "c1", "s2", "confirming", verdict.Pass)}
		for i := range l.Checks {
			l.Checks[i].Ratio, l.Checks[i].Answers = 3, &verdict.Answers{Shows: "yes", Bears: "yes"}
		}
		return l
	}
	if err := record().Unsound(current); err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(k *verdict.Check){
		"by the author":           func(k *verdict.Check) { k.By = "s0" },
		"by the author's lineage": func(k *verdict.Check) { k.By, k.Lineage = "s0", "s0" },
		"by another seat":         func(k *verdict.Check) { k.By = "s3" },
		"by nobody at the table":  func(k *verdict.Check) { k.By, k.Lineage = "z", "z" },
		"twice by one lineage":    func(k *verdict.Check) { k.By, k.Lineage = "s1", "s1" },
		"of another grade":        func(k *verdict.Check) { k.Grade = verdict.Executed },
		"against its answers":     func(k *verdict.Check) { k.Answers = &verdict.Answers{Shows: "yes", Bears: "no"} },
	} {
		l := record()
		if forge(&l.Checks[1]); l.Unsound(current) == nil {
			t.Errorf("a judgement %s passes", name)
		}
	}
}

// TestUnsound: what the rules do not give is refused.
func TestUnsound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := bench().Draw(t, "ledger")
		whole := l.Checks
		for i, k := range whole {
			l.Checks = whole[:i+1]
			whole[i].Ratio = current.Worth(l, l.Claim(k.Claim), k)
		}
		l.Checks = whole
		if err := l.Unsound(current); err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			return
		}
		whole[rapid.IntRange(0, len(whole)-1).Draw(t, "which")].Ratio = 900
		if l.Unsound(current) == nil {
			t.Fatal("a ratio of 900 passes")
		}
	})
	r := verdict.DefaultRules()
	r.Ratios[verdict.Entailed] = verdict.Ratio{Pass: 900, Fail: 1. / 3}
	if (verdict.Ledger{}).Unsound(r) == nil {
		t.Error("rules of 900 to 1 pass")
	}
}

// TestFlood: of a seat's claims so many are looked at, drawn from all of them, and the rest never.
func TestFlood(t *testing.T) {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1"}
	for seat, option := range map[string]string{"s0": "A", "s1": "B", "s2": "B"} {
		l.Votes = append(l.Votes, verdict.Vote{Seat: seat, Lineage: seat, Status: verdict.Voted, Option: option})
		for n := range 50 {
			id := fmt.Sprint(seat, "-", n)
			e := verdict.Evidence{Kind: "quote", File: id}
			l.Claims = append(l.Claims, verdict.Claim{ID: id, Seat: seat, Text: id, Option: option, Supports: true, Evidence: e})
		}
	}
	looked := map[string]int{}
	verdict.Next(l, current, func(c *verdict.Claim) bool { looked[c.Seat]++; return false }, plenty)
	for _, seat := range []string{"s0", "s1", "s2"} {
		if looked[seat] != current.ClaimsPerSeat {
			t.Errorf("%d claims of %s may be checked, not %d", looked[seat], seat, current.ClaimsPerSeat)
		}
	}
}

// TestWorthlessJudges: where the only judges to be had were measured as worthless no check is bought of them, in rules that say so.
func TestWorthlessJudges(t *testing.T) {
	l := verdict.Ledger{Options: []verdict.Option{{Key: "A"}, {Key: "B"}}, DrawKey: "1"}
	for seat, option := range map[string]string{"h1": "A", "h2": "A", "w": "B"} {
		l.Votes = append(l.Votes, verdict.Vote{Seat: seat, Lineage: seat, Status: verdict.Voted, Option: option})
		l.Claims = append(l.Claims, verdict.Claim{ID: seat, Seat: seat, Text: seat, Option: option, Supports: true, Put: true,
			Evidence: verdict.Evidence{Kind: "quote", File: seat}})
	}
	worthless := func(seats ...string) *verdict.Learned {
		found := &verdict.Learned{Outcomes: 200}
		for _, s := range seats {
			found.Judges = append(found.Judges, verdict.Juror{Seat: s, Grade: verdict.Entailed, Ratio: verdict.Ratio{Pass: 1, Fail: 1}})
		}
		return found
	}
	outside := &verdict.Judge{Seat: "j", Lineage: "j"}
	before := current
	before.JurorsWorth = false
	for name, c := range map[string]struct {
		rules   verdict.Rules
		judge   *verdict.Judge
		learned *verdict.Learned
		buys    bool
	}{
		"nothing learned":                       {current, nil, nil, true},
		"all seats worthless":                   {current, nil, worthless("h1", "h2", "w"), false},
		"one of them is not":                    {current, nil, worthless("h1", "h2"), true},
		"a worthless judge before good seats":   {current, outside, worthless("j"), false},
		"a good judge before worthless seats":   {current, outside, worthless("h1", "h2", "w"), true},
		"a worthless judge of rules until then": {before, outside, worthless("j"), true},
	} {
		l.Judge, c.rules.Learned = c.judge, c.learned
		if step, buys := verdict.Next(l, c.rules, always, plenty); buys != c.buys {
			t.Errorf("%s: %+v, %v", name, step, buys)
		}
	}
}
