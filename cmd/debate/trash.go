package debate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newDelete is the command rm. All names are resolved before the first debate is deleted, and all go in one commit:
// either each or none.
func newDelete(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "rm ROOM…", Aliases: []string{"delete"},
		Short: "Delete debates; for " + call.TrashDays + " they can be restored",
		Long: `Delete debates and their decisions. For ` + call.TrashDays + ` you can restore them with
socrates debate restore; after that, the next debate, rm or prune removes them from the disk.
Running debates and decision files already written are not touched.`,
		Example: `  socrates debate rm cache-mutex-channel-xezw
  socrates debate rm last`}
	c.ValidArgsFunction = a.rooms.CompleteAll
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return failure.Usage("no debate given",
				"list debates with: socrates debate list; to delete old ones: socrates debate prune --older-than 30d")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		names := []string{}
		for _, arg := range args {
			name, err := a.rooms.Name(c.Context(), e, arg)
			if err != nil {
				return err
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if _, err := e.Do(c.Context(), rooms.Delete{Rooms: names}); err != nil {
			return err
		}
		var said []string
		for _, name := range names {
			said = append(said, "Deleted "+name+". Restore it within "+call.TrashDays+": socrates debate restore "+name)
		}
		return a.Deleted("deleted", names, said...)
	}
	return c
}

// newRestore is the command restore; "last" is the debate of this project that was deleted last.
func newRestore(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "restore ROOM", Short: "Restore a deleted debate",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("restore takes the name of one deleted debate",
					"list them with: socrates debate list --deleted; \"last\" is the most recent of this project")
			}
			return nil
		},
		ValidArgsFunction: a.Offer(1, a.trashed)}
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		name, names, dir := args[0], []string{}, ""
		if name == "last" {
			if dir, err = a.Home.Settings.Project(); err != nil {
				return err
			}
		}
		// Five are enough to name the nearest.
		newest, err := rooms.In(e).Trash(c.Context(), dir, 5)
		if err != nil {
			return err
		}
		for _, d := range newest {
			names = append(names, d.Room)
		}
		switch {
		case len(names) == 0 && dir != "":
			return failure.Usage("no deleted debate of this folder", "list those of all folders with: socrates debate list --deleted")
		case len(names) == 0:
			return failure.Usage("the trash is empty", "deleted debates are kept for "+call.TrashDays)
		case name == "last":
			name = names[0]
		case !rooms.In(e).Deleted(c.Context(), name):
			return failure.Usage("no deleted debate "+name, failure.Nearest(name, names))
		}
		if _, err := e.Do(c.Context(), rooms.Restore{Room: name}); err != nil {
			return err
		}
		return a.Out.Done(map[string]any{"restored": name}, "Restored "+name+".")
	}
	return c
}

// trashed offers the deleted debates.
func (a *commands) trashed(ctx context.Context, _ string) (list []string, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := rooms.In(e).Trash(ctx, "", call.Offered)
	for _, d := range all {
		list = append(list, d.Room+"\t"+out.Clip(d.Question, 60))
	}
	return list, err
}

// trash are the deleted debates.
var trash = call.Trash[rooms.Deleted]{Are: "debates",
	All: func(ctx context.Context, e *engine.Engine, most int) ([]rooms.Deleted, error) {
		return rooms.In(e).Trash(ctx, "", most)
	},
	Text: func(d rooms.Deleted) string { return textOf(d.Info) },
	Line: func(d rooms.Deleted) string { return roomLine(d.Info, call.UntilText(time.Until(d.Until))) },
}

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
		fmt.Fprint(a.Out, roomLine(r, out.Ago(r.Started)))
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
