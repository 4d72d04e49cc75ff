package learn

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// Panel is the record of a person's models on questions with known answers.
//
// It is the JSON of `--output json` and of the API. Lists are never null. Shares are in [0, 1].
type Panel struct {
	Schema     string              `json:"schema"`   // socrates.panel/1
	Outcomes   int                 `json:"outcomes"` // questions with known answers
	Right      statistics.Interval `json:"right"`    // how often the panel's winner was right
	Decided    int                 `json:"decided"`  // of these questions had a winner
	Models     []Member            `json:"models"`
	Pairs      []Errors            `json:"pairs"`
	Judges     []Judged            `json:"judges"`
	Calibrated *CalibrationTable   `json:"calibration,omitempty"`
	Lacks      []string            `json:"lacks"` // what there is too little data for
}

// Member is one model's record.
type Member struct {
	Model    string                         `json:"model"`
	Lineage  string                         `json:"lineage"`
	Votes    int                            `json:"votes"`
	Weight   float64                        `json:"weight"`  // outcomes after fading: one half a year old counts half
	Right    statistics.Interval            `json:"right"`   // share of its votes
	Counts   float64                        `json:"counts"`  // accuracy its votes count with; 0: the default
	ByKind   map[string]statistics.Interval `json:"by_kind"` // for kinds with ten outcomes
	Adds     statistics.Interval            `json:"adds"`    // to the share of right majorities, compared on the same questions without it
	Compared int                            `json:"compared"`
	USD      float64                        `json:"usd"` // per question
	Advice   string                         `json:"advice,omitempty"`
}

// Errors is how often two families err together.
type Errors struct {
	Lineages    [2]string           `json:"lineages"`
	Outcomes    float64             `json:"outcomes"`
	Correlation statistics.Interval `json:"correlation"`
	Counts      bool                `json:"counts"`
	Counted     float64             `json:"counted"` // the correlation that counts; 0: none yet
}

// Judged is how far a model's judgements of one grade of evidence tell right from wrong.
type Judged struct {
	Model    string              `json:"model"`
	Grade    verdict.Grade       `json:"grade"`
	Outcomes verdict.Controls    `json:"outcomes"` // claims for right and for wrong options
	Controls verdict.Controls    `json:"controls"` // true and false statements about the same lines
	Accepts  statistics.Interval `json:"accepts"`  // share of true items that it accepts
	Fooled   statistics.Interval `json:"fooled"`   // share of false items that it accepts
	Ratio    *verdict.Ratio      `json:"ratio,omitempty"`
}

// CalibrationTable is the fitted map, and how far stated and actual chances were apart without it.
type CalibrationTable struct {
	verdict.Calibration
	Error statistics.Interval `json:"error"` // expected calibration error of the stated probability
}

// leastAdvice is how many questions are needed to say what a seat adds.
const leastAdvice = 30

// Report summarizes what is known.
func (k *Knowledge) Report() Panel {
	p := Panel{Schema: "socrates.panel/1", Outcomes: len(k.Lessons),
		Models: []Member{}, Pairs: []Errors{}, Judges: []Judged{}, Lacks: []string{}}
	right := 0.
	for _, o := range k.outcomes {
		right += o.Credit
	}
	p.Decided, p.Right = len(k.outcomes), statistics.Wilson(right, float64(len(k.outcomes)))
	for _, model := range slices.Sorted(maps.Keys(k.models)) {
		p.Models = append(p.Models, k.member(model))
	}
	slices.SortStableFunc(p.Models, func(a, b Member) int { return -cmp.Compare(a.Right.Value, b.Right.Value) })
	for _, pair := range slices.SortedFunc(maps.Keys(k.pairs), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		r, n, ok := k.Correlation(pair[0], pair[1])
		e := Errors{Lineages: pair, Outcomes: n, Correlation: r, Counts: ok}
		if ok {
			e.Counted = counted(r, n)
		}
		p.Pairs = append(p.Pairs, e)
	}
	for _, at := range k.judged() {
		j := Judged{Model: at.model, Grade: at.grade, Outcomes: k.judges[at].whole(), Controls: k.controls[at].whole()}
		by, _, _ := k.measured(at)
		j.Accepts, j.Fooled = statistics.Wilson(by.good.right, by.good.n), statistics.Wilson(by.bad.right, by.bad.n)
		if r, ok := k.Ratio(at.model, at.grade); ok {
			j.Ratio = &r
		}
		p.Judges = append(p.Judges, j)
	}
	if c, ok := k.Calibration(); ok {
		p.Calibrated = &CalibrationTable{c, calibration.ECEInterval(k.outcomes, 1)}
	}
	p.Lacks = k.lacks(p)
	return p
}

