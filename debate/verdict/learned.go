package verdict

import (
	"fmt"
	"math"
	"slices"
)

// Learned is what questions with known answers had shown when a debate began. It is stored with the rules in the record, so that the
// same record gives the same verdict whatever is learned later. How often a seat was right is in its vote ([Vote].Accuracy).
type Learned struct {
	Outcomes    int          `json:"outcomes"` // questions with known answers it was learned from
	Judges      []Juror      `json:"judges,omitempty"`
	Pairs       []Pair       `json:"pairs,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"` // nil: not measured
}

// Juror is what one seat's judgements count for evidence of one grade.
type Juror struct {
	Seat  string `json:"seat"`
	Grade Grade  `json:"grade"`
	Ratio Ratio  `json:"ratio"`
}

// Pair is two lineages that were wrong together more often than by chance.
type Pair struct {
	Lineages    [2]string `json:"lineages"`
	Correlation float64   `json:"correlation"` // of their errors, between 0 and 1
}

// Share is what an option's log-odds lose because two lineages behind it err together: their votes count for less than their sum,
// and never for less than the larger one.
type Share struct {
	Option   string    `json:"option"`
	Lineages [2]string `json:"lineages"`
	Off      float64   `json:"off"`
}

// Calibration maps the probability of a winner to how often such winners were right: logit(result) = Shift + Slope ·
// logit(probability).
type Calibration struct {
	Shift float64 `json:"shift"`
	Slope float64 `json:"slope"`
	N     int     `json:"n"` // outcomes it was fitted on
}

// enoughOutcomes is the number of outcomes from which on a probability may be called calibrated.
const enoughOutcomes = 50

// Trusted reports whether the calibration rests on enough outcomes to be shown as one.
func (c Calibration) Trusted() bool { return c.N >= enoughOutcomes }

// Apply returns the calibrated chance for a probability p, which is clamped to [.0001, .9999]. It never falls as p rises.
func (c Calibration) Apply(p float64) float64 {
	p = min(1-1e-4, max(1e-4, p))
	return 1 / (1 + math.Exp(-c.Shift-c.Slope*math.Log(p/(1-p))))
}

// Chance returns the probability of the winner: calibrated if that was measured, else the posterior; 0 without a winner.
func (v Verdict) Chance() float64 {
	switch {
	case v.Calibrated > 0:
		return v.Calibrated
	case v.Winner == "":
		return 0
	}
	for _, b := range v.Beliefs {
		if b.Option == v.Winner {
			return b.P
		}
	}
	return 0
}

// calibrated returns the measured chance of a winner with this posterior; 0: not measured.
func (r Rules) calibrated(p float64) float64 {
	if r.Learned == nil || r.Learned.Calibration == nil || !r.Learned.Calibration.Trusted() {
		return 0
	}
	return r.Learned.Calibration.Apply(p)
}

// juror returns what a seat's judgements of a grade count: as measured, else the rules' ratio for all seats.
func (r Rules) juror(seat string, g Grade) Ratio {
	if r.Learned != nil {
		for _, j := range r.Learned.Judges {
			if j.Seat == seat && j.Grade == g {
				return j.Ratio
			}
		}
	}
	return r.Ratios[g]
}

// expected returns what a check of a claim that nobody has judged yet may count: the ratio of the judge without a seat, else the
// highest ratio of a seat of another lineage. So no check is bought from judges who were measured as worthless.
func (d *docket) expected(x *exhibit) Ratio {
	usual, author := d.r.Ratios[x.grade], d.lineages[x.lineage]
	switch {
	case !d.r.JurorsWorth || d.r.Learned == nil:
		return usual
	case d.judge != nil && d.judge.Lineage != author:
		return d.r.juror(d.judge.Seat, x.grade)
	}
	most := Ratio{1, 1}
	for _, v := range d.seats {
		if one := d.r.juror(v.Seat, x.grade); v.Lineage != author && one.Pass/one.Fail > most.Pass/most.Fail {
			most = one
		}
	}
	return most
}

