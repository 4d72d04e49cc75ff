package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/mutant"
)

// newReview is the command review. --lines cuts at a whole piece, so a little more may be shown.
func newReview(a *commands) *cobra.Command {
	lines, limit := 0, time.Duration(0)
	c := &cobra.Command{Use: "review [RUN]", Short: "Review a run's changes, least proved first",
		Long: `Show the merged changes piece by piece, those that nothing vouches for first: files the step does
not name, weakened tests, lines where no check notices a fault, changes that no check can
distinguish from the previous state, code no test mentions, and changes a person approved. Tests come last. Each piece lists
the claims its step answers and the checks it passed.

Before that, for up to --faults, an operator, a number or a statement of a merged line is changed in
a clean clone, and the step's fast checks are run to see whether they notice. Results are saved and
not repeated; ctrl-C stops this and shows the review.`,
		Example: "  socrates work review\n  socrates work review --lines 100 --faults 5m"}
	c.Flags().IntVar(&lines, "lines", 0, "stop after about this many changed lines (0: all)")
	c.Flags().DurationVar(&limit, "faults", time.Minute, "time to try checks with small faults (0: none)")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if lines < 0 {
			return failure.Usage("--lines cannot be negative", "")
		}
		if limit < 0 {
			return failure.Usage("--faults cannot be negative", "")
		}
		if err := tried(ctx, a, e, name, limit); err != nil {
			return err
		}
		hunks, err := runs.In(e).Review(ctx, name)
		if err != nil {
			return err
		}
		total, shown := 0, 0
		for i, h := range hunks {
			// Each piece is shown in full, or its reasons would refer to missing lines.
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
		next := ". Accept it: socrates work accept " + name
		if _, s, err := runs.In(e).Status(ctx, name); err == nil && s.Accepted() {
			next = ". It is accepted"
		}
		a.Out.Tell(out.Count(len(hunks), "piece") + ", " + out.Count(shown, "changed line") + next + "\n")
		return nil
	})
}

// mostFaults is how many faults are tried at once; the next review continues from there.
const mostFaults = 400

// tried tests the checks of a run with faults. If that cannot be done now, the review uses what is known, and says
// so; ctrl-C ends the trying and not the review.
func tried(ctx context.Context, a *commands, e *engine.Engine, name string, limit time.Duration) error {
	if limit == 0 {
		return nil
	}
	trying, end := signal.NotifyContext(ctx, os.Interrupt)
	defer end()
	root, err := e.Do(trying, runs.Mutate{Run: name, Most: mostFaults, Limit: limit})
	if r, ok := errors.AsType[*engine.Refusal](err); ok {
		a.Out.Tell("No checks were tried: " + r.Message + ".\n")
		return nil
	}
	if err != nil {
		return err
	}
	a.Out.Tell("Trying the checks with small faults, " + limit.String() + " at most; ctrl-C shows the review now…\n")
	faults, survived := 0, 0
	for news, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			return err
		}
		if news.Node == nil {
			continue
		}
		if m, ok := work.Body(*news.Node).(mutant.Tried); ok && m.Fate != mutant.Stillborn {
			if faults++; m.Fate == mutant.Survived {
				survived++
			}
		}
	}
	if err := e.Wait(root); err != nil && trying.Err() == nil {
		return err
	}
	if faults > 0 {
		a.Out.Tell(out.Count(faults, "fault") + " tried, " + fmt.Sprint(survived) + " not noticed by any check.\n\n")
	}
	return nil
}
