// Package advice says whether a panel is worth it over a single model, from questions that both answered.
//
// [Recommend] is one rule, stated at it, and counts nothing but the items on which one of the two alone was right. It
// knows no costs: what a panel costs more stands beside its answer. Package report puts it into words, and the
// command ends with an exit code of its own where it is inconclusive.
package advice

import (
	"math"

	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// Choice is what an evaluation recommends.
type Choice string

// The choices. Inconclusive is an answer, not a failure.
const (
	UsePanel     Choice = "use panel"
	UseSingle    Choice = "use single"
	Inconclusive Choice = "inconclusive"
)

// Recommendation says whether a panel is worth it, and on what that rests.
type Recommendation struct {
	Choice     Choice  `json:"choice"`
	More       int     `json:"more,omitempty"` // items still needed when inconclusive
	Items      int     `json:"items"`
	PanelOnly  int     `json:"panel_only"`  // items the panel alone got right
	SingleOnly int     `json:"single_only"` // items the single model alone got right
	Better     float64 `json:"better"`      // chance that the panel is the better of the two
	McNemar    float64 `json:"mcnemar"`     // exact two-sided p value that the two are alike
}

const (
	sure       = .80 // how probable the better arm must be
	fewest     = 30  // items below which nothing is recommended
	worthwhile = .03 // the smallest difference anybody is asked to collect items for
)

// Recommend compares a panel and a single model on the same items, in the same order: true is right. The single
// model must have been chosen on other items, or the comparison favours it.
//
// The rule: only items one arm alone got right count. From a flat prior on who gets such an item, the chance that the
// panel is better is that of Beta(panel only + 1, single only + 1) above one half. At .80 and up it says use panel, at
// .20 and down use single, else inconclusive, as it does below 30 items; then More is what 80 % power at the
// two-sided 5 % level takes for the difference seen, though for none below three points, less the items there are.
// Items beyond the shorter arm are ignored.
func Recommend(single, panel []bool) Recommendation {
	r := Recommendation{Items: min(len(single), len(panel))}
	for i := range r.Items {
		switch {
		case panel[i] && !single[i]:
			r.PanelOnly++
		case single[i] && !panel[i]:
			r.SingleOnly++
		}
	}
	n := r.PanelOnly + r.SingleOnly
	r.Better = statistics.Binomial(r.PanelOnly, n+1)
	r.McNemar = statistics.McNemar(r.PanelOnly, r.SingleOnly)
	switch {
	case r.Items >= fewest && r.Better >= sure:
		r.Choice = UsePanel
	case r.Items >= fewest && r.Better <= 1-sure:
		r.Choice = UseSingle
	default:
		r.Choice, r.More = Inconclusive, r.more()
	}
	return r
}

// Settled says that nothing is recommended although the items would have shown any difference worth having: more of
// them would most likely show that there is none.
func (r Recommendation) Settled() bool {
	return r.Choice == Inconclusive && r.Items >= fewest && statistics.Needed(r.discordance(), worthwhile) <= r.Items
}

// discordance is on what share of the items one arm alone is right, with one item of each kind added to what was seen.
func (r Recommendation) discordance() float64 {
	return (float64(r.PanelOnly+r.SingleOnly) + 2) / (float64(r.Items) + 4)
}

// more is how many further items an answer would take. The discordance is that of more items than were seen, so that a
// short run does not pass for proof that the arms never differ.
// It is at least one: who is told that nothing is missing would take the answer for one.
func (r Recommendation) more() int {
	items := float64(r.Items)
	difference := math.Abs(float64(r.PanelOnly-r.SingleOnly)) / max(1, items)
	return max(1, fewest-r.Items, statistics.Needed(r.discordance(), max(worthwhile, difference))-r.Items)
}
