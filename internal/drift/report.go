package drift

import (
	"math"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/git"
)

// State is the state of a piece of evidence in the project now.
type State string

// The states.
const (
	True      State = "true"      // unchanged
	Moved     State = "moved"     // found at another place
	Changed   State = "changed"   // the file no longer contains it, or the command has another result
	Gone      State = "gone"      // the file is gone
	Unchecked State = "unchecked" // unknown: see Says
)

// Place is a line of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Cite is one claim's evidence, compared with the project.
type Cite struct {
	Claim    string      `json:"claim"`
	Seat     string      `json:"seat"`
	Text     string      `json:"text"`
	Option   string      `json:"option"` // its text
	For      bool        `json:"supports"`
	Ratio    float64     `json:"ratio"`  // of its checks in the verdict; 1: no weight
	Weight   float64     `json:"weight"` // if it fell: how much lower the answer's probability is without it alone
	Place                // of a quote, where it was
	Quote    string      `json:"quote,omitempty"`
	Command  []string    `json:"command,omitempty"`
	State    State       `json:"state"`
	Now      *Place      `json:"now,omitempty"`    // where it moved
	Commit   *git.Commit `json:"commit,omitempty"` // that made the change; nil: unknown, or not committed
	Says     string      `json:"says,omitempty"`
	Affirmed []string    `json:"affirmed,omitempty"` // of an objection that blocked: the lineages that affirmed it
}

// fell reports whether the evidence changed or is gone.
func (c Cite) fell() bool { return c.State == Changed || c.State == Gone }

// Standing is a short form of a verdict.
type Standing struct {
	Outcome verdict.Outcome `json:"outcome"`
	Key     string          `json:"winner"` // empty: none
	Option  string          `json:"option"` // its text
	P       float64         `json:"p"`
	Gate    string          `json:"gate"`
	Blocked []string        `json:"blocked"`
}

// Report is the state of one decision.
//
// It is the JSON of `socrates decisions check`. This version computes Before and After under the recorded rules.
type Report struct {
	Room     string   `json:"room"`
	File     string   `json:"file,omitempty"` // its decision file; empty: none
	Dir      string   `json:"dir"`
	Question string   `json:"question"`
	Chosen   string   `json:"chosen,omitempty"` // by a person, if one decided; Before and After are the panel's verdicts
	Holds    bool     `json:"holds"`            // winner, gate and blocks are unchanged, and the winner still has evidence
	Changes  []string `json:"changes"`          // what no longer holds: winner, gate, block, evidence
	Cites    []Cite   `json:"evidence"`
	Before   Standing `json:"before"`
	After    Standing `json:"after"` // without what fell
}

// weigh recomputes a verdict without the evidence that fell. A person who decided knew the panel's verdict: their choice holds as
// long as the panel's stays the same, or becomes theirs. Weight is what each fallen piece counted by itself; together they may count
// more or less than the sum.
func (r *Report) weigh(b Basis) {
	ruling := b.Ledger.Ruling
	b.Ledger.Ruling = nil
	chosen := ""
	if ruling != nil {
		chosen, r.Chosen = ruling.Option, b.Ledger.Text(ruling.Option)
	}
	var fallen []string
	r.Before, r.Changes = standing(b.Ledger, b.Rules), []string{}
	for _, o := range b.Ledger.Objections("") {
		i := slices.IndexFunc(r.Cites, func(c Cite) bool { return c.Claim == o.Claim })
		if i >= 0 && slices.Contains(r.Before.Blocked, o.Claim) {
			r.Cites[i].Affirmed = o.Yes
		}
	}
	for i := range r.Cites {
		if c := &r.Cites[i]; c.fell() {
			fallen = append(fallen, c.Claim)
			c.Weight = math.Round(1e6*(r.Before.P-chance(without(b.Ledger, c.Claim), b.Rules, r.Before.Key))) / 1e6
		}
	}
	if r.After = r.Before; len(fallen) > 0 {
		r.After = standing(without(b.Ledger, fallen...), b.Rules)
	}
	if r.Before.Key != r.After.Key && (chosen == "" || r.After.Key != chosen) {
		r.Changes = append(r.Changes, "winner")
	}
	if r.Before.Gate != r.After.Gate && chosen == "" {
		r.Changes = append(r.Changes, "gate")
	}
	if !slices.Equal(r.Before.Blocked, r.After.Blocked) {
		r.Changes = append(r.Changes, "block")
	}
	// The votes alone may still give the same verdict; then the numbers hold, but no evidence is left.
	if r.bare() {
		r.Changes = append(r.Changes, "evidence")
	}
	r.Holds = len(r.Changes) == 0
}

// without returns a ledger without the checks of some claims. Checks of a claim that was merged into another count as the other's.
func without(l verdict.Ledger, claims ...string) verdict.Ledger {
	all := l
	l.Checks = slices.DeleteFunc(slices.Clone(l.Checks), func(k verdict.Check) bool {
		c := all.Claim(k.Claim)
		return c != nil && slices.Contains(claims, c.ID)
	})
	return l
}

// chance returns the probability of an option; 0: there is no such option.
func chance(l verdict.Ledger, r verdict.Rules, option string) float64 {
	for _, b := range verdict.Posterior(l, r) {
		if b.Option == option {
			return b.P
		}
	}
	return 0
}

func standing(l verdict.Ledger, r verdict.Rules) Standing {
	v := verdict.Decide(l, r)
	s := Standing{Outcome: v.Outcome, Key: v.Winner, Option: l.Text(v.Winner), Gate: v.Gate, Blocked: append([]string{}, v.Blocked...)}
	for _, b := range v.Beliefs {
		if b.Option == v.Winner {
			s.P = b.P
		}
	}
	return s
}

// ratio returns the ratio that a claim's checks give in the end.
func ratio(l verdict.Ledger, c verdict.Claim) float64 {
	r := 1.
	for _, k := range l.Checks {
		if k.Claim == c.ID || slices.Contains(c.Merged, k.Claim) {
			if k.CarriesWeight() || k.Ratio != 1 {
				r = k.Ratio
			}
		}
	}
	return r
}

// bare reports whether an answer lost all its evidence: only its votes support it.
func (r *Report) bare() bool {
	lost := false
	for _, e := range r.Cites {
		mine := e.For && (e.Option == r.Before.Option || e.Option == r.Chosen)
		if mine && (e.State == True || e.State == Moved || e.State == Unchecked) {
			return false
		}
		lost = lost || mine
	}
	return lost
}
