package debate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// gate says what follows from the decision, and why.
func (res Result) gate() string {
	switch {
	case res.Rules.Cases:
		return res.asked()
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

// asked is the gate since rules version 4, in words.
func (res Result) asked() string {
	switch {
	case res.Gate == verdict.GateProceed:
		return "Gate: proceed"
	case res.Outcome == verdict.Ruled:
		return "A person has decided"
	case len(res.Blocked) > 0:
		return "Your call: " + res.blocked()
	case !res.Outcome.Decision():
		return "Your call: the panel reached no decision"
	case res.Rehearsal:
		return "A person must decide, because no model took part"
	case res.Gate == verdict.GateDegraded:
		return "Decided, but " + md(res.Why)
	}
	return "Your call: " + strings.Join(res.Doubts(), "; ") + ". To settle it: socrates decisions confirm " + res.Room +
		", or overrule " + res.Room + " OPTION"
}

// Doubts are the reasons why a person is asked about a decision, a sentence each: on whom the answer hangs comes first.
func (res Result) Doubts() (out []string) {
	option := func(key string) string { return "\"" + md(oneLine(res.option(key), 80)) + "\"" }
	hinges := map[string]string{}
	for _, h := range res.Hinges {
		hinges[h.Says(nil)] = h.Says(option)
	}
	pairs, alone := 0, slices.ContainsFunc(res.Reasons, func(r verdict.Reason) bool { return r.Code == "lineage" })
	for _, r := range res.Reasons {
		text := r.Text
		if r.Code == "pair" {
			if pairs++; pairs > 1 || alone { // whom one lineage decides, two do
				continue
			}
		}
		if said, ok := hinges[text]; ok {
			text = said
		}
		out = append(out, text)
	}
	if pairs > 1 && !alone {
		more := "1 more pair holds it up likewise"
		if pairs > 2 {
			more = fmt.Sprintf("%d more pairs hold it up likewise", pairs-1)
		}
		out = append(out, more)
	}
	return out
}

// blocked says who blocks a decision, on what evidence, who affirmed it, and how a person lifts it.
func (res Result) blocked() string {
	var out []string
	for _, o := range res.Objections {
		if o.State != verdict.Blocks {
			continue
		}
		said := "an objection of " + o.Seat
		for _, c := range res.Claims {
			if c.ID != o.Claim {
				continue
			}
			said = o.Seat + " objects: " + md(oneLine(c.Text, 200))
			if e := c.Evidence; e.File != "" {
				said += fmt.Sprintf(" (%s:%d)", md(e.File), e.Line)
			} else if len(e.Command) > 0 {
				said += " (" + md(strings.Join(e.Command, " ")) + ")"
			}
		}
		out = append(out, fmt.Sprintf("%s; affirmed by %s. Lift it: socrates debate tell %s \"/veto %s REASON\"", said,
			strings.Join(o.Yes, " and "), res.Room, o.Claim))
	}
	return strings.Join(out, "; ")
}
