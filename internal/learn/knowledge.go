package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// How much it takes before something counts, and how fast it fades.
const (
	halfLife   = 180 * 24 * time.Hour // age at which an outcome counts half
	priorRight = 7                    // of priorN right, before any outcome
	priorN     = 10
	leastSeat  = 10 // outcomes of a model before its accuracy counts
	leastPair  = 30 // outcomes in which two families both voted before their correlation counts
	leastAccur = .50
	mostAccur  = 0.80 // the most a farmed record can gain
)

// Knowledge is what lessons and control runs show together.
//
// Make one with Gather. It keeps sums and computes figures on demand, so nothing is rounded before it is shown.
type Knowledge struct {
	Lessons  []Told
	now      time.Time
	models   map[string]map[string]count // by model and kind of question; "" for all kinds
	pairs    map[[2]string]*both         // by two families, ordered by name
	judges   map[judgeKey]runs           // about claims for right and for wrong options
	controls map[judgeKey]runs           // about true and about false statements
	outcomes []calibration.Outcome
	lower    bool // see OnlyLower
}

// count is how often somebody was right, by weight.
type count struct{ right, n float64 }

// judgeKey is a judge and a grade of evidence.
type judgeKey struct {
	model string
	grade verdict.Grade
}

// enough reports whether a sum of weights reaches a number. It rounds, since even a new outcome has begun to fade.
func enough(n float64, least int) bool { return math.Round(n) >= float64(least) }

// runs is how many true and how many false items a judge accepted, by weight.
type runs struct{ good, bad count }

func (r runs) plus(c verdict.Controls, weight float64) runs {
	more := func(c count, passed, n int) count {
		return count{c.right + weight*float64(passed), c.n + weight*float64(n)}
	}
	return runs{more(r.good, c.GoodPassed, c.Good), more(r.bad, c.BadPassed, c.Bad)}
}

// whole returns the runs in whole numbers.
func (r runs) whole() verdict.Controls {
	n := func(x float64) int { return int(math.Round(x)) }
	return verdict.Controls{Good: n(r.good.n), GoodPassed: n(r.good.right), Bad: n(r.bad.n), BadPassed: n(r.bad.right)}
}

// both counts how two families did on the questions both voted in.
type both struct{ n, a, b, ab float64 } // all questions; wrong: one, the other, both

// Gather makes knowledge from lessons, of which the latest per room counts, and from control runs. Neither argument needs to be in
// order. Those with a time after now count fully.
func Gather(lessons []Told, trials []Ran, now time.Time) *Knowledge {
	k := &Knowledge{Lessons: Latest(lessons), now: now, models: map[string]map[string]count{}, pairs: map[[2]string]*both{},
		judges: map[judgeKey]runs{}, controls: map[judgeKey]runs{}}
	for _, l := range k.Lessons {
		k.take(l)
	}
	for _, t := range trials {
		at := judgeKey{t.Model, t.Grade}
		k.controls[at] = k.controls[at].plus(t.Controls, k.faded(t.At))
	}
	return k
}

// faded returns the weight now of something learned at a time.
func (k *Knowledge) faded(at time.Time) float64 {
	return math.Exp2(-float64(max(0, k.now.Sub(at))) / float64(halfLife))
}

