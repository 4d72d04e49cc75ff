package debate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPrune is the command prune. The age has no default: deleting what is old is never a guess.
func newPrune(a *commands) *cobra.Command {
	var older string
	var dry bool
	c := &cobra.Command{Use: "prune --older-than AGE", Short: "Delete old debates", Args: cobra.NoArgs,
		Long: `Delete all debates, in every project, that started longer ago than the given age, such as
30d, 8w or 12h, and their decisions. Running debates are skipped. As with rm, you can restore
them for ` + call.TrashDays + `.`,
		Example: `  socrates debate prune --older-than 30d --dry-run
  socrates debate prune --older-than 52w`}
	c.Flags().StringVar(&older, "older-than", "", "`age`, such as 30d, 8w, 12h or 90m")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be deleted, delete nothing")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if older == "" {
			return failure.Usage("no age given", "for example: socrates debate prune --older-than 30d --dry-run")
		}
		age, err := call.ParseAge(older)
		if err != nil {
			return err
		}
		return a.prune(c.Context(), age, dry)
	}
	return c
}

// pruneAtOnce is how many debates one commit deletes: others can write between two, and a lock is an open file.
const pruneAtOnce = 25

// A failure in the middle leaves earlier batches deleted; they can be restored like any other.
func (a *commands) prune(ctx context.Context, age time.Duration, dry bool) error {
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	old, running := []rooms.Info{}, []string{}
	for r, err := range rooms.In(e).Each(ctx, true) {
		if err != nil {
			return err
		}
		// They come the oldest first.
		if time.Since(r.Started) < age { // those that follow are younger still
			break
		}
		if r.Running {
			running = append(running, r.Room)
			continue
		}
		old = append(old, r)
	}
	slices.Reverse(old) // the newest first, as in every list
	for start := 0; !dry && start < len(old); start += pruneAtOnce {
		var names []string
		for _, r := range old[start:min(start+pruneAtOnce, len(old))] {
			names = append(names, r.Room)
		}
		if _, err := e.Do(ctx, rooms.Delete{Rooms: names}); err != nil {
			return err
		}
	}
	if !dry { // what is long in the trash goes now
		told := time.AfterFunc(time.Second, func() { a.Out.Tell("Removing debates deleted more than " + call.TrashDays + " ago…\n") })
		_, err := e.Expire(ctx)
		told.Stop()
		if err != nil {
			return err
		}
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(map[string]any{"dry_run": dry, "deleted": old})
	}
	for _, r := range old {
		fmt.Fprint(a.Out, roomLine(rooms.Deleted{Info: r}))
	}
	if len(running) > 0 {
		a.Out.Tell("Skipped (running): " + strings.Join(running, ", ") + "\n")
	}
	switch n := out.Count(len(old), "debate"); {
	case len(old) == 0:
		a.Out.Tell("No debates that old.\n")
	case dry:
		a.Out.Tell("Dry run: " + n + " would be deleted. Run it without --dry-run to delete.\n")
	default:
		a.Out.Tell("Deleted " + n + ". Restore within " + call.TrashDays + ": socrates debate restore ROOM\n")
	}
	return nil
}
