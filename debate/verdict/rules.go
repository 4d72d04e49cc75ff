package verdict

import (
	_ "embed"
	"encoding/json"
	"maps"
	"math"
)

// Rules are the numbers a verdict depends on. They are stored with every room, so a verdict can be recomputed. Their JSON is part of
// every record: a field is never renamed, and the zero value of a new one is the earlier behaviour. Version names the shipped set;
// learning changes numbers, not the version.
type Rules struct {
	Version         string             `json:"version"`
	WithinLineage   float64            `json:"within_lineage"`     // r: error correlation inside a lineage until measured
	Measured        map[string]float64 `json:"measured,omitempty"` // r by lineage, clamped to [.25, 1]
	Accuracy        float64            `json:"accuracy"`           // a seat's chance to be right until measured
	StopAt          float64            `json:"stop_at"`            // posterior at which checking stops
	ChecksPerOption int                `json:"checks_per_option"`
	OwnCase         bool               `json:"own_case,omitempty"` // only checks of [Ledger.Eligible] claims count; since version 3
	CaseRules
	Ratios        map[Grade]Ratio `json:"ratios"`
	Proceed       float64         `json:"proceed"` // gate: at least this score, and J = 1
	Person        float64         `json:"person"`  // gate: below this a person decides
	CapOneLineage float64         `json:"cap_one_lineage"`
	CapCoverage   float64         `json:"cap_coverage"`
	CapUnstable   float64         `json:"cap_unstable"`
	CapObjection  float64         `json:"cap_objection"`
	MinCoverage   float64         `json:"min_coverage"` // below this coverage caps the score
	Quorum        float64         `json:"quorum"`       // below this coverage there is no decision
	Refine        RefineRules     `json:"refine"`
	Learned       *Learned        `json:"learned,omitempty"`   // nil: nothing had been learned, or it was not asked for
	Rehearsal     bool            `json:"rehearsal,omitempty"` // no model took part: the gate never says proceed
}

// CaseRules are the rules that version 4 added: each lineage moves its own case, checks are bought by their worth, a no takes two.
type CaseRules struct {
	Cases                bool    `json:"cases,omitempty"`
	ChecksPerCase        int     `json:"checks_per_case,omitempty"` // of one lineage's claims for one option
	ClaimsPerSeat        int     `json:"claims_per_seat,omitempty"` // claims beyond that are recorded, never checked
	CheckPrice           float64 `json:"check_price,omitempty"`     // probability of the winner a check must be expected to gain
	LookAhead            int     `json:"look_ahead,omitempty"`      // how many checks to look ahead
	Judges               int     `json:"judges,omitempty"`          // equal judgements that settle a disputed or decisive check
	Confirm              bool    `json:"confirm,omitempty"`         // every judgement takes a second
	Unanimous            bool    `json:"unanimous,omitempty"`       // check even if all voters agree; the preset deep sets it
	Blockworthy          bool    `json:"blockworthy,omitempty"`     // or if an objection could block; since version 5
	SameLines            bool    `json:"same_lines,omitempty"`      // quotes that share a line are one check; since version 5
	UnrunIsNone          bool    `json:"unrun_is_none,omitempty"`   // a command that was not run is no check; since version 5
	JudgeFailures        int     `json:"judge_failures,omitempty"`  // failing on claims of that many authors silences a judge; 0: one
	JurorsWorth          bool    `json:"jurors_worth,omitempty"`    // expect of a check what its possible judges count
	PairCertainty        float64 `json:"pair_certainty,omitempty"`  // below this probability no two lineages may decide the winner
	ObjectionsPerLineage int     `json:"objections_per_lineage,omitempty"`
	MostAccurate         float64 `json:"most_accurate,omitempty"` // upper limit of a learned accuracy
}

// Deep are the rules of a thorough debate: checks are cheaper, and each takes two judges.
func (r Rules) Deep() Rules {
	r.CheckPrice, r.Confirm = .004, true
	return r
}

// RefineRules are the numbers that decide when versions are close enough.
type RefineRules struct {
	Thresholds map[string]float64 `json:"thresholds"` // by task type; "" for the others
	MinRounds  int                `json:"min_rounds"`
	Warning    float64            `json:"warning"`    // below this the versions are far apart
	Stagnation float64            `json:"stagnation"` // from round 3 a smaller gain ends the talk
	Abort      float64            `json:"abort"`      // after MinRounds a score below this ends the debate without a decision
}

// Ratio is the likelihood ratio a passed and a failed check carry.
type Ratio struct {
	Pass float64 `json:"pass"`
	Fail float64 `json:"fail"`
}

//go:embed rules.json
var rulesFile []byte

