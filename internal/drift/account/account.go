// Package account reports the state of a project's decisions today: whether the evidence of each still holds, and whether the verdict
// would be the same without evidence that changed or is gone.
package account

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/out"
)

// mostWhole is the number of decisions up to which unchanged ones are listed, too.
const mostWhole = 12

// Of describes the state of decisions: each with its evidence, then a summary line. Of many decisions it lists only those with news.
// Lines are wide columns wide; 0: 80, since CI logs show them and nothing depends on a terminal.
func Of(reports []drift.Report, wide int) string {
	wide = max(40, cmp.Or(wide, 80))
	var b strings.Builder
	counts, outdated, bare := map[drift.State]int{}, 0, 0
	for _, r := range reports {
		for _, e := range r.Cites {
			counts[e.State]++
		}
		if !r.Holds {
			outdated++
		} else if !looked(r) {
			bare++
		}
		if len(news(r)) > 0 || !r.Holds || len(reports) <= mostWhole {
			b.WriteString(reportText(r, wide))
		}
	}
	came := "all hold"
	switch {
	case outdated > 0:
		came = fmt.Sprintf("%d to revisit", outdated)
	case bare == len(reports):
		came = "no evidence to check"
	case bare > 0:
		came = fmt.Sprintf("%d without evidence to check, all others hold", bare)
	}
	fmt.Fprintf(&b, "\n  %d checked · %s", len(reports), came)
	if found := counted(counts); found != "" {
		b.WriteString(" · evidence: " + found)
	}
	b.WriteByte('\n')
	return b.String()
}

// Short describes the state of one decision in a sentence.
func Short(r drift.Report) string {
	_, word := stands(r)
	counts := map[drift.State]int{}
	for _, e := range r.Cites {
		counts[e.State]++
	}
	if found := counted(counts); found != "" {
		word += " (evidence: " + found + ")"
	}
	return word
}

// Skipped counts the commands that were not run.
func Skipped(reports []drift.Report) (n int) {
	for _, r := range reports {
		for _, e := range r.Cites {
			if e.State == drift.Unchecked && len(e.Command) > 0 {
				n++
			}
		}
	}
	return n
}

// counted lists how many pieces of evidence are in which state; empty: there are none.
func counted(counts map[drift.State]int) string {
	var found []string
	for _, one := range []struct {
		state drift.State
		word  string
	}{{drift.True, "unchanged"}, {drift.Moved, "moved"}, {drift.Changed, "changed"}, {drift.Gone, "gone"},
		{drift.Unchecked, "not checked"}} {
		if text := said(counts[one.state], one.word); text != "" {
			found = append(found, text)
		}
	}
	return strings.Join(found, ", ")
}

// looked reports whether any of a decision's evidence was checked.
func looked(r drift.Report) bool {
	return slices.ContainsFunc(r.Cites, func(e drift.Cite) bool { return e.State != drift.Unchecked })
}

// said returns a number with a word, such as "2 moved"; empty: the number is 0.
func said(n int, are string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, are)
}

// news returns the evidence that moved, changed or is gone.
func news(r drift.Report) (out []drift.Cite) {
	for _, e := range r.Cites {
		if e.State != drift.True && e.State != drift.Unchecked {
			out = append(out, e)
		}
	}
	return out
}

// reportText describes one decision: its answer, its state, and the evidence that is no longer the same.
func reportText(r drift.Report, wide int) string {
	mark, word := stands(r)
	var b strings.Builder
	title := out.Clip(out.OneLine(cmp.Or(r.Chosen, r.Before.Option, r.Question)), max(8, wide-4-len(word)))
	fmt.Fprintf(&b, "%s %s%*s\n", mark, title, wide-2-out.Wide([]rune(title)), word)
	if all := news(r); len(all) > 0 || !r.Holds {
		fmt.Fprintf(&b, "    %s\n", out.Clip(out.OneLine(r.Question), wide-6))
		if r.File != "" {
			fmt.Fprintf(&b, "    %s\n", r.File)
		}
		for _, e := range all {
			b.WriteString(citeText(r, e, wide))
		}
	} else if said := unchanged(r); said != "" {
		fmt.Fprintf(&b, "    %s\n", said)
	}
	b.WriteString(blockText(r))
	if r.Holds {
		if slices.ContainsFunc(news(r), func(e drift.Cite) bool { return e.State != drift.Moved }) {
			b.WriteString("    the verdict is the same without the evidence that changed\n")
		}
		return b.String()
	}
	if was, now := standingText(r.Before), standingText(r.After); was != now {
		fmt.Fprintf(&b, "    was %s\n    now %s\n", was, now)
	} else if slices.Contains(r.Changes, "evidence") {
		b.WriteString("    only votes remain: all evidence for the answer has changed\n")
	}
	if r.Chosen != "" {
		fmt.Fprintf(&b, "    a person chose %s\n", out.Clip(out.OneLine(r.Chosen), 60))
	}
	fmt.Fprintf(&b, "    next: socrates decisions revisit %s\n", r.Room)
	return b.String()
}

