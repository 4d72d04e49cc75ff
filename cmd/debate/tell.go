package debate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/tree"
)

// completeTell offers debates, then the messages a debate accepts.
func (a *commands) completeTell(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.rooms.CompleteOne(c, args, begun)
	}
	return room.Commands()[1:], cobra.ShellCompDirectiveNoFileComp
}

// newTell returns the command tell. A message is a node in the room's tree, so it also reaches a room that another
// process runs, or one that is resumed tomorrow.
func newTell(a *commands) *cobra.Command {
	return &cobra.Command{Use: "tell ROOM TEXT | /COMMAND", Short: "Send a message to a running debate",
		Long: "The debate reads the message at its next step. It is recorded and appears in the decision.\nIf the debate runs in your " +
			"terminal, you can also type it there.\n\n" + room.VerbList("  "),
		Example: `  socrates debate tell last "mind that the cluster has no shared disk"
  socrates debate tell last /pause
  socrates debate tell last /drop codex
  socrates debate tell last "/context add store/export.go:30-60"
  socrates debate tell last "/claim against B two writers -- store/export.go:40 go write()"
  socrates debate tell cache-mutex-channel-xezw /choose A "simpler to operate"`,
		ValidArgsFunction: a.completeTell,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return failure.Usage("no debate or text given", `usage: socrates debate tell last "…"; --help lists the commands`)
			}
			return a.tellRoom(c.Context(), args[0], strings.Join(args[1:], " "))
		}}
}

// Four cases: an outcome is recorded at once; a choice after the end decides the debate again from its record; a file
// shared after the end waits for a debate that follows; anything else waits for the room's next step.
func (a *commands) tellRoom(ctx context.Context, name, text string) error {
	w, err := room.ParseMessage(text)
	if err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	name, err = a.rooms.Name(ctx, e, name)
	if err != nil {
		return err
	}
	a.Out.Room = name
	root, err := rooms.In(e).Room(ctx, name)
	if err != nil {
		return err
	}
	before, err := rooms.In(e).Result(ctx, root)
	if err != nil {
		return err
	}
	// Checked at once: the room may read it much later.
	if (w.Verb == people.Drop || w.Verb == people.Deadline && w.Seat != "all") && !before.Ended {
		var ids []string
		for _, s := range before.Seats {
			ids = append(ids, s.ID)
		}
		if !slices.Contains(ids, w.Seat) {
			return failure.New(failure.ExitFailed, "refused", "refused: unknown seat "+w.Seat+"; the seats are "+strings.Join(ids, ", "),
				"")
		}
	}
	// It is about the world and not about the debate, so the state of the debate does not matter.
	if w.Verb == people.Outcome {
		return a.rooms.Outcome(ctx, e, before, w)
	}
	// A file shared after the end can change nothing here.
	if before.Ended && w.Verb == people.Share {
		if _, err := e.Do(ctx, rooms.Tell{Room: name, Message: w}); err != nil {
			return err
		}
		a.Out.Tell(w.File + " is shown to the seats of the follow-up debate: socrates debate --follow " +
			name + " \"QUESTION\"\n")
		return nil
	}
	if before.Ended { // a choice after the end: the debate runs again from its record
		return a.rooms.Conduct(ctx, e, rooms.Tell{Room: name, Message: w}, room.Delivery{})
	}
	if _, err := e.Do(ctx, rooms.Tell{Room: name, Message: w}); err != nil {
		return err
	}
	r, err := rooms.In(e).Info(ctx, name)
	if err != nil {
		return err
	}
	if !r.Running {
		a.Out.Tell("Saved. " + name + " is not running and will read it on resume: socrates debate resume " + name + "\n")
		return nil
	}
	return a.became(ctx, e, root, len(before.Applied))
}

// became waits briefly for the effect of a message in the process that runs the room, and prints it. A refusal is an
// error. Two seconds are enough for a room between two steps; one that waits for a model reads it later, which is no
// failure.
func (a *commands) became(ctx context.Context, e *engine.Engine, root tree.ID, known int) error {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		res, err := rooms.In(e).Result(ctx, root)
		if err == nil && len(res.Applied) > known {
			h := res.Applied[len(res.Applied)-1]
			if h.Refused {
				return failure.New(failure.ExitFailed, "refused", "refused: "+h.Done, "")
			}
			a.Out.Tell("Delivered: " + h.Done + ".\n")
			return nil
		}
	}
	a.Out.Tell("Sent to " + a.Out.Room + "; delivered at its next step.\n")
	return nil
}
