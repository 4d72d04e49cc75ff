package learn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/learn"
)

var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// told is a lesson of a room: who voted what, and what was right.
func told(room, truth string, age time.Duration, votes ...string) learn.Told {
	l := learn.Lesson{Room: room, Told: truth, Truth: truth, Winner: "A", P: .8, Kind: "design"}
	if truth == learn.Wrong {
		l.Truth = ""
	}
	for i, v := range votes {
		l.Seats = append(l.Seats, learn.Vote{Model: fmt.Sprint("m", i), Lineage: fmt.Sprint("f", i), Option: v, USD: .01})
	}
	return learn.Told{Lesson: l, At: now.Add(-age)}
}

func many(n int, make func(i int) learn.Told) (out []learn.Told) {
	for i := range n {
		out = append(out, make(i))
	}
	return out
}

// TestCountedAccuracy: 7 right of 10 before any outcome, nothing below 10 outcomes, never outside [.50, .80].
func TestCountedAccuracy(t *testing.T) {
	for _, c := range []struct {
		name    string
		lessons []learn.Told
		want    float64
	}{
		{"too few", many(9, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A") }), 0},
		{"always right", many(60, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A") }), .80},
		{"always wrong", many(60, func(i int) learn.Told { return told(fmt.Sprint(i), "B", 0, "A") }), .50},
		{"half right of 20", many(20, func(i int) learn.Told { return told(fmt.Sprint(i), string(rune('A'+i%2)), 0, "A") }), .567},
		{"abstained", many(20, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "") }), 0},
		{"only the winner is known to be wrong", many(20, func(i int) learn.Told { return told(fmt.Sprint(i), learn.Wrong, 0, "A") }), .50},
		{"another option than the wrong winner", many(20, func(i int) learn.Told { return told(fmt.Sprint(i), learn.Wrong, 0, "B") }), 0},
		{"told again otherwise", append(many(20, func(i int) learn.Told { return told(fmt.Sprint(i), "B", time.Hour, "A") }),
			many(20, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A") })...), .80},
		{"faded", many(16, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 3600*24*180*time.Second, "A") }), 0},
		{"ten", many(10, func(i int) learn.Told { return told(fmt.Sprint(i), "B", time.Minute, "A") }), .50},
	} {
		if got := learn.Gather(c.lessons, nil, now).Counted("m0", "design"); got != c.want {
			t.Errorf("%s: counts %g, want %g", c.name, got, c.want)
		}
	}
}

// TestOnlyLower: where nobody may count for more than before, a perfect record buys nothing, and a bad one still costs.
func TestOnlyLower(t *testing.T) {
	k := learn.Gather(many(60, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A", "B") }), nil, now)
	k.OnlyLower()
	if k.Counted("m0", "") != .70 || k.Counted("m1", "") != .50 {
		t.Errorf("count %g and %g", k.Counted("m0", ""), k.Counted("m1", ""))
	}
}

// TestCorrelation: two families that are wrong on the same questions are a pair; two that are not, or have few outcomes, are none.
func TestCorrelation(t *testing.T) {
	together := many(60, func(i int) learn.Told {
		wrong := string(rune('A' + i%3/2))
		return told(fmt.Sprint(i), "A", 0, wrong, wrong, string(rune('A'+i%2)))
	})
	k := learn.Gather(together, nil, now)
	r, n, ok := k.Correlation("f1", "f0")
	if !ok || n != 60 || r.Value < .99 || r.Low < .99 {
		t.Errorf("f0 and f1: %v of %g, %v", r, n, ok)
	}
	if p := k.Report().Pairs[0]; math.Abs(p.Counted-60./90) > .01 {
		t.Errorf("f0 and f1 count as %+v", p)
	}
	if r, _, ok := k.Correlation("f0", "f2"); ok {
		t.Errorf("f0 and f2: %v", r)
	}
	if _, _, ok := learn.Gather(together[:29], nil, now).Correlation("f0", "f1"); ok {
		t.Error("29 outcomes are enough")
	}
}

// TestJudges: outcomes count before controls, a worthless judge is 1:1, and nothing counts below 100 of each kind.
func TestJudges(t *testing.T) {
	judged := func(n int, passes func(right bool, i int) bool) []learn.Told {
		return many(2*n, func(i int) learn.Told {
			l := told(fmt.Sprint(i), "A", 0)
			option := string(rune('A' + i%2))
			l.Checks = []learn.Check{{Judge: "j", Grade: verdict.Entailed, Option: option, Passed: passes(option == "A", i/2)}}
			return l
		})
	}
	good := func(right bool, i int) bool { return right == (i%10 > 0) }
	run := func(age time.Duration) []learn.Ran {
		return []learn.Ran{{At: now.Add(-age), Trials: learn.Trials{Model: "j", Grade: verdict.Entailed,
			Controls: verdict.Controls{Good: 180, GoodPassed: 178, Bad: 180, BadPassed: 2}}}}
	}
	controls := run(time.Minute)
	for _, c := range []struct {
		name    string
		lessons []learn.Told
		trials  []learn.Ran
		pass    float64 // 0: not measured
	}{
		{"99 of each", judged(99, good), nil, 0},
		{"sharp", judged(200, good), nil, 5},
		{"worthless", judged(200, func(_ bool, i int) bool { return i%2 == 0 }), nil, 1},
		{"controls", nil, controls, 5},
		{"100 of each", judged(100, good), nil, 5},
		{"faded controls", nil, run(180 * 24 * time.Hour), 0},
		{"outcomes before controls", judged(200, func(_ bool, i int) bool { return i%2 == 0 }), controls, 1},
	} {
		r, ok := learn.Gather(c.lessons, c.trials, now.Add(time.Minute)).Ratio("j", verdict.Entailed)
		if ok != (c.pass > 0) || ok && math.Abs(r.Pass-c.pass) > 1e-9 {
			t.Errorf("%s: %+v, %v", c.name, r, ok)
		}
	}
}

// TestFading: what is half a year old counts half, for the calibration and in what is told of a judge too.
func TestFading(t *testing.T) {
	old := many(120, func(i int) learn.Told {
		l := told(fmt.Sprint(i), "A", 180*24*time.Hour)
		l.Checks = []learn.Check{{Judge: "j", Grade: verdict.Entailed, Option: "A", Passed: i%4 > 0}}
		return l
	})
	p := learn.Gather(old, nil, now).Report()
	if p.Calibrated == nil || p.Calibrated.N != 60 || p.Judges[0].Outcomes.Good != 60 || p.Judges[0].Accepts.Value != .75 || p.Judges[0].Ratio != nil {
		t.Errorf("%+v, %+v", p.Calibrated, p.Judges)
	}
	if p := learn.Gather(old[:80], nil, now).Report(); p.Calibrated != nil {
		t.Errorf("40 outcomes are enough: %+v", p.Calibrated)
	}
}

// TestTeach freezes what is known into a frame, and leaves rehearsals and the unknown alone.
func TestTeach(t *testing.T) {
	lessons := many(60, func(i int) learn.Told {
		wrong := string(rune('A' + i%3/2))
		return told(fmt.Sprint(i), "A", 0, wrong, wrong)
	})
	frame := func() table.Frame {
		return table.Frame{Question: "Should the store use a pool?", Rules: verdict.DefaultRules(), Seats: []table.Seat{
			{ID: "a", Model: "m0", Lineage: "f0"}, {ID: "b", Model: "m1", Lineage: "f1"}, {ID: "c", Model: "new", Lineage: "f9"}}}
	}
	f := frame()
	learn.Gather(lessons, nil, now).Teach(&f)
	l := f.Rules.Learned
	if l == nil || l.Outcomes != 60 || len(l.Pairs) != 1 || l.Calibration == nil || f.Seats[0].Accuracy == 0 || f.Seats[2].Accuracy != 0 {
		t.Fatalf("learned %+v, seats %+v", l, f.Seats)
	}
	for name, f := range map[string]table.Frame{"rehearsal": func() table.Frame { f := frame(); f.Rehearsal = true; return f }(),
		"unknown seats": {Question: "q", Rules: verdict.DefaultRules(), Seats: []table.Seat{{ID: "x", Model: "x", Lineage: "x"}}}} {
		before := f.Seats[0].Accuracy
		learn.Gather(lessons[:9], nil, now).Teach(&f)
		if f.Rules.Learned != nil || f.Seats[0].Accuracy != before {
			t.Errorf("%s: %+v", name, f.Rules.Learned)
		}
	}
}

// A lesson has the winner that the panel held and how sure it was of it; a tie, and a panel without votes, held none.
func TestLessonOf(t *testing.T) {
	for name, c := range map[string]struct {
		votes  []string
		winner string
	}{"decided": {[]string{"A", "A", "B"}, "A"}, "one of two": {[]string{"A", ""}, "A"}, "tie": {[]string{"A", "B"}, ""}, "nobody": {[]string{"", ""}, ""}} {
		res := debate.Result{Room: "r", Question: "A or B?", Rules: verdict.DefaultRules(), Options: []verdict.Option{{Key: "A", Text: "a"}, {Key: "B", Text: "b"}}}
		for i, option := range c.votes {
			id := fmt.Sprint("s", i)
			v := verdict.Vote{Seat: id, Lineage: id, Status: verdict.Voted, Option: option}
			if option == "" {
				v.Status = verdict.Abstained
			}
			res.Seats = append(res.Seats, debate.SeatResult{ID: id, Model: "m" + id, Lineage: id, Status: v.Status, Vote: v})
		}
		l := learn.Of(res, learn.Right, "", "why")
		if l.Winner != c.winner || (l.P > .5) != (c.winner != "") || len(l.Seats) != len(c.votes) || l.Seats[0] != (learn.Vote{Model: "ms0", Lineage: "s0", Option: c.votes[0]}) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestReport: a seat that makes majorities wrong is named, one that nobody can judge yet is not.
func TestReport(t *testing.T) {
	lessons := many(60, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A", "A", "B", "B", "B") })
	p := learn.Gather(lessons, nil, now).Report()
	advice := map[string]string{}
	for _, m := range p.Models {
		advice[m.Model] = m.Advice
	}
	if p.Outcomes != 60 || len(p.Models) != 5 || !strings.HasPrefix(advice["m2"], "drop") || strings.HasPrefix(advice["m0"], "drop") {
		t.Errorf("%+v", p)
	}
	if !strings.HasPrefix(advice["m4"], "drop it: it is right so rarely") {
		t.Errorf("a model that is never right: %q", advice["m4"])
	}
	if p := learn.Gather(lessons[:5], nil, now).Report(); len(p.Lacks) == 0 || p.Models[0].Advice != "" || p.Calibrated != nil {
		t.Errorf("of five outcomes: %+v", p)
	}
	enough := learn.Gather(many(60, func(i int) learn.Told { return told(fmt.Sprint(i), "A", 0, "A") }), nil, now).Report()
	if raw, err := json.Marshal(enough); err != nil || !strings.Contains(string(raw), `"lacks":[]`) {
		t.Errorf("where nothing is lacking: %s, %v", raw, err)
	}
}

// TestOrderOfTelling: knowledge does not depend on the order in which outcomes are read, and leaves it as it is.
func TestOrderOfTelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lessons := many(rapid.IntRange(1, 40).Draw(t, "n"), func(i int) learn.Told {
			l := told(fmt.Sprint("r", rapid.IntRange(0, 30).Draw(t, "room")), rapid.SampledFrom([]string{"A", "B", "wrong"}).Draw(t, "truth"), 0,
				rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", ""}), 1, 4).Draw(t, "votes")...)
			l.At = now.Add(-time.Duration(i) * time.Hour)
			return l
		})
		again := rapid.Permutation(lessons).Draw(t, "order")
		before := slices.Clone(again)
		a, b := learn.Gather(lessons, nil, now), learn.Gather(again, nil, now)
		if !reflect.DeepEqual(again, before) {
			t.Fatal("the caller's lessons were put in another order")
		}
		for _, m := range []string{"m0", "m1", "m2", "m3"} {
			if a.Counted(m, "design") != b.Counted(m, "design") {
				t.Fatalf("%s counts %g and %g", m, a.Counted(m, "design"), b.Counted(m, "design"))
			}
		}
	})
}

// TestUnequalSeats is the acceptance row of learning, simulated: five seats right .9, .8, .7, .65 and .6 of the time whose ability
// hangs together as in the other rows (.39), known from 50
// outcomes, against the same votes counted alike, nothing checked.
func TestUnequalSeats(t *testing.T) {
	accuracy := []float64{.9, .8, .7, .65, .6}
	w := eval.World{Options: 4, Distractor: .755, Common: .39, Seats: make([]eval.Voter, 5)}
	for i, a := range accuracy {
		w.Seats[i] = eval.Voter{Name: fmt.Sprint("s", i), Lineage: fmt.Sprint("f", i), Accuracy: a}
	}
	gain, items := 0., 0
	for batch := range 100 {
		rng := rand.New(rand.NewPCG(uint64(batch), 7))
		k := learn.Gather(many(50, func(i int) learn.Told {
			it := w.Draw(rng)
			l := learn.Lesson{Room: fmt.Sprint(i), Truth: eval.Key(it.Truth), Kind: "other"}
			for s, v := range it.Votes {
				l.Seats = append(l.Seats, learn.Vote{Model: w.Seats[s].Name, Lineage: w.Seats[s].Lineage, Option: eval.Key(v)})
			}
			return learn.Told{Lesson: l, At: now}
		}), nil, now)
		for range 400 {
			it := w.Draw(rng)
			alike, known := verdict.Ledger{DrawKey: it.Key}, verdict.Ledger{DrawKey: it.Key}
			for o := range w.Options {
				alike.Options = append(alike.Options, verdict.Option{Key: eval.Key(o)})
			}
			known.Options = alike.Options
			for s, v := range it.Votes {
				vote := verdict.Vote{Seat: w.Seats[s].Name, Lineage: w.Seats[s].Lineage, Status: verdict.Voted, Option: eval.Key(v)}
				alike.Votes = append(alike.Votes, vote)
				vote.Accuracy = k.Counted(vote.Seat, "other")
				known.Votes = append(known.Votes, vote)
			}
			r := verdict.DefaultRules()
			gain += eval.Credit(verdict.Posterior(known, r), it.Truth) - eval.Credit(verdict.Posterior(alike, r), it.Truth)
			items++
		}
	}
	points := 100 * gain / float64(items)
	t.Logf("simulated: 50 outcomes of unequal seats gain %.2f points over %d questions", points, items)
	if points < 3 {
		t.Errorf("%.2f points, want at least 3", points)
	}
}
