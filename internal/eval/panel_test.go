package eval_test

// Acceptance rows about panels rather than checks: lineages, regret, calibration, the record.

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// oneVendor is A, A, A, B, C at .80, of whom the three A err together.
func oneVendor() eval.World {
	w := eval.Latent(.25, .8, .8, .8, .8, .8)
	w.Family = .45
	for i := range 3 {
		w.Seats[i].Lineage = "lineage-a"
	}
	return w
}

// unlabelled is how many winners only one lineage stands behind and that still score above .60, are let through by
// the gate, or do not say so. Every seat fails now and then. bend may break the ledger before it is decided.
func unlabelled(n int, rules verdict.Rules, bend func(verdict.Ledger) verdict.Ledger) (above row, single int) {
	rng, w := eval.Seed(11), oneVendor()
	c := eval.Council{World: w, Rules: rules}
	bad := 0
	for range n {
		l := c.Ask(w.Draw(rng))
		for i := range l.Votes {
			if rng.Float64() < .2 {
				l.Votes[i] = verdict.Vote{Seat: l.Votes[i].Seat, Lineage: l.Votes[i].Lineage, Status: verdict.Failed}
			}
		}
		v := verdict.Decide(bend(l), rules)
		if v.Winner == "" || !oneLineage(l, v.Winner) {
			continue
		}
		single++
		flagged := slices.ContainsFunc(v.Score.Caps, func(c verdict.Cap) bool { return c.Name == "one-lineage" })
		if v.Score.Value > .6 || v.Gate == "proceed" || !flagged {
			bad++
		}
	}
	return row{
		name: "share of single-lineage winners above .60, let through or not flagged",
		got:  statistics.Wilson(float64(bad), float64(single)), atMost: true,
	}, single
}

func oneLineage(l verdict.Ledger, winner string) bool {
	lineages := map[string]bool{}
	for _, v := range l.Votes {
		if v.Status == verdict.Voted && v.Option == winner {
			lineages[v.Lineage] = true
		}
	}
	return len(lineages) == 1
}

func asIs(l verdict.Ledger) verdict.Ledger { return l }

// voters is the broken rule that seats which did not vote do not count.
func voters(l verdict.Ledger) verdict.Ledger {
	for _, v := range l.Votes {
		if v.Status != verdict.Voted {
			l = l.Without(v.Seat)
		}
	}
	return l
}

func TestSingleLineageWinners(t *testing.T) {
	t.Parallel()
	above, single := unlabelled(30_000, verdict.DefaultRules(), asIs)
	must(t, above)
	if single < 1000 {
		t.Errorf("only %d single-lineage winners were seen", single)
	}
}

// gained is how much support winners gain when seats are lost, at most over n items. Losing a seat must not make
// passing easier.
func gained(n int, bend func(verdict.Ledger) verdict.Ledger) row {
	rng, w := eval.Seed(12), eval.Reference()
	c := eval.Council{World: w, Rules: verdict.DefaultRules()}
	var most float64
	for range n {
		l := c.Ask(w.Draw(rng))
		before := verdict.Decide(bend(l), c.Rules)
		for _, i := range rng.Perm(len(l.Votes))[:2] {
			l.Votes = slices.Clone(l.Votes)
			l.Votes[i] = verdict.Vote{Seat: l.Votes[i].Seat, Lineage: l.Votes[i].Lineage, Status: verdict.Failed}
		}
		after := verdict.Decide(bend(l), c.Rules)
		if before.Outcome != verdict.Tie && before.Beliefs[0].Option == after.Beliefs[0].Option {
			most = max(most, after.Score.Support-before.Score.Support)
		}
	}
	return row{name: "most support gained by losing two seats", got: statistics.Interval{Value: most, Low: most, High: most}, atMost: true}
}

func TestLostSeatsGainNothing(t *testing.T) {
	t.Parallel()
	must(t, gained(20_000, asIs))
}

// evaluations runs whole evaluations of 100 items, the single model chosen on the first 50 and compared on the rest.
func evaluations(n int, w eval.World) []advice.Recommendation {
	rng := eval.Seed(13)
	out := make([]advice.Recommendation, n)
	for i := range out {
		best := choose(w, 50, rng)
		single, together := make([]bool, 50), make([]bool, 50)
		for j := range single {
			it := w.Draw(rng)
			single[j] = it.Votes[best] == it.Truth
			together[j] = rng.Float64() < it.Majority() // level options are drawn by lot
		}
		out[i] = advice.Recommend(single, together)
	}
	return out
}

