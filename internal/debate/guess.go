package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// guess is a seat's estimate as it writes it.
type guess struct {
	Value   float64     `json:"value"`
	Low     float64     `json:"low"`
	High    float64     `json:"high"`
	Unit    string      `json:"unit"`
	Because string      `json:"because"`
	Claims  []wireClaim `json:"claims"`
}

// abstains reports whether the seat says that it cannot know the number.
func (g guess) abstains() bool { return strings.EqualFold(g.Unit, abstainWord) }

// parseGuess reads an estimate. unit is the unit of the other estimates; empty: there are none yet.
func parseGuess(text string, unit string) (any, error) {
	g, err := form.Object[guess](text, "value")
	if err != nil {
		return g, err
	}
	g.Unit, g.Because, g.Claims = clean.OneLine(g.Unit, 40), clean.OneLine(g.Because, table.MaxClaim), withWords(g.Claims)
	switch {
	case g.abstains():
	case math.IsNaN(g.Value) || math.IsInf(g.Value, 0):
		return g, errors.New(`"value" is not a number`)
	case !(g.Low <= g.Value && g.Value <= g.High):
		return g, errors.New(`"value" is not between "low" and "high"`)
	case unit != "" && unitOf(g.Unit) != unitOf(unit):
		return g, fmt.Errorf(`"unit" is %q; the others estimate in %q`, g.Unit, unit)
	}
	return g, nil
}

// Estimate asks the seats for a number, blind in round 0, in later ones with the distribution of the last estimates. It returns the
// new distribution; false: nobody estimated. Cover makes the room's options from the estimates.
func (r *Room) Estimate(ctx context.Context, round int) (verdict.Quartiles, bool, error) {
	r.ledger.Options = nil
	next, err := r.talks.estimate(ctx, round, r.talks.guesses)
	if err != nil || len(next) == 0 {
		return verdict.Quartiles{}, false, err
	}
	q := quartiles(round, next)
	r.talks.guesses, r.ledger.Estimates = next, append(r.ledger.Estimates, q)
	return q, true, nil
}

// estimate asks for one round of estimates. A seat that fails keeps its last one.
func (ts *talks) estimate(ctx context.Context, round int, last map[string]guess) (map[string]guess, error) {
	unit := ""
	if n := len(ts.ledger.Estimates); n > 0 {
		unit = ts.ledger.Estimates[n-1].Unit
	}
	prompt := func(s Seat) Prompt {
		promptText := ""
		if len(ts.room.asks.memory[s.Info.ID]) == 0 {
			promptText = ts.room.opening(s.Info)
		}
		task := page(estimatePage)
		if round > 0 {
			promptText += block("estimates", ts.ledger.distribution(last)) + "\n"
			task = page(reestimatePage) + "\n\n" + task
		}
		task = strings.ReplaceAll(task, "{{claims}}", strconv.Itoa(ts.room.Frame.Limits.MostClaims()))
		return Prompt{Prompt: promptText + block("task", task), Schema: form.Schema[guess](guessValues()), Reads: true,
			Parse: func(text string) (any, error) { return parseGuess(text, unit) }}
	}
	turns, err := ts.room.Ask(ctx, exchange.Guess, fmt.Sprint(round), prompt, ts.room.Present(ts.room.Seats...)...)
	if err != nil {
		return nil, err
	}
	out := map[string]guess{}
	for _, t := range turns {
		g, ok := t.parsed.(guess)
		if ok && g.abstains() {
			t.Reason = g.Because
		}
		if t.State != exchange.Answered || !ok || g.abstains() {
			ts.absent[t.Seat] = t
			continue
		}
		for _, w := range g.Claims[:min(len(g.Claims), ts.room.Frame.Limits.MostClaims())] {
			if w.Option = ""; ts.ledger.repeats(t.Seat, w) == "" {
				c := ts.ledger.addClaim(t.Seat, w, nil, "", round)
				c.Put = true
			}
		}
		out[t.Seat] = g
	}
	for _, seat := range sortedKeys(last) { // a seat that fails now keeps its last estimate
		if gone, ok := ts.absent[seat]; ok {
			out[seat] = last[seat]
			text := seat + " did not estimate again (" + string(gone.State) + ": " + gone.Reason + "); its last estimate still counts"
			if err := ts.room.journal.note(ctx, "carried/"+seat, text); err != nil {
				return nil, err
			}
		}
	}
	return sameUnit(out), ts.room.checker.matchQuotes(ctx)
}

