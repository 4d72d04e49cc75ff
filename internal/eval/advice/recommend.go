// Package advice says whether a panel is worth it over a single model, from questions that both answered.
//
// [Recommend] applies one rule, stated there, which counts only the items on which exactly one of the two was right. It ignores
// costs: the report shows a panel's extra cost beside the answer. Package report puts it into words, and the command has a separate
// exit code for an inconclusive answer.
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

// Recommendation says whether a panel is worth it, with the figures behind that.
type Recommendation struct {
	Choice     Choice  `json:"choice"`
	More       int     `json:"more,omitempty"` // items still needed when inconclusive
	Items      int     `json:"items"`
	PanelOnly  int     `json:"panel_only"`  // items the panel alone got right
	SingleOnly int     `json:"single_only"` // items the single model alone got right
	Better     float64 `json:"better"`      // chance that the panel is the better of the two
	McNemar    float64 `json:"mcnemar"`     // exact two-sided p value that the two are equal
}

const (
	sure       = .80 // how probable it must be that an arm is better
	fewest     = 30  // below this many items nothing is recommended
	worthwhile = .03 // the smallest difference worth collecting items for
)

// Recommend compares a panel and a single model on the same items, in the same order: true is right. The single
// model must have been chosen on other items, or the comparison favours it.
//
// The rule: only items that exactly one arm got right count. With a flat prior on who gets such an item, the chance that the panel is
// better is that of Beta(panel only + 1, single only + 1) above one half. At .80 or more it says use panel, at .20 or less use
// single, else, and always below 30 items, inconclusive. More is then how many further items 80 % power at the two-sided 5 % level
// needs for the observed difference, or for three points if that is larger. Items beyond the shorter arm are ignored.
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

// Settled reports whether the result is inconclusive although the items would have shown any difference worth having: more items
// would most likely show that there is none.
func (r Recommendation) Settled() bool {
	return r.Choice == Inconclusive && r.Items >= fewest && statistics.Needed(r.discordance(), worthwhile) <= r.Items
}

// discordance returns the share of items on which exactly one arm is right, with one item of each kind added to the observed ones.
func (r Recommendation) discordance() float64 {
	return (float64(r.PanelOnly+r.SingleOnly) + 2) / (float64(r.Items) + 4)
}

// more returns how many further items an answer needs. It uses the discordance with added items, so that a short run does not count
// as proof that the arms never differ. It is at least one: 0 would look like an answer.
func (r Recommendation) more() int {
	items := float64(r.Items)
	difference := math.Abs(float64(r.PanelOnly-r.SingleOnly)) / max(1, items)
	return max(1, fewest-r.Items, statistics.Needed(r.discordance(), max(worthwhile, difference))-r.Items)
}
