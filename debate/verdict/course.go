package verdict

import "slices"

// Course is how a claim went through the rules since version 4: whether its checks may count, where it was drawn, and what each check
// made of its author's case. It follows from the ledger; it is what a reader of the record would otherwise have to compute.
type Course struct {
	Claim  string  `json:"claim"`
	WhyNot string  `json:"why_not,omitempty"` // why its checks cannot count; empty: they can
	Draw   float64 `json:"draw,omitempty"`    // between 0 and 1: of equals the lower goes first; 0: it was not drawn
	Cases  []moved `json:"cases,omitempty"`   // the checks that moved the case of its author's lineage
}

// moved is a lineage's case before and after a check, in log-odds.
type moved struct {
	Check  string  `json:"check"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Course follows one claim of the ledger. By rules before version 4 it says nothing.
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

// caseAfter is what the lineage of a claim contributes to its option after so many checks.
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
