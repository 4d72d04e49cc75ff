package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/tree"
)

func newDebateTell(a *app) *cobra.Command {
	return &cobra.Command{Use: "tell ROOM TEXT | /COMMAND", Short: "Send a message to a running debate",
		Long: "The debate reads the message at its next step. It is recorded and appears in the decision.\nIf the debate runs in your terminal, you can also type it there.\n\n" + verbList("  "),
		Example: `  socrates debate tell last "mind that the cluster has no shared disk"
  socrates debate tell last /pause
  socrates debate tell last /drop codex
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

// verbList explains what can be said.
func verbList(indent string) string {
	var b strings.Builder
	for _, v := range debate.Verbs {
		form := v.Form
		if len(form) > 24 {
			form += "\n" + indent + strings.Repeat(" ", 24)
		}
		fmt.Fprintf(&b, "%s%-24s %s\n", indent, form, v.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// parseWord reads what a person typed.
func parseWord(text string) (debate.Word, error) {
	w, err := debate.ParseWord(text)
	if err != nil {
		return w, failure.Usage(err.Error(), "list the commands with: socrates debate tell --help")
	}
	return w, nil
}

func (a *app) tellRoom(ctx context.Context, name, text string) error {
	w, err := parseWord(text)
	if err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	room, err := a.roomName(ctx, e, name)
	if err != nil {
		return err
	}
	a.Out.Room = room
	root, err := e.Room(ctx, room)
	if err != nil {
		return err
	}
	before, err := e.Result(ctx, root)
	if err != nil {
		return err
	}
	if (w.Verb == debate.Drop || w.Verb == debate.Deadline && w.Seat != "all") && !before.Ended { // known at once: the room may hear it much later
		var ids []string
		for _, s := range before.Seats {
			ids = append(ids, s.ID)
		}
		if !slices.Contains(ids, w.Seat) {
			return failure.New(failure.ExitFailed, "refused", "refused: unknown seat "+w.Seat+"; the seats are "+strings.Join(ids, ", "),
				"")
		}
	}
	if before.Ended { // a choice after the end: the debate is conducted again from its record
		return a.conduct(ctx, e, engine.Tell{Room: room, Word: w}, &debateFlags{})
	}
	if _, err := e.Do(ctx, engine.Tell{Room: room, Word: w}); err != nil {
		return err
	}
	r, err := e.RoomInfo(ctx, room)
	if err != nil {
		return err
	}
	if !r.Running {
		a.Out.Tell("Saved. " + room + " is not running and will read it on resume: socrates debate resume " + room + "\n")
		return nil
	}
	return a.became(ctx, e, root, len(before.Words))
}

// became waits a moment for what becomes of a word in the process that runs the room, and tells it. A refusal fails.
func (a *app) became(ctx context.Context, e *engine.Engine, root tree.ID, known int) error {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		res, err := e.Result(ctx, root)
		if err == nil && len(res.Words) > known {
			h := res.Words[len(res.Words)-1]
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

// joins knows the seat of a spec that joins the table of a frame where names are taken.
func (a *app) joins(ctx context.Context, spec string, f debate.Frame, names []string) (debate.SeatInfo, error) {
	seats, _, err := a.Home.Seats.Panel(ctx, []string{spec})
	if err == nil && len(seats) != 1 {
		err = failure.Usage("add one seat at a time; "+spec+" is a panel", "")
	}
	if err == nil {
		f.Seats = append(slices.Clone(f.Seats), seats...)
		_, err = seat.Company(f.Seats)
	}
	if err == nil {
		err = seat.TellTruth(&f, seat.TruthOf(f.Seats))
	}
	if err != nil {
		return debate.SeatInfo{}, err
	}
	s := f.Seats[len(f.Seats)-1]
	for n := 2; slices.Contains(names, s.ID); n++ {
		s.ID = fmt.Sprintf("%s-%d", seat.ID(spec), n)
	}
	return s, nil
}

// gistOfPeople is a node of what people said, in one line.
func gistOfPeople(n tree.Node) string {
	switch n.Kind {
	case string(debate.WordKind):
		w, _ := debate.WordKind.Of(n)
		return strings.TrimSpace(strings.Join([]string{w.Verb, w.Seat, w.Spec, w.Claim, w.Option, w.Text}, " "))
	case string(debate.HeedKind):
		h, _ := debate.HeedKind.Of(n)
		return h.Place + ": " + h.Done
	case string(debate.NeedKind):
		d, _ := debate.NeedKind.Of(n)
		return d.Text
	}
	return ""
}
