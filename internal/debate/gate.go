package debate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// gate says what follows from the decision, and why.
func (res Result) gate() string {
	switch {
	case res.Gate == "proceed":
		return "Gate: proceed"
	case res.Rules.Rehearsal:
		return "A person must decide, because no model took part"
	case res.Outcome == verdict.Ruled:
		return "A person has decided, because the panel reached no decision"
	case !res.Outcome.Decision():
		return "Your call: the panel reached no decision"
	case res.Gate == "person":
		return "Your call: " + res.weakness() + res.below(res.Rules.Person)
	case len(res.Lacks) > 0:
		return "Get more evidence, then decide: the seats lacked information"
	case res.Score.Value >= res.Rules.Proceed && res.Score.Evidence < 0:
		return "Get more evidence, then decide: more of the winner's evidence was refuted than verified"
	}
	return "Get more evidence, then decide: " + res.weakness() + res.below(res.Rules.Proceed)
}

// below says that the score is less than a limit, if it is.
func (res Result) below(limit float64) string {
	if res.Score.Value >= limit {
		return ""
	}
	return fmt.Sprintf(" (score below %.2f)", limit)
}

// weakness is what keeps the score of a decision down, in a few words.
func (res Result) weakness() string {
	if len(res.Score.Caps) > 0 {
		low := slices.MinFunc(res.Score.Caps, func(a, b verdict.Cap) int { return cmp.Compare(a.At, b.At) })
		return md(low.Why)
	}
	against := 0
	for _, s := range res.Seats {
		if s.Status == verdict.Voted && s.Vote.Option != res.Winner {
			against++
		}
	}
	switch {
	case against == 1:
		return fmt.Sprintf("1 of %d seats disagrees", res.Panel.Seats)
	case against > 1:
		return fmt.Sprintf("%d of %d seats disagree", against, res.Panel.Seats)
	case res.Score.Contested > 0:
		return "claims are contested"
	case res.Score.Coverage < 1:
		return "not all seats voted"
	}
	return "the evidence is weak"
}
