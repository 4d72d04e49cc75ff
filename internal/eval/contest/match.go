package contest

import (
	"context"
	"fmt"
	"slices"
)

// The ways to match the cost of repeated samples.
const (
	ByTokens = "tokens"
	byUSD    = "usd"
	ByNone   = "none"
)

// Matches returns the ways to match, the default first.
func Matches() []string { return []string{ByTokens, byUSD, ByNone} }

// MaxSamples limits the samples of a question.
const MaxSamples = 32

// match decides how many samples of the best seat cost as much as the panel: as many as the panel's mean cost per question pays for,
// at least one. Without prices it uses tokens instead of dollars. This is decided once and recorded: later outcomes change nothing.
// Costs are means over the items that compare.
func (c *contest) match(ctx context.Context) error {
	if c.chosen.Samples > 0 {
		return nil
	}
	chosen := Chosen{Best: c.chosen.Best, Unit: c.Match, With: string(c.Panel())}
	if chosen.With == "" {
		chosen.Unit = ByNone
	}
	cost := func(arm Arm, seat string) float64 {
		sum := 0.0
		for _, q := range c.items[c.Choose:] {
			m := c.marks[q.outcome(arm, seat).key()]
			if chosen.Unit == byUSD {
				sum += m.usd
			} else {
				sum += float64(m.tokens)
			}
		}
		return sum / float64(max(1, len(c.items)-c.Choose))
	}
	for _, unit := range slices.Compact([]string{chosen.Unit, ByTokens}) {
		if chosen.Unit == ByNone {
			break
		}
		chosen.Unit = unit
		chosen.Want, chosen.Each = cost(Arm(chosen.With), ""), cost(Single, chosen.Best)
		if chosen.Want > 0 && chosen.Each > 0 {
			chosen.Samples = min(MaxSamples, max(1, int(chosen.Want/chosen.Each)))
			return c.settle(ctx, chosen)
		}
	}
	chosen.Unit, chosen.Samples = ByNone, c.Samples
	return c.settle(ctx, chosen)
}

// String says how many samples there are, and why.
func (c Chosen) String() string {
	switch c.Unit {
	case "":
		return ""
	case ByNone:
		return fmt.Sprintf("%d samples a question, not matched", c.Samples)
	case byUSD:
		return fmt.Sprintf("%d samples a question, matched by dollars (%s $%.4f, one sample $%.4f)", c.Samples, c.With, c.Want, c.Each)
	}
	return fmt.Sprintf("%d samples a question, matched by tokens (%s %.0f, one sample %.0f)", c.Samples, c.With, c.Want, c.Each)
}
