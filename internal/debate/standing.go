package debate

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// standing says in a word what code found out about a claim.
func (res Result) standing(c ClaimResult) string {
	best := "not checked"
	if c.Vetoed != "" {
		return "vetoed by a person: " + md(c.Vetoed)
	}
	if said := res.objected(c); said != "" {
		return said
	}
	if ratio, by := res.Weight(c); res.Rules.Cases && ratio > 1 {
		return "verified by " + by
	} else if res.Rules.Cases && ratio < 1 {
		return "refuted by " + by
	}
	for _, id := range c.Checks {
		for _, k := range res.Checks {
			if k.ID != id {
				continue
			}
			if res.Rules.Cases && k.By != "" {
				best = "judged, and shows nothing, " + k.ID
				continue
			}
			switch {
			case k.Result == verdict.Fail:
				return "refuted by " + k.ID
			case k.Result == verdict.Pass && k.CarriesWeight():
				best = "verified by " + k.ID
			case k.Result == verdict.Pass && best == "not checked":
				best = "quote found, " + k.ID
			}
		}
	}
	return best
}

// objected says in words what the judges made of an objection; empty: it is none, or nobody judged it.
func (res Result) objected(c ClaimResult) string {
	if !res.Rules.Cases {
		return ""
	}
	for _, o := range res.Ledger().Objections(c.Option) {
		switch {
		case o.Claim != c.ID:
		case o.State == verdict.Blocks:
			return "affirmed by " + strings.Join(o.Yes, " and ")
		case o.State == verdict.Contested:
			return "contested: affirmed by " + o.Yes[0] + " alone"
		case len(o.No) > 0:
			return "denied by " + strings.Join(o.No, " and ")
		}
	}
	return ""
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
