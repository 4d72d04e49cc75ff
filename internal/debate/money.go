package debate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Unpriced says why the cost is only a lower bound, or unknown; empty: it is known.
func (res Result) Unpriced() string {
	var price, failed, uncounted, asked []string
	for _, s := range res.everybody() {
		switch {
		case s.Usage.Total() > 0 && s.Usage.Source == cost.Unknown:
			price = append(price, s.ID)
		case s.asked:
			asked = append(asked, s.ID)
		case s.Usage.Least && s.Usage.Total() == 0 && s.Status != verdict.Failed:
			uncounted = append(uncounted, s.ID)
		case s.Usage.Least:
			failed = append(failed, s.ID)
		}
	}
	var out []string
	for _, why := range []struct {
		text  string
		seats []string
	}{{"no price is known for %s", price}, {"without unfinished calls of %s", asked},
		{"the cost of a failed call of %s is unknown", failed}, {"%s reported no tokens", uncounted}} {
		if len(why.seats) == 1 && strings.HasPrefix(why.text, "the cost") {
			out = append(out, "the cost of "+why.seats[0]+"'s failed call is unknown")
		} else if len(why.seats) > 0 {
			out = append(out, fmt.Sprintf(why.text, strings.Join(why.seats, ", ")))
		}
	}
	return strings.Join(out, "; ")
}

// everybody returns all seats, and the judge without one.
func (res Result) everybody() []SeatResult {
	if res.Judge == nil {
		return res.Seats
	}
	return append(slices.Clone(res.Seats), *res.Judge)
}

// Money writes the cost of a usage, or that it is not known. calls is the number of calls.
func Money(u cost.Usage, calls int) string {
	switch {
	case calls == 0:
		return "nothing"
	case u.Total() == 0 && u.USD == 0 && !u.Least:
		return "cost not reported"
	}
	return u.Money()
}
