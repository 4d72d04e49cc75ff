package door

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// decisionText says what a debate came to, the decision first: whoever cuts it cuts details.
func decisionText(res debate.Result, notes []string) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	verdictLines(p, res)
	dissentLines(p, res)
	claimLines(p, res)
	if flips := res.Digest().Flip; len(flips) > 0 {
		p("\nWould change it:\n")
		for _, f := range first(flips, 3) {
			p("- %s\n", flat(f, 240))
		}
	}
	cost := fmt.Sprintf("$%.2f", res.Cost.USD)
	if len(res.Cost.Unknown) > 0 {
		cost = "at least " + cost
	}
	p("\nSpent: %s, %d tokens, %d s.\n", cost, res.Tokens.Total(), res.DurationMS/1000)
	for _, n := range notes {
		p("Note: %s\n", flat(n, 200))
	}
	p("Whole record: decision_show %[1]s, or in a terminal: socrates debate show %[1]s --explain\n", res.Room)
	p("Verify it: socrates verify %s --sha256 %.12s\n", res.Room, res.Record)
	return b.String()
}

type printer func(format string, args ...any)

// verdictLines say what was decided, how sure that is, and what a reader must not overlook.
func verdictLines(p printer, res debate.Result) {
	switch {
	case res.Outcome.Decision():
		p("DECISION: %s: %s\n", res.Winner, flat(option(res, res.Winner), 300))
	default:
		p("NO DECISION: %s\n", res.Outcome)
	}
	p("Why: %s.\n", flat(res.Why, 400))
	if c := chance(res); c > 0 {
		p("Confidence: %s, %.0f %% (score %.2f)\n", word(c), c*100, res.Score.Value)
	} else if res.Outcome.Decision() && res.Ruling == nil {
		p("Confidence: none can be given (score %.2f)\n", res.Score.Value)
	}
	if res.Rehearsal && len(res.Seats) > 0 {
		p("%s\n", debate.Notice(res.Seats[0].Spec))
	}
	gone := missing(res)
	for _, s := range first(gone, 4) {
		p("Missing: %s (%s: %s). This is not the whole panel.\n", s.ID, s.Status, flat(s.Reason, 160))
	}
	if len(gone) > 4 {
		p("Missing: %d more seats.\n", len(gone)-4)
	}
	if asksPerson(res) {
		p("A person decides: %s.\n", flat(strings.Join(document.Of(res).Call.Reasons, "; "), 600))
		p("%s\n", howToDecide(res))
	}
}

// missing are the seats that should have voted and did not.
func missing(res debate.Result) (out []debate.SeatResult) {
	for _, s := range res.Seats {
		if s.Status != verdict.Voted && s.Status != verdict.Abstained && s.Status != debate.Spared {
			out = append(out, s)
		}
	}
	return out
}

// howToDecide is what a person types to decide.
func howToDecide(res debate.Result) string {
	if len(res.Blocked) > 0 {
		return fmt.Sprintf("They lift a blocking objection with: socrates debate tell %s \"/veto %s REASON\"", res.Room, res.Blocked[0])
	}
	if res.Outcome.Decision() {
		return fmt.Sprintf("They type: socrates decisions confirm %[1]s, or: socrates decisions overrule %[1]s OPTION", res.Room)
	}
	return fmt.Sprintf("They type: socrates decisions overrule %s OPTION", res.Room)
}

// word is a probability as people say it.
func word(p float64) string {
	switch {
	case p >= .90:
		return "very likely"
	case p >= .75:
		return "likely"
	case p >= .55:
		return "leaning"
	}
	return "toss-up"
}

func dissentLines(p printer, res debate.Result) {
	p("\nDissent:\n")
	d := res.Dissent
	switch {
	case res.Outcome == verdict.Tie && d.Option == "":
		p("- the options are level: each is the other's dissent\n")
		return
	case d.Option == "":
		p("- none: no seat voted or argued for another option\n")
		return
	}
	who := "no seat voted for it"
	if len(d.Seats) > 0 {
		who = strings.Join(d.Seats, ", ")
	}
	p("- for %s: %s (%s)\n", d.Option, flat(option(res, d.Option), 200), who)
	for _, c := range first(distinct(dissenting(res)), 5) {
		p("- %s: \"%s\" [%s]\n", c.Seat, flat(c.Text, 300), standing(res, c))
	}
}

// claimLines are what speaks for the winner, what was verified first.
func claimLines(p printer, res debate.Result) {
	var all []debate.ClaimResult
	for _, c := range res.Claims {
		if c.Option == res.Winner && c.Supports && res.Winner != "" && c.SameAs == "" && c.Vetoed == "" && standing(res, c) != refuted {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b debate.ClaimResult) int {
		if va, vb := standing(res, a) == verified, standing(res, b) == verified; va != vb {
			return map[bool]int{true: -1, false: 1}[va]
		}
		return b.Impact - a.Impact
	})
	p("\nFor it:\n")
	for _, c := range first(distinct(all), 5) {
		p("- %s: \"%s\" [%s]\n", c.Seat, flat(c.Text, 300), standing(res, c))
	}
}

// distinct leaves out what a seat said before in the same words.
func distinct(claims []debate.ClaimResult) (out []debate.ClaimResult) {
	for _, c := range claims {
		if !slices.ContainsFunc(out, func(o debate.ClaimResult) bool { return o.Seat == c.Seat && o.Text == c.Text }) {
			out = append(out, c)
		}
	}
	return out
}

const (
	verified = "verified"
	refuted  = "refuted"
)

// standing is what checks came to of a claim.
func standing(res debate.Result, c debate.ClaimResult) string {
	switch ratio, _ := res.Weight(c); {
	case ratio > 1:
		return verified
	case ratio < 1:
		return refuted
	}
	return "not verified"
}

func first[T any](s []T, n int) []T { return s[:min(n, len(s))] }

// flat is a text in one line of at most n bytes.
func flat(s string, n int) string {
	return clip(strings.TrimRight(strings.Join(strings.Fields(s), " "), "."), n)
}
