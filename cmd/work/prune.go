package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune returns the command prune. Disk use is measured before anything is removed, so a dry run reports the same.
func newPrune(a *commands, n noun.Noun[runs.Deleted]) *cobra.Command {
	return n.Prune(&cobra.Command{Use: "prune", Short: "Remove unneeded workspaces and show the disk space of runs",
		Long: `Remove the workspaces of steps that were merged, skipped or started over, and what checks left
behind. A workspace that a step will continue in is kept, and so is one whose files are not all in
the run's store. Running runs are skipped. To remove a whole run: socrates work rm.`},
		noun.Prunes{Here: true, Dry: "show what would be removed, remove nothing",
			Do: func(ctx context.Context, s noun.Pruning) (noun.Pruned, error) { return prune(ctx, a, s) }})
}

func prune(ctx context.Context, a *commands, asked noun.Pruning) (done noun.Pruned, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return done, err
	}
	list, err := runs.In(e).List(ctx, asked.Dir)
	if err != nil {
		return done, err
	}
	disks := []runs.Disk{}
	for _, r := range list {
		// Its process may be about to use what looks unneeded.
		if r.Running {
			continue
		}
		d, err := runs.In(e).Disk(ctx, r.Name)
		if err == nil && !asked.Dry {
			_, err = e.Do(ctx, runs.Prune{Run: r.Name})
		}
		if err != nil {
			return done, err
		}
		disks = append(disks, d)
		done.Text += pruned(d, asked.Dry)
	}
	if done.Object = disks; len(disks) == 0 {
		done.Told = "No runs to prune.\n"
	}
	return done, nil
}

// pruned reports the disk use of a run and what was removed.
func pruned(d runs.Disk, dry bool) string {
	verb := map[bool]string{false: "removed", true: "would remove"}[dry]
	text := fmt.Sprintf("%-28s %s", d.Run, call.Megabytes(d.Bytes))
	if len(d.Spare) > 0 {
		text += fmt.Sprintf(" · %s %s, %s", verb, out.Count(len(d.Spare), "workspace"), call.Megabytes(d.Spared))
	}
	text = clean.Line(text) + "\n"
	for _, name := range d.Kept {
		text += clean.Line("  "+name+" is kept: its work is not merged") + "\n"
	}
	return text
}
