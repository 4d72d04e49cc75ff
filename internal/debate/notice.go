package debate

import (
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// What stands at the top and the bottom of everything a panel says in which no model took part.
const (
	rehearsalNotice = "Rehearsal: no model took part. Three rule-based seats searched this folder and quoted what they found."
	simulatedNotice = "Simulated: no model took part. Simulated seats know the right answer and err at their assumed rate."
)

// Notice is what must be said wherever a seat of this spec takes part; empty: a model answers for it.
func Notice(spec string) string {
	switch {
	case strings.HasPrefix(spec, "rehearsal"):
		return rehearsalNotice
	case strings.HasPrefix(spec, "sim:"):
		return simulatedNotice
	}
	return ""
}

// Notice is what must be said where no model took part; empty: one did. A room that calls itself a rehearsal is one, whatever its
// seats are called.
func (res Result) Notice() string {
	for _, s := range res.Seats {
		if n := Notice(s.Spec); n != "" {
			return n
		}
	}
	if res.Rehearsal {
		return rehearsalNotice
	}
	return ""
}

// Chance is the probability of the winner as people are told it; 0: there is none to tell, as where no model took part, nothing was
// decided or a person decided.
func (res Result) Chance() float64 {
	if !res.Outcome.Decision() || res.Outcome == verdict.Ruled || len(res.Blocked) > 0 || res.Notice() != "" {
		return 0
	}
	return res.Verdict().Chance()
}
