package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newReview is the command review. --lines cuts at a whole piece, so a little more may be shown.
func newReview(a *commands) *cobra.Command {
	lines := 0
	c := &cobra.Command{Use: "review [RUN]", Short: "Review a run's changes, least proved first",
		Long: `Show the merged changes piece by piece, those that nothing vouches for first: files the step does
not name, weakened tests, changes no check can tell from the state before, code no test mentions,
and what a person approved. Tests come last. Each piece lists the claims its step answers and the
checks it passed.`,
		Example: "  socrates work review\n  socrates work review --lines 100"}
	c.Flags().IntVar(&lines, "lines", 0, "stop after about this many changed lines (0: all)")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if lines < 0 {
			return failure.Usage("--lines cannot be negative", "")
		}
		hunks, err := runs.In(e).Review(ctx, name)
		if err != nil {
			return err
		}
		total, shown := 0, 0
		for i, h := range hunks {
			// Each piece that is shown is shown whole, or its reasons would speak of what is not there.
			if total += h.Added + h.Removed; lines == 0 || shown < lines {
				shown += h.Added + h.Removed
				hunks[i].Text = a.Out.Clean(h.Text)
				continue
			}
			hunks = hunks[:i]
			break
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(hunks)
		}
		for _, h := range hunks {
			fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("%s:%d · step %s", h.File, h.Line, h.Step)))
			for _, why := range h.Reasons {
				fmt.Fprintln(a.Out, clean.Line("  ! "+why))
			}
			for _, p := range h.Claims {
				fmt.Fprintln(a.Out, clean.Line("  answers "+p))
			}
			if len(h.Checks) > 0 {
				fmt.Fprintln(a.Out, clean.Line("  passed "+strings.Join(h.Checks, "; ")))
			}
			if _, err := a.Out.Write([]byte(strings.TrimRight(h.Text, "\n") + "\n\n")); failure.Unread(err) != nil {
				return err
			}
		}
		if len(hunks) == 0 {
			a.Out.Tell("Run " + name + " has merged nothing.\n")
			return nil
		}
		a.Out.Tell(out.Count(len(hunks), "piece") + ", " + out.Count(shown, "changed line") +
			". Accept it: socrates work accept " + name + "\n")
		return nil
	})
}
