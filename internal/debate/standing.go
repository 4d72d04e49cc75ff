package debate

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// refuted reports whether checks refuted a claim.
func (res Result) refuted(c ClaimResult) bool {
	// The combined result of the checks counts, not a single no among them.
	if ratio, _ := res.Weight(c); res.Rules.Cases && ratio != 1 {
		return ratio < 1
	}
	return slices.ContainsFunc(res.Checks, func(k verdict.Check) bool {
		return slices.Contains(c.Checks, k.ID) && k.Result == verdict.Fail && (k.By == "" || !res.Rules.Cases)
	})
}

// Weight returns the ratio by which a claim moved its option, and the check that settled it; 1: it moved nothing.
func (res Result) Weight(c ClaimResult) (ratio float64, by string) {
	ratio = 1
	for _, k := range res.Checks {
		if !slices.Contains(c.Checks, k.ID) || c.Vetoed != "" || k.Ratio <= 0 {
			continue
		}
		switch {
		case res.Rules.Cases: // each judgement has the claim's ratio up to then
			ratio, by = k.Ratio, k.ID
		case k.Ratio != 1:
			ratio, by = ratio*k.Ratio, k.ID
		}
	}
	return ratio, by
}

// remarks returns the notes that a reader of the result needs. It omits that a seat was refused if the seat's result says more: a
// lost seat has its reason, and one that was asked after all has answered.
func (res Result) remarks(notes []ruling.Note, seats []table.Seat) []string {
	out := []string{}
	for _, s := range seats {
		if s.Open != "" {
			out = append(out, s.ID+": "+s.Open)
		}
	}
	for _, n := range notes {
		id, refused := strings.CutPrefix(n.Key, refusedNote)
		if refused && slices.ContainsFunc(res.Seats, func(s SeatResult) bool { return s.ID == id && s.Status != Spared }) {
			continue
		}
		out = append(out, n.Text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