// judged returns all judges and grades with any data, in order.
func (k *Knowledge) judged() []judgeKey {
	all := map[judgeKey]bool{}
	for at := range k.judges {
		all[at] = true
	}
	for at := range k.controls {
		all[at] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b judgeKey) int {
		if a.model != b.model {
			return cmp.Compare(a.model, b.model)
		}
		return cmp.Compare(a.grade, b.grade)
	})
}

// member summarizes one model: its votes, its cost per question it voted on, and what its vote adds to the majority.
func (k *Knowledge) member(model string) Member {
	m := Member{Model: model, ByKind: map[string]statistics.Interval{}, Counts: k.Counted(model, "")}
	m.Right, m.Weight = k.Right(model, ""), math.Round(k.models[model][""].n*10)/10
	for kind, c := range k.models[model] {
		if kind != "" && enough(c.n, leastSeat) {
			m.ByKind[kind] = k.Right(model, kind)
		}
	}
	var with, without []float64
	for _, l := range k.Lessons {
		mine, usd := false, 0.
		for _, v := range l.Seats {
			if v.Model == model {
				usd += v.USD
				if v.Option != "" {
					mine, m.Lineage = true, v.Lineage
				}
			}
		}
		if !mine {
			continue
		}
		m.Votes++
		m.USD += usd
		if a, b, ok := l.credits(model); ok {
			with, without = append(with, a), append(without, b)
		}
	}
	m.USD /= float64(max(1, m.Votes))
	// Compared on the same questions, so that a seat with only easy ones does not look good.
	m.Adds, m.Compared = statistics.Difference(without, with, nil, 1), len(with)
	switch {
	case m.Compared < leastAdvice:
	case m.Counts == leastAccur:
		m.Advice = "drop it: it is right so rarely that its votes do not count"
	case m.Adds.High < 0:
		m.Advice = "drop it: majorities are right more often without it"
	case m.Adds.Low <= 0 && m.Adds.Value < .01:
		m.Advice = "adds nothing measurable"
	}
	return m
}

// credits returns whether the majority of votes was right with a model and without it: 1/k if the right option ties with k-1 others.
// ok is false if nobody else voted, or the right option is not known.
func (l Lesson) credits(without string) (all, less float64, ok bool) {
	if l.Truth == "" {
		return 0, 0, false
	}
	tally, rest := map[string]int{}, map[string]int{}
	for _, v := range l.Seats {
		if v.Option == "" {
			continue
		}
		tally[v.Option]++
		if v.Model != without {
			rest[v.Option]++
		}
	}
	if len(rest) == 0 {
		return 0, 0, false
	}
	return majority(tally, l.Truth), majority(rest, l.Truth), true
}

// majority returns the chance that the most frequent option is the right one, with ties broken at random.
func majority(tally map[string]int, truth string) float64 {
	most, level := 0, 0
	for _, n := range tally {
		switch {
		case n > most:
			most, level = n, 1
		case n == most:
			level++
		}
	}
	if tally[truth] < most {
		return 0
	}
	return 1 / float64(level)
}
