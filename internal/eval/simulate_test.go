package eval_test

import (
	"math"
	"reflect"
	"runtime"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
)

func simulate(w eval.World, items int) eval.Simulation {
	return eval.Simulation{Council: eval.Council{World: w, Rules: verdict.DefaultRules()}, Items: items, Seed: 31}
}

func TestSimulationIsTheSameEverywhere(t *testing.T) {
	s := simulate(eval.Latent(.25, .9, .7, .7), 3_100)
	want := s.Run()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := s.Run(); !reflect.DeepEqual(got, want) {
		t.Errorf("on one processor %+v, on several %+v", got, want)
	}
	s.Seed++
	if reflect.DeepEqual(s.Run(), want) {
		t.Error("another seed gave the same figures")
	}
}

// TestSimulationFindsWhatIsKnown: the figures people are shown are those of the anchors.
func TestSimulationFindsWhatIsKnown(t *testing.T) {
	whole(t)
	t.Parallel()
	near := func(name string, got, want, off float64) {
		t.Helper()
		t.Logf("simulated: %s: %.4f, known %g", name, got, want)
		if math.Abs(got-want) > off {
			t.Errorf("%s: %.4f lies further than %g from %g", name, got, off, want)
		}
	}
	nine := simulate(eval.Latent(.62, .8, .8, .8, .8, .8, .8, .8, .8, .8), 20_000)
	nine.World.Checkable = 0
	e := nine.Run()
	near("effective votes of nine", e.Effective, 2.19, .1)
	near("points of checking what cannot be checked", e.Checking.Value, 0, 0)
	unequal := simulate(eval.Latent(.30, .90, .65, .65, .65, .65), 20_000)
	unequal.World.Checkable = 0
	e = unequal.Run()
	near("best single", e.Single.Value, .900, .01)
	near("majority", e.Majority.Value, .820, .01)
	if e.Best != "seat-a" || e.Points.High >= 0 {
		t.Errorf("a weak panel gains %v over %s", e.Points, e.Best)
	}
	losing := simulate(eval.Latent(.30, .90, .85, .80, .75, .70), 20_000)
	losing.World.Checkable = 0
	for _, l := range losing.Run().Losses {
		if want := map[string]float64{"two seats, any": .877, "two seats, the strongest": .826}[l.Which]; want > 0 {
			near(l.Which+" lost", l.Accuracy.Value, want, .01)
		}
	}
	measured := simulate(eval.Reference(), 20_000)
	measured.Items = 8_000
	e = measured.Run()
	near("points of checking, measured checker", e.Checking.Value, 13, .8)
	near("checks per item", e.Checks, 1.72, .1)
	near("wrong among the most confident", e.Confident, .03, .01)
	near("calls", e.Calls, 5, 0)
}

func TestSimulationEconomy(t *testing.T) {
	t.Parallel()
	s := simulate(eval.Latent(.30, .8, .8, .8, .8, .8), 5_000)
	s.World.Checkable = 0
	last := 5.0
	for _, stop := range []eval.Stop{eval.AskAll, eval.Settled, eval.Pair} {
		s.Stop = stop
		e := s.Run()
		if e.Calls > last {
			t.Errorf("stop %d takes %.2f calls, the one before %.2f", stop, e.Calls, last)
		}
		last = e.Calls
	}
	if last > 3.1 || last < 2.5 { // two agree on about two questions in three
		t.Errorf("a pair takes %.2f calls", last)
	}
}

func TestAbsentSeats(t *testing.T) {
	w := eval.Latent(0, .8, .8, .8)
	c := eval.Council{World: w, Rules: verdict.DefaultRules(), Stop: eval.Pair}
	it := eval.Item{Truth: 1, Votes: []int{1, eval.Absent, 1}}
	l := c.Ask(it)
	if len(l.Votes) != 3 || l.Votes[1].Status != verdict.Failed || it.Majority() != 1 {
		t.Errorf("votes %+v, majority %g", l.Votes, it.Majority())
	}
	if v := verdict.Decide(l, c.Rules); v.Winner != "B" || v.Outcome != verdict.Degraded {
		t.Errorf("%s %s", v.Outcome, v.Winner)
	}
}
