package debate

import (
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// refuted says whether a check spoke against a claim.
func (res Result) refuted(c ClaimResult) bool {
	// What the checks came to together counts, not a single no among them.
	if ratio, _ := res.Weight(c); res.Rules.Cases && ratio != 1 {
		return ratio < 1
	}
	return slices.ContainsFunc(res.Checks, func(k verdict.Check) bool {
		return slices.Contains(c.Checks, k.ID) && k.Result == verdict.Fail && (k.By == "" || !res.Rules.Cases)
	})
}

// Weight is the ratio by which a claim moved its option, and the check that settled it; 1: it moved nothing.
func (res Result) Weight(c ClaimResult) (ratio float64, by string) {
	ratio = 1
	for _, k := range res.Checks {
		if !slices.Contains(c.Checks, k.ID) || c.Vetoed != "" || k.Ratio <= 0 {
			continue
		}
		switch {
		case res.Rules.Cases: // each judgement says what the claim is worth by then
			ratio, by = k.Ratio, k.ID
		case k.Ratio != 1:
			ratio, by = ratio*k.Ratio, k.ID
		}
	}
	return ratio, by
}
