package roompage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// sheet draws the result of a debate.
type sheet struct{ *standing }

// gates describe the gate of a decision.
var gates = map[string]string{"proceed": "proceed", "evidence": "get more evidence, then decide", "person": "your call",
	"degraded": "decided by fewer seats"}

// verdict draws the decision, final or preliminary, and why, to be read at a glance: the options with their
// supporters, the results of checks, the most disputed claim, and what follows.
func (sh *sheet) verdict(w int) (out []string) {
	t, res := sh.d.Theme, sh.scene.Result()
	row := func(ink theme.Ink, text string) {
		out = append(out, " "+ink.On(line.Clip(line.One(sh.d.Clean(text)), w-2)))
	}
	head, ink := res.Outcome.Words(res.Blocked), t.Warn
	if res.Rehearsal {
		head = "rehearsal"
	}
	if res.Outcome.Decision() {
		head, ink = res.Winner+": "+sh.optionText(res.Winner)+" – "+head, t.Good
	}
	if !res.Ended {
		head, ink = "So far: "+head, t.Dim
	}
	for _, l := range line.Wrap(line.One(sh.d.Clean(head)), w-2) {
		out = append(out, " "+ink.And(theme.Bold).On(l))
	}
	why := res.Why
	if res.Outcome == verdict.Ruled {
		why = strings.Join(document.Of(res).Call.Reasons, "; ")
	}
	if g := gates[res.Gate]; g != "" && res.Outcome.Decision() && res.Outcome != verdict.Ruled {
		why += " · next: " + g
		if doubts := document.Of(res).Call.Reasons; res.Gate == "person" && len(doubts) > 0 && !res.Rehearsal {
			why += ": " + strings.Join(doubts, "; ")
		} else if res.Gate == "person" && res.Score.Value < res.Rules.Person && !res.Rules.Cases {
			why += fmt.Sprintf(" (score below %.2f)", res.Rules.Person)
		}
	}
	for _, l := range line.Wrap(line.One(sh.d.Clean(why)), w-2) {
		out = append(out, " "+t.Dim.On(l))
	}
	out = append(out, "")
	for _, l := range sh.beliefs(res, w) {
		out = append(out, " "+l)
	}
	if missing := sh.missing(res); missing != "" {
		row(t.Warn, "missing: "+missing)
	}
	if checks := checked(res); checks != "" {
		row("", checks)
	}
	moved := func(b verdict.Belief) bool { return weighed(t, res, b.Option) != "" }
	if !t.Plain && !res.Rehearsal && slices.ContainsFunc(res.Beliefs, moved) {
		row(t.Dim, "↑ ↓: a checked claim made the option more or less likely")
	}
	if most := sh.disputed(res); most != "" {
		row("", "most disputed: "+most)
	}
	return append(out, "")
}

// beliefs draws the options, their probabilities, and their voters.
func (sh *sheet) beliefs(res debate.Result, w int) (out []string) {
	longest := 0
	for _, b := range res.Beliefs {
		longest = max(longest, line.Wide(line.One(sh.d.Clean(b.Option+" "+sh.optionText(b.Option)))))
	}
	longest = min(longest, w*2/5)
	bar := longest + 6 + min(24, max(4, w-longest-26))
	for _, b := range res.Beliefs {
		var voters []string
		for _, s := range res.Seats {
			if s.Status == verdict.Voted && s.Vote.Option == b.Option {
				voters = append(voters, s.ID)
			}
		}
		who := "nobody"
		if len(voters) > 0 {
			who = strings.Join(voters, ", ")
		}
		if len(voters) > 2 {
			who = fmt.Sprintf("%d votes: %s", len(voters), who)
		}
		if res.Rehearsal { // rules measure no probability
			out = append(out, line.Clip(line.One(sh.d.Clean(b.Option+" "+sh.optionText(b.Option)+" · "+who)), w))
			continue
		}
		who += weighed(sh.d.Theme, res, b.Option)
		out = append(out, gauge(sh.d.Theme, sh.d.Clean(b.Option+" "+sh.optionText(b.Option)), longest, b.P, bar)+"  "+
			line.Clip(line.One(sh.d.Clean(who)), max(0, w-bar-4)))
	}
	return out
}

