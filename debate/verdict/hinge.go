package verdict

import (
	"fmt"
	"slices"
	"strings"
)

// Hinge is one lineage, or two, on which the answer depends: without their votes, claims and judgements it would differ.
type Hinge struct {
	Without []string `json:"without"`
	Winner  string   `json:"winner,omitempty"` // the winner without them; empty: options would be level
}

// hinges returns the lineages and pairs of lineages on which the winner depends, and the share of lineages on which it does not. A
// removal that leaves no vote is not tried; pairs are tried if at least three lineages voted.
func (d *docket) hinges(winner string) (one, two []Hinge, stability float64) {
	tried, voted := 0, 0
	for g := range d.lineages {
		if d.votedBy(g) {
			voted++
		}
	}
	try := func(gone ...int) (h Hinge, hangs, ok bool) {
		// Without any vote there is no answer, and a panel of one lineage always depends on itself.
		if !d.votesWithout(gone...) {
			return h, false, false
		}
		for _, g := range gone {
			h.Without = append(h.Without, d.lineages[g])
		}
		if o := d.winner(d.cases(only(gone...), only(gone...))); o >= 0 {
			h.Winner = d.options[o]
		}
		return h, h.Winner != winner, true
	}
	for g := range d.lineages {
		h, hangs, ok := try(g)
		if !ok {
			continue
		}
		tried++
		if hangs {
			one = append(one, h)
		}
	}
	for a := range d.lineages {
		for b := a + 1; b < len(d.lineages) && voted >= 3; b++ {
			if h, hangs, ok := try(a, b); ok && hangs {
				two = append(two, h)
			}
		}
	}
	if tried > 0 {
		stability = float64(tried-len(one)) / float64(tried)
	}
	return one, two, stability
}

func (d *docket) votedBy(g int) bool {
	return slices.ContainsFunc(d.votes, func(by [][]float64) bool { return len(by[g]) > 0 })
}

func (d *docket) votesWithout(gone ...int) bool {
	for g := range d.lineages {
		if !slices.Contains(gone, g) && d.votedBy(g) {
			return true
		}
	}
	return false
}

// Reason is one reason for the gate's answer.
type Reason struct {
	Code string `json:"code"` // no-decision, blocked, rehearsal, lineage, one-lineage, pair, objection, lacking or degraded
	Text string `json:"text"`
}

// Gates of the rules since version 4. Earlier rules also have "evidence", and no "degraded".
const (
	GateProceed  = "proceed"
	GatePerson   = "person"
	gateDegraded = "degraded" // a decision by a panel that lost a seat
)

// open computes the gate since version 4: who decides, and why. It lists every reason, not only the first: a person who is asked must
// see all that speaks against acting.
func (s scorer) open(v *Verdict) string {
	why := func(code, format string, args ...any) {
		v.Reasons = append(v.Reasons, Reason{code, fmt.Sprintf(format, args...)})
	}
	for _, o := range v.Objections {
		if o.State == Blocks {
			why("blocked", "objection %s of %s, affirmed by %s", o.Claim, o.Seat, strings.Join(o.Yes, " and "))
		}
	}
	if !v.Outcome.Decision() {
		why("no-decision", "%s: %s", v.Outcome, v.Reason)
		return GatePerson
	}
	if v.Outcome == Ruled {
		return GatePerson
	}
	if s.r.Rehearsal {
		why("rehearsal", "no model took part")
	}
	for _, h := range v.Hinges {
		if len(h.Without) == 1 {
			why("lineage", "%s", h.Says(nil))
		}
	}
	if s.lineagesVoted() == 1 {
		why("one-lineage", "only one lineage voted")
	}
	// The lower of the two, since a calibration may make this probability look safer than it is.
	p := v.Beliefs[0].P
	if v.Calibrated > 0 {
		p = min(p, v.Calibrated)
	}
	if p < s.r.PairCertainty-1e-9 {
		for _, h := range v.Hinges {
			if len(h.Without) == 2 {
				why("pair", "%s", h.Says(nil))
			}
		}
	}
	for _, o := range v.Objections {
		switch {
		case o.State == Contested:
			why("objection", "objection %s of %s was affirmed by %s alone", o.Claim, o.Seat, strings.Join(o.Yes, ""))
		case o.State == Unjudged && o.begun:
			why("objection", "objection %s of %s could not be judged", o.Claim, o.Seat)
		}
	}
	if len(s.l.Lacks) > 0 {
		why("lacking", "the seats lacked information")
	}
	switch {
	case len(v.Reasons) > 0:
		return GatePerson
	case v.Outcome == Degraded:
		why("degraded", "%s", v.Reason)
		return gateDegraded
	}
	return GateProceed
}

// Says describes a hinge in words. options returns the text of an option for its key; nil: the key is used.
func (h Hinge) Says(options func(key string) string) string {
	who := strings.Join(h.Without, " and ")
	switch {
	case h.Winner == "":
		return "without " + who + " the options would be level"
	case options == nil:
		return "without " + who + " the answer would be option " + h.Winner
	}
	return "without " + who + " the answer would be " + options(h.Winner)
}

// lineagesVoted counts the lineages with at least one vote.
func (s scorer) lineagesVoted() int {
	var out []string
	for _, v := range s.l.Votes {
		if v.Status == Voted && !slices.Contains(out, v.Lineage) {
			out = append(out, v.Lineage)
		}
	}
	return len(out)
}