// take adds one lesson to all sums. What is not known to be right or wrong is not counted: it is no failure.
func (k *Knowledge) take(l Told) {
	weight := k.faded(l.At)
	if right, known := l.right(l.Winner); known && l.Winner != "" {
		o := calibration.Outcome{P: l.P, Weight: weight}
		if right {
			o.Credit = 1
		}
		k.outcomes = append(k.outcomes, o)
	}
	wrong := map[string]float64{} // share of a family's votes that were wrong
	votes := map[string]float64{}
	for _, v := range l.Seats {
		right, known := l.right(v.Option)
		if v.Option == "" || !known {
			continue
		}
		by := k.models[v.Model]
		if by == nil {
			by = map[string]count{}
			k.models[v.Model] = by
		}
		votes[v.Lineage]++
		if !right {
			wrong[v.Lineage]++
		}
		for _, kind := range []string{"", l.Kind} {
			c := by[kind]
			c.n += weight
			if right {
				c.right += weight
			}
			by[kind] = c
		}
	}
	// Only lessons in which both families voted say something about their common errors.
	families := slices.Sorted(maps.Keys(votes))
	for i, a := range families {
		for _, b := range families[i+1:] {
			p := k.pairs[[2]string{a, b}]
			if p == nil {
				p = &both{}
				k.pairs[[2]string{a, b}] = p
			}
			x, y := wrong[a]/votes[a], wrong[b]/votes[b]
			p.n, p.a, p.b, p.ab = p.n+weight, p.a+weight*x, p.b+weight*y, p.ab+weight*x*y
		}
	}
	for _, c := range l.Checks {
		if right, known := l.right(c.Option); known {
			at := judgeKey{c.Judge, c.Grade}
			k.judges[at] = k.judges[at].plus(verdict.Controls{}.Count(verdict.Trial{Good: right, Passed: c.Passed}), weight)
		}
	}
}

// Right returns the share of a model's votes on a kind of question that were right, with its 95 % interval; the kind "" means all
// kinds. Without votes it is 0 in [0, 1]. Counts are weights, so the interval widens as they fade.
func (k *Knowledge) Right(model, kind string) statistics.Interval {
	c := k.models[model][kind]
	return statistics.Wilson(c.right, c.n)
}

// accuracy returns a model's expected accuracy on a kind of question: its share right on that kind, with its share on other kinds as
// a prior that counts as 10 outcomes, and 7 of 10 as the prior of that. It is false below 10 outcomes of all kinds together.
func (k *Knowledge) accuracy(model, kind string) (float64, bool) {
	all, one := k.models[model][""], k.models[model][kind]
	if kind == "" || !enough(one.n, leastSeat) { // too few of this kind to distinguish it from others
		one = count{}
	}
	others := (priorRight + all.right - one.right) / (priorN + all.n - one.n)
	mean := (priorN*others + one.right) / (priorN + one.n)
	return math.Round(mean*1000) / 1000, enough(all.n, leastSeat)
}

// Counted returns the accuracy that a seat's vote counts with; 0: too little is known about the model.
func (k *Knowledge) Counted(model, kind string) float64 {
	a, ok := k.accuracy(model, kind)
	if !ok {
		return 0
	}
	most := mostAccur
	if k.lower {
		most = float64(priorRight) / priorN
	}
	return min(most, max(leastAccur, a))
}

// Correlation returns the correlation of two families' errors with its 95 % interval (Fisher's z), and the number of outcomes behind
// it. ok means that it counts: there are at least 30, and the interval is above 0.
func (k *Knowledge) Correlation(a, b string) (r statistics.Interval, n float64, ok bool) {
	if a > b {
		a, b = b, a
	}
	p := k.pairs[[2]string{a, b}]
	if p == nil || p.n < 4 {
		return statistics.Interval{Low: -1, High: 1}, 0, false
	}
	x, y := p.a/p.n, p.b/p.n
	spread := math.Sqrt(x * (1 - x) * y * (1 - y))
	if spread == 0 {
		return statistics.Interval{Low: -1, High: 1}, p.n, false
	}
	// The z of a correlation of 1 is infinite.
	phi := min(.999, max(-.999, (p.ab/p.n-x*y)/spread))
	half := 1.96 / math.Sqrt(p.n-3)
	r = statistics.Interval{Value: phi, Low: math.Tanh(math.Atanh(phi) - half), High: math.Tanh(math.Atanh(phi) + half)}
	return r, p.n, enough(p.n, leastPair) && r.Low > 0
}

// counted returns what a correlation from n outcomes counts as: shrunk towards 0 as if by 30 uncorrelated outcomes more.
func counted(r statistics.Interval, n float64) float64 {
	return math.Round(1000*r.Value*n/(n+leastPair)) / 1000
}

