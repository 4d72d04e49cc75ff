package verdict

import "slices"

// Course is how the rules since version 4 treated a claim: whether its checks may count, its draw, and how each check moved its
// author's case. It follows from the ledger and spares a reader of the record the computation.
type Course struct {
	Claim  string  `json:"claim"`
	WhyNot string  `json:"why_not,omitempty"` // why its checks cannot count; empty: they can
	Draw   float64 `json:"draw,omitempty"`    // between 0 and 1: among equals the lowest goes first; 0: not drawn
	Cases  []moved `json:"cases,omitempty"`   // the checks that moved the case of its author's lineage
}

// moved is a lineage's case before and after a check, in log-odds.
type moved struct {
	Check  string  `json:"check"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Course returns the course of one claim. Under rules before version 4 it has only the claim's id.
func (l Ledger) Course(r Rules, c *Claim) (out Course) {
	out.Claim = c.ID
	switch {
	case !r.Cases:
		return out
	case c.Vetoed != "":
		out.WhyNot = "vetoed by a person"
		return out
	case !l.Eligible(*c):
		out.WhyNot = "its author did not vote for the option it supports"
		return out
	}
	if l.DrawKey != "" {
		out.Draw = float64(newUrn(l.DrawKey).draw("claim", c)) / (1 << 64)
	}
	for i, k := range l.Checks {
		if k.Claim != c.ID && !slices.Contains(c.Merged, k.Claim) {
			continue
		}
		if before, after := l.caseAfter(r, i, c), l.caseAfter(r, i+1, c); before != after {
			out.Cases = append(out.Cases, moved{k.ID, before, after})
		}
	}
	return out
}

// caseAfter returns what a claim's lineage contributes to its option after that many checks.
func (l Ledger) caseAfter(r Rules, checks int, c *Claim) float64 {
	l.Checks = l.Checks[:checks]
	d := newDocket(l, r)
	for i := range d.exhibits {
		if x := &d.exhibits[i]; x.claim == c {
			return d.cases(nobody, nobody)[x.option][x.lineage].Value
		}
	}
	return 0
}
