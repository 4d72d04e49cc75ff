package frame

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Estimate prints on stderr what the debate may cost, before anything is sent. The range is that of
// debate.EstimateCost, a guess. Free and unknown differ: a local model costs nothing, and the price of a model
// outside the catalogue is unknown.
func (a *Framer) Estimate(f table.Frame, contextBytes int) {
	if f.Rehearsal {
		a.Out.Tell(scheme.Of(f.Seats[0].Spec).Notice + "\n")
		return
	}
	s, _ := strategy.Find(f.Strategy)
	e := debate.EstimateCost(f, s, contextBytes)
	text := fmt.Sprintf("%d seats: %s. About %s to %s tokens", len(f.Seats), sitting(f), out.Thousands(e.Tokens),
		out.Thousands(e.Most))
	switch {
	case e.Known > 0 && e.High == 0:
		text += ", free"
	case e.Known > 0:
		text += fmt.Sprintf(", $%.3f to $%.3f", e.Low, e.High)
	}
	if e.Known > 0 && len(e.Unknown) > 0 {
		text += fmt.Sprintf(" for %d of them", e.Known)
	}
	if len(e.Unknown) > 0 {
		text += "; unknown price: " + strings.Join(e.Unknown, ", ")
	}
	if f.Limits.USD > 0 {
		text += "; the budget is $" + strconv.FormatFloat(f.Limits.USD, 'f', -1, 64)
		if len(e.Unknown) > 0 {
			text += ", which does not cover seats with an unknown price"
		}
	}
	a.Out.Tell(text + ".\n")
}

// SeatList names seats with their lineages.
func SeatList(seats []table.Seat) string {
	var ids []string
	for _, s := range seats {
		ids = append(ids, s.Title()+" ("+s.Lineage+")")
	}
	return strings.Join(ids, ", ")
}

// Enough returns an error if the limits do not pay for a panel. A seat whose price is unknown is only held to the
// token limit. A fork passes 0 for its context: the context cost of the seats it adds is not counted.
func Enough(f table.Frame, contextBytes int) error {
	s, _ := strategy.Find(f.Strategy)
	if debate.Affordable(f, contextBytes) >= min(2, s.Least) {
		return nil
	}
	return failure.New(failure.ExitLimit, "budget", "the budget of "+budget(f.Limits)+" is too small for a panel",
		"raise it, or use cheaper seats (socrates models); no model was called")
}

// budget describes the limits of a debate in words.
func budget(l table.Limits) string {
	var parts []string
	if l.USD > 0 {
		parts = append(parts, "$"+strconv.FormatFloat(l.USD, 'f', -1, 64))
	}
	if l.Tokens > 0 {
		parts = append(parts, out.Thousands(l.Tokens)+" tokens")
	}
	return strings.Join(parts, " and ")
}