// stands returns the state of a decision as a mark and in words. The most important change comes first: a block, the answer, the
// evidence, the gate.
func stands(r drift.Report) (mark, word string) {
	switch {
	case slices.Contains(r.Changes, "block"):
		return "✗", "block no longer holds"
	case slices.Contains(r.Changes, "winner"):
		return "✗", "answer no longer holds"
	case slices.Contains(r.Changes, "evidence") && len(r.Changes) == 1:
		return "✗", "no evidence left"
	case !r.Holds && r.After.Gate == verdict.GatePerson:
		return "✗", "now needs your call"
	case !r.Holds:
		return "✗", "gate changed"
	case !looked(r):
		return "–", "nothing to check"
	case len(r.Before.Blocked) > 0:
		return "!", "still blocked"
	case len(news(r)) > 0:
		return "!", "still holds"
	}
	return "✓", "holds"
}

// unchanged counts the evidence of a decision without news.
func unchanged(r drift.Report) string {
	quotes, commands, skipped := 0, 0, 0
	for _, e := range r.Cites {
		switch {
		case e.State == drift.Unchecked:
			skipped++
		case len(e.Command) > 0:
			commands++
		default:
			quotes++
		}
	}
	parts := []string{count(quotes, "quote", "unchanged"), count(commands, "command", "unchanged"), said(skipped, "not checked")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// count returns a number with a noun and a word, such as "2 quotes unchanged"; empty: the number is 0.
func count(n int, what, are string) string {
	if n != 1 {
		what += "s"
	}
	return said(n, what+" "+are)
}

// blockText says who blocks a decision, on what evidence, who affirmed it, and which command lifts the block.
func blockText(r drift.Report) (text string) {
	for _, e := range r.Cites {
		if len(e.Affirmed) == 0 {
			continue
		}
		at := cmp.Or(strings.Join(e.Command, " "), fmt.Sprintf("%s:%d", e.File, e.Line))
		text += fmt.Sprintf("    blocked by %s: %s\n    (%s, %s); affirmed by %s\n", e.Seat, out.Clip(out.OneLine(e.Text), 60), e.Claim,
			out.Clip(at, 30), strings.Join(e.Affirmed, " and "))
		text += fmt.Sprintf("    lift it: socrates debate tell %s \"/veto %s REASON\"\n", r.Room, e.Claim)
	}
	return text
}

// citeText describes changed evidence: the claim and its place, the quote, the commit that removed it and its weight. Evidence that
// only moved takes one line, since it changes nothing about the decision.
func citeText(r drift.Report, e drift.Cite, wide int) string {
	at := fmt.Sprintf("%s:%d", e.File, e.Line)
	if len(e.Command) > 0 {
		at = strings.Join(e.Command, " ")
	}
	if e.Now != nil {
		return fmt.Sprintf("    %s moved: %s → %s:%d\n", e.Claim, at, e.Now.File, e.Now.Line)
	}
	at = out.Clip(at, wide/2)
	side := "for"
	if !e.For {
		side = "against"
	}
	claim := out.Clip(out.OneLine(e.Claim+" "+e.Text), wide-8-out.Wide([]rune(at)))
	text := fmt.Sprintf("    %s%*s\n", claim, wide-4-out.Wide([]rune(claim)), at)
	if e.Quote != "" {
		text += "    − " + out.Clip(out.OneLine(e.Quote), wide-8) + "\n"
	}
	by := ""
	if e.Commit != nil {
		by = fmt.Sprintf(" by %.12s, %s: %s", e.Commit.Hash, e.Commit.Date, out.Clip(out.OneLine(e.Commit.Subject), 36))
	} else if e.Says != "" {
		by = ": " + out.Clip(out.OneLine(e.Says), 60)
	}
	text += fmt.Sprintf("    %s%s\n", e.State, by)
	return text + fmt.Sprintf("    said by %s %s \"%s\", %s\n", e.Seat, side, out.Clip(out.OneLine(e.Option), 30), weightText(r, e))
}

// weightText says what a piece of evidence weighed, in percentage points of the answer's probability as the decision's page shows it.
func weightText(r drift.Report, e drift.Cite) string {
	points := func(p float64) int { return int(math.Round(100 * p)) }
	switch w := points(e.Weight); {
	case e.Ratio == 1:
		return "carried no weight"
	case w > 0:
		return fmt.Sprintf("weight %d of %d points", w, points(r.Before.P))
	case w < 0:
		return fmt.Sprintf("weighed %d points against the answer", -w)
	}
	return "weight below 1 point"
}

// standingText describes a verdict briefly.
func standingText(s drift.Standing) string {
	switch {
	case len(s.Blocked) > 0, s.Key == "":
		return s.Outcome.Words(s.Blocked)
	}
	call := ""
	if s.Gate == verdict.GatePerson {
		call = ", your call"
	}
	return fmt.Sprintf("%s, %s%s", out.Clip(out.OneLine(s.Option), 44), document.Odds(s.P), call)
}
