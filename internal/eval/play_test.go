package eval_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// arm is a council to be played in batches. Every batch learns the checker again, so that intervals hold what
// calibrating it adds.
type arm struct {
	council eval.Council
	learn   func(*rand.Rand) verdict.Rules // nil: the council's own rules
	batches int
	items   int // per batch
	seed    uint64
}

// sums adds up what one batch gave. Its figures are ratios of them.
type sums struct {
	items, credit, majority, oracle, calls, checks float64
	leading, lost                                  float64 // majority-correct items, and credit lost on them
	lagging, recovered                             float64 // minority-correct items, and credit won on them
	confident                                      float64 // wrong among the 60 % of highest posterior, times items
	judged, asked, safe, silent                    float64 // judgements; a person decides; right or asked; wrong and nobody asked
	outcomes                                       []calibration.Outcome
}

func (a arm) play() []sums {
	rng := eval.Seed(a.seed)
	out := make([]sums, a.batches)
	for b := range out {
		if a.learn != nil {
			a.council.Rules = a.learn(rng)
		}
		for range a.items {
			it := a.council.World.Draw(rng)
			out[b].add(it, a.council.Run(it))
		}
		out[b].confident = out[b].items * calibration.WrongAmong(out[b].outcomes, .6)
	}
	return out
}

func (s *sums) add(it eval.Item, r eval.Result) {
	majority := it.Majority()
	s.items++
	s.credit += r.Credit
	s.majority += majority
	s.calls += float64(r.Calls)
	s.checks += float64(r.Checks)
	s.judged += float64(r.Judged)
	if r.Person {
		s.asked++
		s.safe++
	} else {
		s.safe += r.Credit
		s.silent += 1 - r.Credit
	}
	s.outcomes = append(s.outcomes, calibration.Outcome{P: r.P, Credit: r.Credit})
	if !it.Named() {
		return
	}
	s.oracle++
	switch majority {
	case 1:
		s.leading++
		s.lost += 1 - r.Credit
	case 0:
		s.lagging++
		s.recovered += r.Credit
	}
}

func (s *sums) plus(o sums) {
	for _, p := range [][2]*float64{{&s.items, &o.items}, {&s.credit, &o.credit}, {&s.majority, &o.majority},
		{&s.oracle, &o.oracle}, {&s.calls, &o.calls}, {&s.checks, &o.checks}, {&s.leading, &o.leading}, {&s.lost, &o.lost},
		{&s.lagging, &o.lagging}, {&s.recovered, &o.recovered}, {&s.confident, &o.confident},
		{&s.judged, &o.judged}, {&s.asked, &o.asked}, {&s.safe, &o.safe}, {&s.silent, &o.silent}} {
		*p[0] += *p[1]
	}
}

// The figures rows are about.
func points(s sums) float64    { return 100 * (s.credit - s.majority) / s.items }
func gap(s sums) float64       { return (s.credit - s.majority) / (s.oracle - s.majority) }
func checks(s sums) float64    { return s.checks / s.items }
func calls(s sums) float64     { return s.calls / s.items }
func judged(s sums) float64    { return s.judged / s.items }
func asked(s sums) float64     { return s.asked / s.items }
func safe(s sums) float64      { return s.safe / s.items }
func silent(s sums) float64    { return s.silent / s.items }
func lost(s sums) float64      { return s.lost / s.leading }
func recovered(s sums) float64 { return s.recovered / s.lagging }
func confident(s sums) float64 { return s.confident / s.items }
func majority(s sums) float64  { return s.majority / s.items }
func accuracy(s sums) float64  { return s.credit / s.items }
func oracle(s sums) float64    { return s.oracle / s.items }

// figure is f of all batches together, with the normal interval its spread over the batches gives.
func figure(batches []sums, f func(sums) float64) statistics.Interval {
	var all sums
	var spread statistics.Mean
	for _, b := range batches {
		all.plus(b)
		spread.Add(f(b))
	}
	i := spread.Interval()
	v := f(all)
	return statistics.Interval{Value: v, Low: v - (i.Value - i.Low), High: v + (i.High - i.Value)}
}

// row is one line of the acceptance table.
type row struct {
	name   string
	got    statistics.Interval
	target float64
	atMost bool // the target is a ceiling, not a floor
}

func (r row) reached() bool {
	if r.atMost {
		return r.got.Value <= r.target
	}
	return r.got.Value >= r.target
}

func (r row) line(word string) string {
	sign := ">="
	if r.atMost {
		sign = "<="
	}
	return fmt.Sprintf("simulated: %s: %v, %s %s %g", r.name, r.got, word, sign, r.target)
}

// must logs a row and fails the test when its point estimate misses the target.
func must(t *testing.T, rows ...row) {
	t.Helper()
	for _, r := range rows {
		t.Log(r.line("target"))
		if !r.reached() {
			t.Errorf("missed: %s", r.name)
		}
	}
}

// moonshot logs how far rows are from what would be splendid. It never fails.
func moonshot(t *testing.T, rows ...row) {
	t.Helper()
	for _, r := range rows {
		word := "moonshot missed:"
		if r.reached() {
			word = "moonshot reached:"
		}
		t.Log(r.line(word))
	}
}

// missed fails the test when a row still holds although its rule was broken.
func missed(t *testing.T, rows ...row) {
	t.Helper()
	for _, r := range rows {
		t.Log(r.line("broken on purpose, target"))
		if r.reached() {
			t.Errorf("the row does not notice the broken rule: %s", r.name)
		}
	}
}
