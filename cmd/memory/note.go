package memory

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newShow is the command memory show: the whole note, with where it was kept.
func newShow(a *commands) *cobra.Command {
	return &cobra.Command{Use: "show N", Short: "Show a note in full, and where it comes from", Args: noteNumbers(1),
		ValidArgsFunction: a.Offer(1, a.offers),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			number, _ := strconv.Atoi(args[0])
			n, err := notes.In(e).Note(c.Context(), number)
			if err != nil {
				return err
			}
			if a.Out.Format != "text" {
				return a.Out.JSON(shownNote{n, n.Dir == ""})
			}
			from := ""
			if n.From != "" {
				from = ", at node " + string(n.From)
			}
			fmt.Fprintf(a.Out, "%s\n\nNote %d, %s, %s%s, %s\n", n.Text, n.Number, scopeOf(a.Call, n), keptBy(n), from,
				n.At.Local().Format("2006-01-02 15:04"))
			return nil
		}}
}

// newForget is the command forget. All notes go in one operation.
func newForget(a *commands) *cobra.Command {
	return &cobra.Command{Use: "forget N…", Aliases: []string{"rm"},
		Short: "Delete notes; for " + call.TrashDays + " they can be restored", Args: noteNumbers(100),
		ValidArgsFunction: a.Offer(0, a.offers),
		Long: `Delete notes: they are no longer listed, found or shown to later conversations. For
` + call.TrashDays + ` they can be restored; then they are removed from the disk. A conversation that was shown a
note keeps it.`,
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			op := notes.Forget{}
			for _, arg := range args {
				n, _ := strconv.Atoi(arg)
				op.Numbers = append(op.Numbers, n)
			}
			if _, err := e.Do(c.Context(), op); err != nil {
				return err
			}
			var said []string
			for _, arg := range args {
				said = append(said, "Deleted note "+arg+". Restore it within "+call.TrashDays+": socrates memory restore "+arg)
			}
			return a.Deleted("forgotten", op.Numbers, said...)
		}}
}

// newRestore is the command memory restore.
func newRestore(a *commands) *cobra.Command {
	return &cobra.Command{Use: "restore N", Short: "Restore a deleted note", Args: noteNumbers(1),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			number, _ := strconv.Atoi(args[0])
			if _, err := e.Do(c.Context(), notes.TakeBack{Number: number}); err != nil {
				return err
			}
			return a.Out.Done(map[string]any{"restored": number}, "Note "+args[0]+" restored.")
		}}
}

// noteNumbers wants numbers of notes, one at least.
// It checks form alone; whether a note exists is the engine's to say.
func noteNumbers(most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "list notes with: socrates memory list"
		if len(args) == 0 || len(args) > most {
			return failure.Usage(c.CommandPath()+" takes the number of a note", hint)
		}
		for _, arg := range args {
			if n, err := strconv.Atoi(arg); err != nil || n < 1 {
				return failure.Usage(fmt.Sprintf("%q is not the number of a note", arg), hint)
			}
		}
		return nil
	}
}

// offers are the notes that hold here, for the shell.
func (a *commands) offers(ctx context.Context, _ string) (list []string, _ error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := a.Home.Settings.Project()
	if err != nil {
		return nil, err
	}
	notes, err := notes.In(e).List(ctx, dir, "")
	for _, n := range notes {
		list = append(list, strconv.Itoa(n.Number)+"\t"+out.Clip(out.OneLine(n.Text), 60))
	}
	return list, err
}