// DefaultRules are the rules as shipped.
func DefaultRules() Rules {
	var r Rules
	if err := json.Unmarshal(rulesFile, &r); err != nil {
		panic("rules.json: " + err.Error())
	}
	return r
}

// within returns r for one lineage: as measured, but never so low that its seats count as independent.
func (r Rules) within(lineage string) float64 {
	if m, ok := r.Measured[lineage]; ok {
		return min(1, max(.25, m))
	}
	return r.WithinLineage
}

// Ratio returns what a result of this grade counts. Skipped checks and unknown grades count nothing: 1.
func (r Rules) Ratio(g Grade, result string) float64 {
	ratio, ok := r.Ratios[g]
	switch {
	case ok && result == Pass:
		return ratio.Pass
	case ok && result == Fail:
		return ratio.Fail
	}
	return 1
}

// Worth returns the ratio of a check of a claim: that of its grade and result, or 1 if the claim may not count. Since version 4 it is
// the claim's ratio by all that the ledger has about it.
func (r Rules) Worth(l Ledger, c *Claim, k Check) float64 {
	if r.Cases {
		return newDocket(l, r).worth(c)
	}
	if r.OwnCase && (c == nil || !l.Eligible(*c)) {
		return 1
	}
	return r.Ratio(k.Grade, k.Result)
}

// mostRatio is the highest ratio of a measured check, however good its record.
const mostRatio = 5

// Controls counts control runs of one grade: variants known to be good and known to be wrong, and how many passed.
type Controls struct {
	Good       int `json:"good"`
	GoodPassed int `json:"good_passed"`
	Bad        int `json:"bad"`
	BadPassed  int `json:"bad_passed"`
}

// Plus sums two counts.
func (c Controls) Plus(d Controls) Controls {
	return Controls{c.Good + d.Good, c.GoodPassed + d.GoodPassed, c.Bad + d.Bad, c.BadPassed + d.BadPassed}
}

// Count adds a trial.
func (c Controls) Count(t Trial) Controls {
	passed := 0
	if t.Passed {
		passed = 1
	}
	if t.Good {
		c.Good, c.GoodPassed = c.Good+1, c.GoodPassed+passed
	} else {
		c.Bad, c.BadPassed = c.Bad+1, c.BadPassed+passed
	}
	return c
}

// enoughControls is how many runs of each kind a checker needs to count as measured.
const enoughControls = 30

// Measure turns control runs into ratios: the measured rates, add-one smoothed, once there are 30 of each kind;
// 1:1 while the two rates do not differ at one-sided 95 %. It is false while there are too few.
func (c Controls) Measure() (Ratio, bool) {
	if c.Good < enoughControls || c.Bad < enoughControls {
		return Ratio{}, false
	}
	good, bad := float64(c.Good), float64(c.Bad)
	pooled := (float64(c.GoodPassed) + float64(c.BadPassed)) / (good + bad)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/good + 1/bad))
	diff := float64(c.GoodPassed)/good - float64(c.BadPassed)/bad
	// A checker that cannot tell right from wrong is worth nothing, whatever its two rates are.
	if spread == 0 || diff/spread <= 1.645 {
		return Ratio{1, 1}, true
	}
	tp := (float64(c.GoodPassed) + 1) / (good + 2)
	fp := (float64(c.BadPassed) + 1) / (bad + 2)
	return Ratio{tp / fp, (1 - tp) / (1 - fp)}, true
}

// manyControls is how many runs of each kind are needed since rules version 4; shrinkage is how many uninformative ones are added to
// them.
const manyControls, shrinkage = 100, 20

// Learned turns control runs, or outcomes, into a ratio: 1:1 unless the rates differ, else shrunk towards 1:1 as if by 20
// uninformative runs more of each kind, and at most 5:1. It is false below 100 of each kind.
func (c Controls) Learned() (Ratio, bool) {
	n := min(c.Good, c.Bad)
	r, ok := c.Measure()
	if !ok || n < manyControls {
		return Ratio{}, false
	}
	return Ratio{drawnIn(r.Pass, n), drawnIn(r.Fail, n)}, true
}

// drawnIn shrinks a ratio measured by n runs of each kind towards 1:1.
func drawnIn(ratio float64, n int) float64 {
	ratio = math.Pow(ratio, float64(n)/float64(n+shrinkage))
	return min(mostRatio, max(1./mostRatio, ratio))
}

// WithControls replaces the ratios of every grade that has been measured.
func (r Rules) WithControls(by map[Grade]Controls) Rules {
	r.Ratios = maps.Clone(r.Ratios)
	for g, c := range by {
		m, ok := c.Measure()
		if r.Cases {
			m, ok = c.Learned()
		}
		if ok {
			r.Ratios[g] = m
		}
	}
	return r
}
