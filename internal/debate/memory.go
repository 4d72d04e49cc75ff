package debate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/tree"
)

const (
	mostOwn    = 7 // its own claims that a seat is reminded of
	mostOthers = 8 // and the others' claims
)

// Memory returns what a seat of a follow-up debate is told about this one: the question and the decision, its own vote and claims,
// the others' claims, and what was carried out. With an empty seat it is what a newcomer is told.
func (res Result) Memory(seat string) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		b.WriteString(clean.OneLine(fmt.Sprintf(format, args...), 400) + "\n")
	}
	asked, _ := motion.Split(res.Question)
	say("Question: %s", asked)
	for _, o := range res.Options {
		say("- option: %s", o.Text)
	}
	say("%s", res.outcomeLine())
	if i := slices.IndexFunc(res.Seats, func(s SeatResult) bool { return s.ID == seat }); i >= 0 {
		if v := res.Seats[i].Vote; v.Option != "" {
			say("You voted for %s: %s", quoted(res.option(v.Option)), cmp.Or(v.Reason, "you gave no reason"))
			if v.Flip != "" {
				say("You said what would change your mind: %s", v.Flip)
			}
		} else if v.Status == verdict.Abstained {
			say("You abstained: %s", v.Reason)
		}
		b.WriteString(res.claimList("Your claims", mostOwn, func(c ClaimResult) bool { return c.Seat == seat }))
	}
	b.WriteString(res.claimList("Claims of the others", mostOthers, func(c ClaimResult) bool { return c.Seat != seat }))
	for _, c := range res.Executed {
		say("It was carried out: %s", c.Says())
	}
	return b.String()
}

// outcomeLine returns the outcome of a debate in a line.
func (res Result) outcomeLine() string {
	if !res.Outcome.Decision() || len(res.Blocked) > 0 {
		return fmt.Sprintf("Nothing was decided (%s): %s", res.Outcome, res.Why)
	}
	line := fmt.Sprintf("Decided: %s", res.option(res.Winner))
	switch chance := res.Chance(); {
	case res.Outcome == verdict.Ruled:
		line += ", by a person"
	case chance > 0:
		line += fmt.Sprintf(", probability %.0f %%", 100*chance)
	}
	if res.NeedsPerson {
		line += "; a person was asked and has not confirmed it"
	}
	return line
}

// claimList lists the weightiest of some claims with what checks found.
func (res Result) claimList(title string, most int, which func(ClaimResult) bool) string {
	claims := slices.Clone(res.Claims)
	claims = slices.DeleteFunc(claims, func(c ClaimResult) bool { return !which(c) || c.Vetoed != "" || c.SameAs != "" })
	if len(claims) == 0 {
		return ""
	}
	slices.SortStableFunc(claims, func(a, b ClaimResult) int { return b.Impact - a.Impact })
	lines := []string{title + ":"}
	for _, c := range claims[:min(most, len(claims))] {
		way := "neutral"
		if c.Option != "" {
			way = map[bool]string{true: "for ", false: "against "}[c.Supports] + quoted(res.option(c.Option))
		}
		lines = append(lines, clean.OneLine(fmt.Sprintf("- (%s, %s) %s", way, res.found(c), c.Text), 400))
	}
	return strings.Join(lines, "\n") + "\n"
}

// Called returns the spec that seats the same seat again.
func (s SeatResult) Called() string {
	if s.Persona == "" {
		return s.Spec
	}
	return s.Spec + "@" + s.Persona
}

// quoted quotes an option's text inside a sentence: its letter would mean another option in the follow-up debate.
func quoted(option string) string { return "“" + clean.OneLine(option, 80) + "”" }

// found says in a word or two what checks found about a claim.
func (res Result) found(c ClaimResult) string {
	passed := slices.ContainsFunc(res.Checks, func(k verdict.Check) bool {
		return slices.Contains(c.Checks, k.ID) &&
			k.Result == verdict.Pass
	})
	switch {
	case res.refuted(c):
		return "refuted"
	case passed:
		return "holds"
	}
	return "not checked"
}

// since adds to the result the files that were shared and what happened after the end.
func (res *Result) since(nodes []tree.Node) {
	for _, message := range people.MessageKind.All(nodes) {
		if message.Verb == people.Share {
			res.lay(message.File)
		}
	}
	for _, a := range ruling.AfterKind.All(nodes) {
		switch {
		case a.Shared != "":
			res.lay(a.Shared)
		case a.Followed != "":
			res.Followed = append(res.Followed, a.Followed)
		default: // the last report of a run counts
			res.Executed = append(slices.DeleteFunc(res.Executed, func(o ruling.After) bool { return o.Run == a.Run }), a)
		}
	}
}

func (res *Result) lay(file string) {
	if !slices.Contains(res.Files, file) {
		res.Files = append(slices.Clone(res.Files), file)
	}
}