// ratio returns what the result of a claim's check counts without the judges that are gone: the mildest ratio of the judges who gave
// it, since judges who agree may share their error.
func (d *docket) ratio(x *exhibit, result string, gone func(lineage int) bool) float64 {
	said := x.yes
	if result == Fail {
		said = x.no
	}
	found := 0.
	for _, g := range said {
		if gone(g) {
			continue
		}
		one := d.r.juror(x.by[g], x.grade)
		value := one.Pass
		if result == Fail {
			value = one.Fail
		}
		if value > 0 && (found == 0 || math.Abs(math.Log(value)) < math.Abs(math.Log(found))) {
			found = value
		}
	}
	if found == 0 || result == level {
		return d.r.Ratio(x.grade, result)
	}
	return found
}

// standing returns what is left of a lineage's votes for an option: the checks of its claims may have used them up.
func standing(votes, value float64) float64 { return max(0, min(votes, value)) }

// shared returns what an option loses because lineages that voted for it err together, given what is left of their votes. Of all
// measured pairs only the one that costs most counts, so one more lineage behind an option never lowers it. It is not part of a case:
// a case remains its lineage's own.
func (d *docket) shared(left func(lineage int) float64) (pair Pair, off float64) {
	if d.r.Learned == nil {
		return pair, 0
	}
	for _, p := range d.r.Learned.Pairs {
		a, b := slices.Index(d.lineages, p.Lineages[0]), slices.Index(d.lineages, p.Lineages[1])
		if a < 0 || b < 0 {
			continue
		}
		x, y := left(a), left(b)
		if lost := x + y - max(x, y, (x+y)/(1+min(1, max(0, p.Correlation)))); lost > off+1e-12 {
			pair, off = p, lost
		}
	}
	return pair, off
}

// sharedOf is shared for an option's cases.
func (d *docket) sharedOf(cases []Case) (Pair, float64) {
	return d.shared(func(g int) float64 { return standing(cases[g].Votes, cases[g].Value) })
}

// logOdds returns the sum of an option's cases, less what they share.
func (d *docket) logOdds(cases []Case) float64 {
	var few [8]float64
	values := few[:0]
	for _, c := range cases {
		values = append(values, c.Value)
	}
	_, off := d.sharedOf(cases)
	return inOrder(values) - off
}

// shares returns what the options lose, without those that lose nothing.
func (d *docket) shares(cases [][]Case) (out []Share) {
	for o := range cases {
		if p, off := d.sharedOf(cases[o]); off > 0 {
			out = append(out, Share{d.options[o], p.Lineages, off})
		}
	}
	return out
}

// unsound returns an error for a value that no measurement can give.
func (l *Learned) unsound() error {
	if l == nil {
		return nil
	}
	for _, j := range l.Judges {
		if !j.Ratio.sound() {
			return fmt.Errorf("the record weighs what %s judges of a %s %.4g to 1 and %.4g to 1; the maximum is %d to 1",
				j.Seat, j.Grade, j.Ratio.Pass, j.Ratio.Fail, mostRatio)
		}
	}
	for _, p := range l.Pairs {
		if !(p.Correlation >= 0 && p.Correlation <= 1) {
			return fmt.Errorf("the record contains an impossible correlation of %s and %s", p.Lineages[0], p.Lineages[1])
		}
	}
	if c := l.Calibration; c != nil && !(c.Slope >= 0 && !math.IsInf(c.Slope, 1) && !math.IsNaN(c.Shift) && !math.IsInf(c.Shift, 0)) {
		return fmt.Errorf("the record contains an impossible calibration: shift %g, slope %g", c.Shift, c.Slope)
	}
	return nil
}

// sound reports whether a ratio is within the limits for a check.
func (r Ratio) sound() bool {
	return r.Pass >= 1 && r.Pass <= mostRatio+1e-9 && r.Fail <= 1 && r.Fail >= 1./mostRatio-1e-9
}
