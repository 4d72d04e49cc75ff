package debate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune is the command prune.
func newPrune(a *commands, n noun.Noun[rooms.Deleted]) *cobra.Command {
	return n.Prune(&cobra.Command{Use: "prune --older-than AGE", Short: "Delete old debates",
		Long: `Delete all debates, in every project, that started longer ago than the given age, such as
30d, 8w or 12h, and their decisions. Running debates are skipped. As with rm, you can restore
them for ` + call.TrashDays + `.`,
		Example: `  socrates debate prune --older-than 30d --dry-run
  socrates debate prune --older-than 52w`},
		noun.Prunes{Older: "`age`, such as 30d, 8w, 12h or 90m", Must: true,
			Dry: "show what would be deleted, delete nothing", Do: a.prune})
}

// pruneAtOnce is how many debates one commit deletes: others can write between two commits, and each lock is an open
// file.
const pruneAtOnce = 25

// A failure in the middle leaves earlier batches deleted; they can be restored like any other.
func (a *commands) prune(ctx context.Context, asked noun.Pruning) (done noun.Pruned, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return done, err
	}
	old, running := []rooms.Info{}, []string{}
	for r, err := range rooms.In(e).Each(ctx, true) {
		if err != nil {
			return done, err
		}
		// The oldest come first.
		if time.Since(r.Started) < asked.Age { // the rest are younger still
			break
		}
		if r.Running {
			running = append(running, r.Room)
			continue
		}
		old = append(old, r)
	}
	slices.Reverse(old) // the newest first, as in every list
	for start := 0; !asked.Dry && start < len(old); start += pruneAtOnce {
		var names []string
		for _, r := range old[start:min(start+pruneAtOnce, len(old))] {
			names = append(names, r.Room)
		}
		if _, err := e.Do(ctx, rooms.Delete{Rooms: names}); err != nil {
			return done, err
		}
	}
	if !asked.Dry { // removes what has expired in the trash
		told := time.AfterFunc(time.Second, func() { a.Out.Tell("Removing debates deleted more than " + call.TrashDays + " ago…\n") })
		_, err := e.Expire(ctx)
		told.Stop()
		if err != nil {
			return done, err
		}
	}
	done.Object = map[string]any{"dry_run": asked.Dry, "deleted": old}
	for _, r := range old {
		done.Text += roomLine(rooms.Deleted{Info: r})
	}
	if len(running) > 0 {
		done.Told = "Skipped (running): " + strings.Join(running, ", ") + "\n"
	}
	switch n := out.Count(len(old), "debate"); {
	case len(old) == 0:
		done.Told += "No debates that old.\n"
	case asked.Dry:
		done.Told += "Dry run: " + n + " would be deleted. Run it without --dry-run to delete.\n"
	default:
		done.Told += "Deleted " + n + ". Restore within " + call.TrashDays + ": socrates debate restore ROOM\n"
	}
	return done, nil
}
