package work

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune is the command prune. Disk is measured before anything is removed, so a dry run says the same.
func newPrune(a *commands) *cobra.Command {
	all, dry := false, false
	c := &cobra.Command{Use: "prune", Short: "Remove unneeded workspaces and show the disk space of runs",
		Long: `Remove the workspaces of steps that were merged, skipped or started over, and what checks left
behind. A workspace that a step will continue in is kept, and so is one whose files are not all in
the run's store. Running runs are skipped. To remove a whole run: socrates work rm.`, Args: cobra.NoArgs}
	c.Flags().BoolVar(&all, "all", false, "include all projects")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be removed, remove nothing")
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, list, err := a.recorded(c.Context(), all)
		if err != nil {
			return err
		}
		disks := []runs.Disk{}
		for _, r := range list {
			// Its process may be about to use what looks unneeded.
			if r.Running {
				continue
			}
			d, err := runs.In(e).Disk(c.Context(), r.Name)
			if err == nil && !dry {
				_, err = e.Do(c.Context(), runs.Prune{Run: r.Name})
			}
			if err != nil {
				return err
			}
			disks = append(disks, d)
		}
		return pruned(a, disks, dry)
	}
	return c
}

// pruned tells what runs took and what was removed.
func pruned(a *commands, disks []runs.Disk, dry bool) error {
	if a.Out.Format != "text" {
		return a.Out.JSON(disks)
	}
	verb := map[bool]string{false: "removed", true: "would remove"}[dry]
	for _, d := range disks {
		text := fmt.Sprintf("%-28s %s", d.Run, call.Megabytes(d.Bytes))
		if len(d.Spare) > 0 {
			text += fmt.Sprintf(" · %s %s, %s", verb, out.Count(len(d.Spare), "workspace"), call.Megabytes(d.Spared))
		}
		fmt.Fprintln(a.Out, clean.Line(text))
		for _, name := range d.Kept {
			fmt.Fprintln(a.Out, clean.Line("  "+name+" is kept: its work is not merged"))
		}
	}
	if len(disks) == 0 {
		a.Out.Tell("No runs to prune.\n")
	}
	return nil
}
