package tree

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune is the command prune. Conversations are never pruned; a turn whose snapshot is gone can no longer be undone.
func newPrune(a *commands) *cobra.Command {
	var older string
	var dry bool
	c := &cobra.Command{Use: "prune [--older-than AGE]", Short: "Delete old file snapshots", Args: cobra.NoArgs,
		Long: `A snapshot of the files is taken before and after an agent changes them, so that undo, back
--files and switch --files can restore it. Prune deletes the snapshots that no conversation uses
and, with --older-than, older ones as well. It keeps the newest snapshot of each folder and all
of the last hour. Conversations and project files are not touched.`,
		Example: `  socrates tree prune --dry-run
  socrates tree prune --older-than 12w`}
	c.Flags().StringVar(&older, "older-than", "", "also snapshots in use that are older than this `age`")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be deleted, delete nothing")
	c.RunE = func(c *cobra.Command, _ []string) error {
		// Negative: only what no conversation uses. 0 would be everything but the newest.
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
		all, err := conversation.In(e).PruneFiles(c.Context(), age, dry)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(map[string]any{"dry_run": dry, "folders": all})
		}
		dropped := 0
		for _, p := range all {
			switch dropped += p.Dropped; {
			// A folder that is not there may be on a disk that is not mounted.
			case p.Gone:
				fmt.Fprintf(a.Out, "%s\n  no longer exists; its snapshots are kept\n", p.Folder)
			case dry:
				fmt.Fprintf(a.Out, "%s\n  %d of %d snapshots (%s in total)\n", p.Folder, p.Dropped, p.Dropped+p.Kept,
					call.Megabytes(p.Bytes))
			default:
				fmt.Fprintf(a.Out, "%s\n  %d of %d snapshots, %s of %s\n", p.Folder, p.Dropped, p.Dropped+p.Kept,
					call.Megabytes(p.Bytes-p.After),
					call.Megabytes(p.Bytes))
			}
		}
		switch {
		case dropped == 0:
			a.Out.Tell("Nothing to delete.\n")
		case dry:
			a.Out.Tell(fmt.Sprintf("Dry run: %s would be deleted and could no longer be restored with --files.\n",
				out.Count(dropped, "snapshot")))
		default:
			a.Out.Tell(fmt.Sprintf("Deleted %s.\n", out.Count(dropped, "snapshot")))
		}
		return nil
	}
	return c
}