// choose is the seat that is right most often on n items, the first of equals.
func choose(w eval.World, n int, rng *rand.Rand) int {
	right := make([]int, len(w.Seats))
	for range n {
		it := w.Draw(rng)
		for s, v := range it.Votes {
			if v == it.Truth {
				right[s]++
			}
		}
	}
	return slices.Index(right, slices.Max(right))
}

// Evaluations where the panel is worse than the single model, and where it is better.
var (
	singleBetter = sync.OnceValue(func() []advice.Recommendation { return evaluations(20_000, eval.Latent(.30, .87, .68, .68, .68, .68)) })
	panelBetter  = sync.OnceValue(func() []advice.Recommendation { return evaluations(20_000, eval.Latent(.30, .88, .84, .80, .76, .72)) })
)

// regret is how often a rule says use panel where it is the worse arm, and where it is the better one.
func regret(panel func(advice.Recommendation) bool, most, least float64) []row {
	share := func(all []advice.Recommendation) statistics.Interval {
		used := 0
		for _, r := range all {
			if panel(r) {
				used++
			}
		}
		return statistics.Wilson(float64(used), float64(len(all)))
	}
	return []row{
		{name: "panel regret, single +3.3", got: share(singleBetter()), target: most, atMost: true},
		{name: "power, panel +3.0", got: share(panelBetter()), target: least},
	}
}

func TestPanelRegret(t *testing.T) {
	whole(t)
	t.Parallel()
	must(t, regret(func(r advice.Recommendation) bool { return r.Choice == advice.UsePanel }, .10, .45)...)
	moonshot(t, regret(func(r advice.Recommendation) bool { return r.Better >= .92 }, .03, .25)...)
}

// calibrated is the calibration error on 5,000 fresh items of maps fitted on 200, 15 for each of so many checkers
// that were measured again.
func calibrated(name string, checkers int, fit func([]calibration.Outcome) verdict.Calibration) row {
	rng, w := eval.Seed(14), eval.Reference()
	run := func(c eval.Council, n int) []calibration.Outcome {
		out := make([]calibration.Outcome, n)
		for i := range out {
			r := c.Run(w.Draw(rng))
			out[i] = calibration.Outcome{P: r.P, Credit: r.Credit}
		}
		return out
	}
	var ece statistics.Mean
	for range checkers {
		c := eval.Council{World: w, Rules: w.Checker.Learned(verdict.DefaultRules(), 100, rng)}
		fresh := run(c, 5_000)
		for range 15 {
			m := fit(run(c, 200))
			shown := make([]calibration.Outcome, len(fresh))
			for i, o := range fresh {
				shown[i] = calibration.Outcome{P: m.Apply(o.P), Credit: o.Credit}
			}
			ece.Add(calibration.ECE(shown))
		}
	}
	return row{name: name, got: ece.Interval(), target: .03, atMost: true}
}

func TestCalibration(t *testing.T) {
	whole(t)
	t.Parallel()
	r := calibrated("calibration error on 5,000 fresh items, learned on 200, mean of 45", 3, calibration.Fit)
	must(t, r)
	r.target = .015
	moonshot(t, r)
}

func TestSameRecordSameVerdict(t *testing.T) {
	t.Parallel()
	rng, w := eval.Seed(15), eval.Reference()
	c := eval.Council{World: w, Rules: verdict.DefaultRules()}
	for range 5000 {
		it := w.Draw(rng)
		l := c.Check(it, c.Ask(it))
		record, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		want := decided(t, l, c.Rules)
		var again verdict.Ledger
		if err := json.Unmarshal(record, &again); err != nil {
			t.Fatal(err)
		}
		rng.Shuffle(len(again.Votes), func(i, j int) { again.Votes[i], again.Votes[j] = again.Votes[j], again.Votes[i] })
		rng.Shuffle(len(again.Claims), func(i, j int) { again.Claims[i], again.Claims[j] = again.Claims[j], again.Claims[i] })
		rng.Shuffle(len(again.Checks), func(i, j int) { again.Checks[i], again.Checks[j] = again.Checks[j], again.Checks[i] })
		if got := decided(t, again, c.Rules); got != want {
			t.Fatalf("the same record in another order of arrival:\n%s\n%s\nrecord %s", want, got, record)
		}
	}
}

func decided(t *testing.T, l verdict.Ledger, r verdict.Rules) string {
	t.Helper()
	b, err := json.Marshal(verdict.Decide(l, r))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
