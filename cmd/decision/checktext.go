package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// checkText is what check tells a person: the decisions that changed, what moved or fell, and a line that sums up.
func checkText(c checked) string {
	var b strings.Builder
	counts, commands := map[drift.State]int{}, 0
	for _, r := range c.Decisions {
		for _, e := range r.Cites {
			if counts[e.State]++; e.State == drift.Unchecked && len(e.Command) > 0 {
				commands++
			}
		}
		b.WriteString(reportText(r))
	}
	b.WriteString(outdatedText(c))
	fmt.Fprintf(&b, "Evidence: %d still true, %d moved, %d changed, %d gone, %d not checked.\n", counts[drift.True], counts[drift.Moved],
		counts[drift.Changed], counts[drift.Gone], counts[drift.Unchecked])
	if commands > 0 {
		fmt.Fprintf(&b, "Commands not run: %d. Allow them with --allow-check; --output json says why each was not.\n", commands)
	}
	return b.String()
}

// noneText says of decisions of which none can be checked why each cannot.
func noneText(list []rooms.Decision) string {
	var rehearsals, superseded, open, bare int
	for _, d := range list {
		switch {
		case d.Rehearsal:
			rehearsals++
		case d.Superseded != nil:
			superseded++
		case d.End.ExitCode == failure.ExitPerson:
			open++
		default:
			bare++
		}
	}
	why := slices.DeleteFunc([]string{said(rehearsals, "by a rehearsal, not by models"), said(superseded, "superseded"),
		said(open, "waiting for you (socrates decisions confirm ROOM)"), said(bare, "without a record of its evidence")},
		func(s string) bool { return s == "" })
	if len(why) == 0 {
		return "No decisions to check in this project: none was made here, or none still applies.\n"
	}
	return "No decisions to check in this project: " + strings.Join(why, ", ") + ".\n"
}

// said counts decisions in a clause; empty: there are none.
func said(n int, are string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, are)
}

func outdatedText(c checked) string {
	switch {
	case c.Outdated > 0:
		return fmt.Sprintf("%d of %d decisions outdated. ", c.Outdated, c.Checked)
	case c.Checked == 1:
		return "The decision still holds. "
	}
	return fmt.Sprintf("All %d decisions still hold. ", c.Checked)
}

// reportText is one decision with all of its evidence that is not as it was; empty if all is, or cannot be told.
func reportText(r drift.Report) string {
	var lines []string
	for _, e := range r.Cites {
		if e.State != drift.True && e.State != drift.Unchecked {
			lines = append(lines, citeText(e))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	head := "holds"
	if !r.Holds {
		head = "OUTDATED"
	}
	text := fmt.Sprintf("%s  %s\n    %s\n%s", head, r.Room, out.Clip(out.OneLine(r.Question), 75), strings.Join(lines, ""))
	if r.File != "" {
		text = fmt.Sprintf("%s  %s (%s)\n    %s\n%s", head, r.File, r.Room, out.Clip(out.OneLine(r.Question), 75), strings.Join(lines, ""))
	}
	if !r.Holds {
		text += fmt.Sprintf("  Changed: %s\n    before: %s\n    now:    %s\n", strings.Join(r.Changes, " and "), standingText(r.Before),
			standingText(r.After))
		if r.Chosen != "" {
			text += "    a person chose: " + out.Clip(out.OneLine(r.Chosen), 60) + "\n"
		}
	}
	return text + "\n"
}

func citeText(e drift.Cite) string {
	what := fmt.Sprintf("%s:%d", e.File, e.Line)
	if len(e.Command) > 0 {
		what = strings.Join(e.Command, " ")
	}
	text := fmt.Sprintf("  %-8s %s\n", e.State, what)
	if e.Now != nil {
		text = fmt.Sprintf("  %-8s %s to %s:%d\n", e.State, what, e.Now.File, e.Now.Line)
	}
	if e.Quote != "" {
		text += "           " + out.Clip(out.OneLine(e.Quote), 66) + "\n"
	}
	side := "for"
	if !e.For {
		side = "against"
	}
	weight := "counts nothing"
	if e.Ratio != 1 {
		weight = fmt.Sprintf("counts %s", odds(e.Ratio))
	}
	text += fmt.Sprintf("           %s of %s %s \"%s\", %s\n", e.Claim, e.Seat, side, out.Clip(out.OneLine(e.Option), 40), weight)
	if e.Commit != nil {
		text += fmt.Sprintf("           commit %.12s %s %s\n", e.Commit.Hash, e.Commit.Date, out.Clip(out.OneLine(e.Commit.Subject), 47))
	}
	if e.Says != "" {
		text += "           " + out.Clip(out.OneLine(e.Says), 66) + "\n"
	}
	return text
}

// odds is a ratio as people say it.
func odds(ratio float64) string {
	if ratio < 1 {
		return fmt.Sprintf("1:%.3g", 1/ratio)
	}
	return fmt.Sprintf("%.3g:1", ratio)
}

func standingText(s drift.Standing) string {
	switch {
	case len(s.Blocked) > 0:
		return "blocked by " + strings.Join(s.Blocked, ", ")
	case s.Key == "":
		return fmt.Sprintf("no decision (%s)", s.Outcome)
	}
	return fmt.Sprintf("%s, %.0f %%, gate %s", s.Option, 100*s.P, s.Gate)
}
