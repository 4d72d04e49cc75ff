package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

func newTreePrune(a *app) *cobra.Command {
	var older string
	var dry bool
	c := &cobra.Command{Use: "prune [--older-than AGE]", Short: "Drop old states of files, which take room on the disk", Args: cobra.NoArgs,
		Long: `Before and after an agent changes files, their state is kept, so that undo, back --files and
switch --files can bring it back. This drops the states that no tree refers to any more and,
with --older-than, those that are older. Of each folder the newest stays, and so do those of the
last hour. Trees and the files themselves are left alone.`,
		Example: `  socrates tree prune --dry-run
  socrates tree prune --older-than 12w`}
	c.Flags().StringVar(&older, "older-than", "", "also those that trees refer to, if they are older than an `age`: a number and d, w, h or m")
	c.Flags().BoolVar(&dry, "dry-run", false, "only list what would be dropped")
	c.RunE = func(c *cobra.Command, _ []string) error {
		age := time.Duration(-1)
		if c.Flags().Changed("older-than") {
			var err error
			if age, err = call.ParseAge(older); err != nil {
				return err
			}
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		all, err := e.PruneFiles(c.Context(), age, dry)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(map[string]any{"dry_run": dry, "folders": all})
		}
		dropped := 0
		for _, p := range all {
			switch dropped += p.Dropped; {
			case p.Gone:
				fmt.Fprintf(a.Out, "%s\n  is not there any more; what is kept of it stays\n", p.Folder)
			case dry:
				fmt.Fprintf(a.Out, "%s\n  %d of %d states, which take %s in all\n", p.Folder, p.Dropped, p.Dropped+p.Kept,
					megabytes(p.Bytes))
			default:
				fmt.Fprintf(a.Out, "%s\n  %d of %d states, %s of %s\n", p.Folder, p.Dropped, p.Dropped+p.Kept, megabytes(p.Bytes-p.After),
					megabytes(p.Bytes))
			}
		}
		switch {
		case dropped == 0:
			a.Out.Tell("There is nothing to drop.\n")
		case dry:
			a.Out.Tell(fmt.Sprintf("Without --dry-run %s would be dropped: --files could not bring them back any more.\n", states(dropped)))
		default:
			a.Out.Tell(fmt.Sprintf("Dropped %s.\n", states(dropped)))
		}
		return nil
	}
	return c
}

func states(n int) string {
	if n == 1 {
		return "1 state"
	}
	return fmt.Sprintf("%d states", n)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(max(n, 0))/(1<<20)) }
