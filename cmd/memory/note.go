package memory

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/slash/env"
)

// newShow returns the command memory show: the whole note, with where it was kept.
func newShow(a *commands, n noun.Noun[shownNote]) *cobra.Command {
	return noun.Show(n, &cobra.Command{Use: "show N", Short: "Show a note in full, with its source"},
		func(ctx context.Context, name string) (shownNote, error) {
			e, err := a.Open(ctx)
			if err != nil {
				return shownNote{}, err
			}
			found, err := notes.In(e).Note(ctx, noun.Int(name))
			return shownNote{found, found.Dir == ""}, err
		},
		func(n shownNote) error {
			from := ""
			if n.From != "" {
				from = ", at node " + string(n.From)
			}
			_, err := fmt.Fprintf(a.Out, "%s\n\nNote %d, %s, %s%s, %s\n", n.Text, n.Number, env.Scope(a.Home, n.Note),
				env.KeptBy(n.Note), from,
				n.At.Local().Format("2006-01-02 15:04"))
			return err
		})
}