// Ratio returns the ratio of a model's judgements of a grade: from outcomes if there are enough, else from controls. It is false if
// neither has 100 of each kind. With OnlyLower a ratio is never stronger than the rules' own: passes count no more, failures no less.
func (k *Knowledge) Ratio(model string, g verdict.Grade) (verdict.Ratio, bool) {
	_, r, ok := k.measured(judgeKey{model, g})
	if usual := verdict.DefaultRules().Ratios[g]; ok && k.lower {
		r = verdict.Ratio{Pass: min(r.Pass, usual.Pass), Fail: max(r.Fail, usual.Fail)}
	}
	return r, ok
}

// measured returns the runs that a judge's ratio is computed from, and the ratio: outcomes if there are enough, else controls if
// there are any.
func (k *Knowledge) measured(at judgeKey) (by runs, r verdict.Ratio, ok bool) {
	by = k.judges[at]
	if r, ok = by.whole().Learned(); ok {
		return by, r, true
	}
	// There are too few outcomes: show the controls, which the ratio then depends on.
	if c, ran := k.controls[at]; ran {
		by = c
	}
	r, ok = k.controls[at].whole().Learned()
	return by, r, ok
}

// OnlyLower prevents anyone from counting more than by default: for panels that must withstand a seat that earned its record in order
// to abuse it.
func (k *Knowledge) OnlyLower() { k.lower = true }

// Calibration returns the map from a posterior to how often winners with it were right; false below 50 outcomes. It is rounded to
// four decimals: frames store it, and it must be the same number wherever it is read again.
func (k *Knowledge) Calibration() (verdict.Calibration, bool) {
	c := calibration.Fit(k.outcomes)
	c.Shift, c.Slope = math.Round(c.Shift*1e4)/1e4, math.Round(c.Slope*1e4)/1e4
	return c, c.Trusted()
}

// Teach stores in a frame what is known about its seats now. Rehearsals learn nothing.
//
// Call it once, before the frame is recorded. It replaces f.Seats by a copy, so the caller's slice stays as it is. Rules before
// version 4 use nothing that is learned. If nothing is known about a frame's seats, Rules.Learned stays nil.
func (k *Knowledge) Teach(f *table.Frame) {
	if f.Rehearsal || !f.Rules.Cases {
		return
	}
	kind := Kind(f.Question)
	learned := verdict.Learned{Outcomes: len(k.Lessons)}
	judges := slices.Clone(f.Seats)
	if f.Judge != nil {
		judges = append(judges, *f.Judge)
	}
	f.Seats = slices.Clone(f.Seats)
	var families []string
	for i := range f.Seats {
		s := &f.Seats[i]
		s.Accuracy = k.Counted(s.Model, kind)
		families = append(families, s.Lineage)
	}
	for _, s := range judges {
		for _, g := range []verdict.Grade{verdict.Executed, verdict.Entailed, verdict.Fetched} {
			if r, ok := k.Ratio(s.Model, g); ok {
				learned.Judges = append(learned.Judges, verdict.Juror{Seat: s.ID, Grade: g, Ratio: r})
			}
		}
	}
	slices.Sort(families)
	families = slices.Compact(families)
	for i, a := range families {
		for _, b := range families[i+1:] {
			if r, n, ok := k.Correlation(a, b); ok {
				learned.Pairs = append(learned.Pairs, verdict.Pair{Lineages: [2]string{a, b}, Correlation: counted(r, n)})
			}
		}
	}
	// If two pairs cost an option the same, the rules name the first: the more correlated, then the first by name.
	slices.SortStableFunc(learned.Pairs, func(a, b verdict.Pair) int { return cmp.Compare(b.Correlation, a.Correlation) })
	if c, ok := k.Calibration(); ok {
		learned.Calibration = &c
	}
	knows := len(learned.Judges)+len(learned.Pairs) > 0 || learned.Calibration != nil ||
		slices.ContainsFunc(f.Seats, func(s table.Seat) bool { return s.Accuracy > 0 })
	if knows {
		f.Rules.Learned = &learned
	}
}
