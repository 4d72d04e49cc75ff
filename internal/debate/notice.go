package debate

import (
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Notice returns the notice for a debate in which no model took part; empty: one did. A room marked as a rehearsal is one, whatever
// its seats are called.
func (res Result) Notice() string {
	for _, s := range res.Seats {
		if n := scheme.Of(s.Spec).Notice; n != "" {
			return n
		}
	}
	if res.Rehearsal {
		return scheme.Of(scheme.Rehearsal).Notice
	}
	return ""
}

// Chance returns the probability of the winner as people are shown it; 0: none is shown, because no model took part, nothing was
// decided or a person decided.
func (res Result) Chance() float64 {
	if !res.Outcome.Decision() || res.Outcome == verdict.Ruled || len(res.Blocked) > 0 || res.Notice() != "" {
		return 0
	}
	return res.Verdict().Chance()
}
