// Package panel holds the command that reports how a person's panels did on questions with known answers.
//
// It reads what internal/learn has gathered and computes nothing of its own, so it shows what debates use. It exits
// with 0, also if nothing was learned yet.
package panel

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/out"
)

// Command returns the command panel.
func Command(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "panel", Short: "Report how often each model was right, and what it adds",
		Long: `Count only questions whose right answer is known, from socrates decisions outcome and from the keys
of evaluations. Nothing is learned from votes, verdicts or silence. Recent outcomes count more:
one that is half a year old counts half. Intervals are 95 %.`,
		Example: "  socrates panel\n  socrates panel --output json", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			known, err := rooms.In(e).Knowledge(c.Context())
			if err != nil {
				return err
			}
			p := known.Report()
			if a.Out.Format != "text" {
				return a.Out.JSON(p)
			}
			if p.Outcomes == 0 {
				a.Out.Tell("No outcomes yet. Record one: socrates decisions outcome ROOM right|wrong|OPTION\n")
				judges(a.Out, p)
				return nil
			}
			write(a.Out, p)
			return nil
		}}
}

// judges shows how reliable the judgements of models are, as control runs or outcomes have measured it.
func judges(w io.Writer, p learn.Panel) {
	for _, j := range p.Judges {
		if j.Ratio != nil {
			fmt.Fprintf(w, "\nas a judge of %s evidence, %s accepts %s of true and %s of false evidence:\n"+
				"  its judgement counts %.1f:1 for and 1:%.1f against\n",
				j.Grade, j.Model, share(j.Accepts), share(j.Fooled), j.Ratio.Pass, 1/j.Ratio.Fail)
		}
	}
}

// write prints the report as a table. Models with too few measurements to count are listed at the end, with what is
// missing.
func write(w io.Writer, p learn.Panel) {
	fmt.Fprintf(w, "%s whose answer is known", out.Count(p.Outcomes, "question"))
	if p.Decided > 0 {
		fmt.Fprintf(w, "; the panel's answer was right in %s of %d", share(p.Right), p.Decided)
	}
	fmt.Fprintf(w, "\n\n%-28s %5s  %-19s %-9s %-22s %s\n", "model", "votes", "right", "counts", "adds to majority", "USD each")
	for _, m := range p.Models {
		fmt.Fprintf(w, "%-28s %5d  %-19s %-9s %-22s %.4f\n", m.Model, m.Votes, share(m.Right), counts(m), adds(m), m.USD)
		for _, kind := range slices.Sorted(maps.Keys(m.ByKind)) {
			fmt.Fprintf(w, "  on %-23s        %s\n", kind+" questions", share(m.ByKind[kind]))
		}
		if m.Advice != "" {
			fmt.Fprintf(w, "  %s\n", m.Advice)
		}
	}
	for _, e := range p.Pairs {
		if e.Counts {
			fmt.Fprintf(w, "\n%s and %s err together (correlation %.2f [%.2f, %.2f], counted as %.2f):\n  their votes for one answer "+
				"count for less\n",
				e.Lineages[0], e.Lineages[1], e.Correlation.Value, e.Correlation.Low, e.Correlation.High, e.Counted)
		}
	}
	judges(w, p)
	if c := p.Calibrated; c != nil {
		fmt.Fprintf(w, "\nprobabilities are calibrated on %d outcomes; before, stated and real chance\n  differed by %.0f points [%.0f, "+
			"%.0f] on average\n",
			c.N, 100*c.Error.Value, 100*c.Error.Low, 100*c.Error.High)
	}
	if len(p.Lacks) > 0 {
		fmt.Fprintf(w, "\nToo little data, so nothing changed yet:\n  %s\n", strings.Join(p.Lacks, "\n  "))
	}
}

// counts formats the weight of the model's vote; default: too few outcomes.
func counts(m learn.Member) string {
	if m.Counts == 0 {
		return "default"
	}
	return fmt.Sprintf("%.2f", m.Counts)
}

// leastCompared is the number of questions from which on an interval of what a model adds means anything.
const leastCompared = 10

// adds formats by how many points the majority is better with the model than without it.
func adds(m learn.Member) string {
	switch {
	case m.Compared == 0:
		return "-"
	case m.Compared < leastCompared:
		return "too few questions"
	}
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", 100*m.Adds.Value, 100*m.Adds.Low, 100*m.Adds.High)
}

// share formats a share in percent with its interval.
func share(i statistics.Interval) string {
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*i.Value, 100*i.Low, 100*i.High)
}
