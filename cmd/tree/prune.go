package tree

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune returns the command prune. Conversations are never pruned; a turn whose snapshot is gone can no longer be
// undone.
func newPrune(a *commands, n noun.Noun[conversation.Deleted]) *cobra.Command {
	return n.Prune(&cobra.Command{Use: "prune [--older-than AGE]", Short: "Delete old file snapshots",
		Long: `A snapshot of the files is taken before and after an agent changes them, so that undo, back
--files and switch --files can restore it. Prune deletes the snapshots that no conversation uses
and, with --older-than, older ones as well. It keeps the newest snapshot of each folder and all
of the last hour. Conversations and project files are not touched.`,
		Example: `  socrates tree prune --dry-run
  socrates tree prune --older-than 12w`},
		noun.Prunes{Older: "also delete snapshots in use older than this `age`",
			Dry: "show what would be deleted, delete nothing", Do: a.prune})
}

func (a *commands) prune(ctx context.Context, asked noun.Pruning) (done noun.Pruned, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return done, err
	}
	// A negative age means only what no conversation uses; 0 would be everything but the newest.
	all, err := conversation.In(e).PruneFiles(ctx, asked.Age, asked.Dry)
	if err != nil {
		return done, err
	}
	done.Object = map[string]any{"dry_run": asked.Dry, "folders": all}
	dropped := 0
	for _, p := range all {
		switch dropped += p.Dropped; {
		// A missing folder may be on a disk that is not mounted.
		case p.Gone:
			done.Text += fmt.Sprintf("%s\n  no longer exists; its snapshots are kept\n", p.Folder)
		case asked.Dry:
			done.Text += fmt.Sprintf("%s\n  %d of %d snapshots (%s in total)\n", p.Folder, p.Dropped, p.Dropped+p.Kept,
				call.Megabytes(p.Bytes))
		default:
			done.Text += fmt.Sprintf("%s\n  %d of %d snapshots, %s of %s\n", p.Folder, p.Dropped, p.Dropped+p.Kept,
				call.Megabytes(p.Bytes-p.After), call.Megabytes(p.Bytes))
		}
	}
	switch n := out.Count(dropped, "snapshot"); {
	case dropped == 0:
		done.Told = "Nothing to delete.\n"
	case asked.Dry:
		done.Told = fmt.Sprintf("Dry run: %s would be deleted and could no longer be restored with --files.\n", n)
	default:
		done.Told = fmt.Sprintf("Deleted %s.\n", n)
	}
	return done, nil
}