// weighed counts the checked claims that made an option more or less likely.
func weighed(t theme.Theme, res debate.Result, option string) (out string) {
	for _, c := range res.Claims {
		ratio, _ := res.Weight(c)
		if c.Option != option || ratio == 1 {
			continue
		}
		mark := line.Sign(t, "↓", "lowered by ")
		if ratio > 1 == c.Supports {
			mark = line.Sign(t, "↑", "raised by ")
		}
		out += " " + mark + strings.ToUpper(c.ID)
	}
	if out != "" {
		out = " ·" + out
	}
	return out
}

// missing lists the seats without a vote, with the mark of each one's end.
func (sh *sheet) missing(res debate.Result) string {
	var out []string
	for _, s := range sh.scene.Seats {
		for _, r := range res.Seats {
			if r.ID == s.Info.ID && (r.Status == verdict.Failed || r.Status == verdict.NoVote || r.Status == verdict.Expelled ||
				r.Status == verdict.Left) {
				out = append(out, seatMark(s)+" "+s.Info.ID+" ("+s.State+")")
			}
		}
	}
	return strings.Join(out, ", ")
}

// checked counts the results of checks, and names the claims that failed.
func checked(res debate.Result) string {
	held, failed := 0, []string{}
	for _, k := range res.Checks {
		switch {
		case res.Rules.Cases && k.By != "": // counted below, with all judges of a claim
		case k.Result == verdict.Pass:
			held++
		case k.Result == verdict.Fail && !slices.Contains(failed, strings.ToUpper(k.Claim)):
			failed = append(failed, strings.ToUpper(k.Claim))
		}
	}
	for _, c := range res.Claims {
		if ratio, _ := res.Weight(c); res.Rules.Cases && ratio > 1 {
			held++
		} else if id := strings.ToUpper(c.ID); res.Rules.Cases && ratio < 1 && !slices.Contains(failed, id) {
			failed = append(failed, id)
		}
	}
	slices.Sort(failed)
	switch {
	case held+len(failed) == 0:
		return "checks: nothing could be checked by code"
	case len(failed) == 0:
		return fmt.Sprintf("checks: ✓ %d passed", held)
	case held == 0:
		return fmt.Sprintf("checks: ✗ %d failed (%s)", len(failed), strings.Join(failed, ", "))
	}
	return fmt.Sprintf("checks: ✓ %d passed, ✗ %d failed (%s)", held, len(failed), strings.Join(failed, ", "))
}

// disputed returns the claim that most seats object to.
func (sh *sheet) disputed(res debate.Result) string {
	most := ""
	n := 0
	for _, c := range res.Claims {
		if against := objections(c); against > n && c.Vetoed == "" {
			most, n = fmt.Sprintf("%s, %d against: %s", strings.ToUpper(c.ID), against, c.Text), against
		}
	}
	return most
}

// objections counts the seats that object to a claim.
func objections(c debate.ClaimResult) (n int) {
	for _, s := range c.Stances {
		if s.Verb == verdict.Object {
			n++
		}
	}
	return n
}

// moves draws how the probability of the leading option changed, a line for each stage.
func (sh *sheet) moves(res debate.Result, w int) (out []string) {
	t, all := sh.d.Theme, sh.scene.Moves()
	if len(all) < 2 || len(res.Beliefs) == 0 {
		return nil
	}
	leader := res.Beliefs[0].Option
	out = append(out, theme.Bold.On(line.Clip("Probability of "+leader+" by stage", w)))
	before := scene.Move{}
	for i, m := range all {
		text := gauge(t, m.After, 18, held(m, leader), min(w-12, 46))
		if i > 0 {
			text += " " + arrow(t, held(before, leader), held(m, leader))
		}
		out, before = append(out, text), m
	}
	return out
}

// held returns the probability of an option at a stage.
func held(m scene.Move, option string) float64 {
	for _, b := range m.Beliefs {
		if b.Option == option {
			return b.P
		}
	}
	return 0
}

// arrow shows the direction of a number's change, judged by the displayed digits.
func arrow(t theme.Theme, before, after float64) string {
	switch by := math.Round(after*100) - math.Round(before*100); {
	case by > 0:
		return t.Good.On(fmt.Sprintf("↑ %.2f", by/100))
	case by < 0:
		return t.Bad.On(fmt.Sprintf("↓ %.2f", -by/100))
	}
	return t.Dim.On("=")
}