// sameUnit keeps the estimates in the unit most seats use: a number in another unit is no estimate of the same thing. Seats that used
// another are told the unit in the next round.
func sameUnit(all map[string]guess) map[string]guess {
	count, best := map[string]int{}, ""
	for _, seat := range sortedKeys(all) {
		u := unitOf(all[seat].Unit)
		if count[u]++; best == "" && count[u] == 1 || count[u] > count[best] {
			best = u
		}
	}
	for _, seat := range sortedKeys(all) {
		if unitOf(all[seat].Unit) != best {
			delete(all, seat)
		}
	}
	return all
}

// unitOf reduces the spellings of a unit to one word.
func unitOf(s string) string {
	s = motion.Plain(s)
	if short, ok := map[string]string{"s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day",
		"w": "week", "wk": "week", "mo": "month", "y": "year", "yr": "year", "loc": "line"}[s]; ok {
		return short
	}
	return strings.TrimSuffix(s, "s")
}

// quartiles computes the quartiles of a round's estimates. all has at least one.
func quartiles(round int, all map[string]guess) verdict.Quartiles {
	q := verdict.Quartiles{Round: round, Values: map[string]float64{}}
	var values []float64
	for _, seat := range sortedKeys(all) {
		q.Unit = all[seat].Unit
		q.Values[seat] = all[seat].Value
		values = append(values, all[seat].Value)
	}
	slices.Sort(values)
	at := func(p float64) float64 {
		h := p * float64(len(values)-1)
		i := int(h)
		if i+1 >= len(values) {
			return values[i]
		}
		return values[i] + (h-float64(i))*(values[i+1]-values[i])
	}
	q.Low, q.Median, q.High = at(.25), at(.5), at(.75)
	return q
}

// distribution describes how the last estimates lie, with the reasons of those outside the middle half, without names.
func (l *tally) distribution(last map[string]guess) string {
	q := l.Estimates[len(l.Estimates)-1]
	var b strings.Builder
	fmt.Fprintf(&b, "median %s, middle half %s to %s (%s)\n", number(q.Median), number(q.Low), number(q.High), q.Unit)
	for _, seat := range sortedKeys(last) {
		if g := last[seat]; g.Value < q.Low || g.Value > q.High || len(last) < 4 {
			fmt.Fprintf(&b, "%s: %s\n", number(g.Value), mustJSON(g.Because))
		}
	}
	return b.String()
}

// Cover turns the last estimates into votes: a seat whose own range covers the median votes for it. Every other seat votes for its
// own value, alone: seats that differ from the median do not agree with each other.
func (r *Room) Cover(ctx context.Context) error {
	last := r.talks.guesses
	var median float64
	texts := []string{}
	if n := len(r.ledger.Estimates); n > 0 {
		q := r.ledger.Estimates[n-1]
		median = q.Median
		texts = append(texts, fmt.Sprintf("%s %s (middle half %s to %s)", number(q.Median), q.Unit, number(q.Low), number(q.High)))
	}
	for _, seat := range sortedKeys(last) {
		if g := last[seat]; !g.covers(median) && len(texts) < motion.MaxOptions {
			texts = append(texts, number(g.Value)+" "+g.Unit)
		}
	}
	r.ledger.Options = motion.Letters(texts)
	for _, s := range r.Seats {
		v := verdict.Vote{Seat: s.Info.ID, Lineage: s.Info.Lineage, Accuracy: s.Info.Accuracy}
		g, ok := last[s.Info.ID]
		gone, absent := r.talks.absent[s.Info.ID]
		switch {
		case ok:
			v.Status, v.Option = verdict.Voted, "A"
			v.Reason = fmt.Sprintf("%s, between %s and %s: %s", number(g.Value), number(g.Low), number(g.High), g.Because)
			if !g.covers(median) {
				v.Option = OptionOf(r.ledger.Ledger, number(g.Value)+" "+g.Unit)
			}
		case absent && gone.State == exchange.Answered:
			v.Status, v.Reason = verdict.Abstained, gone.Reason
		case absent && gone.State == exchange.Unusable || !absent:
			v.Status, v.Reason = verdict.NoVote, cmp.Or(gone.Reason, "its unit differs from most others'")
		case gone.State == exchange.Wrote:
			v.Status, v.Reason = verdict.Expelled, gone.Reason
		default:
			v.Status, v.Reason = verdict.Failed, gone.Reason
		}
		r.ledger.Votes = append(r.ledger.Votes, v)
	}
	return r.Snapshot(ctx)
}

// covers reports whether a value lies in a seat's own range.
func (g guess) covers(value float64) bool { return g.Low <= value && value <= g.High }

// number writes a value with six significant digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
