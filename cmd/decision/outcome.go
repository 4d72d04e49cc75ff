package decision

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newOutcome returns the command outcome. Only people report outcomes: nothing else in the program knows the truth.
func newOutcome(a *commands) *cobra.Command {
	var why string
	c := &cobra.Command{Use: "outcome ROOM right|wrong|OPTION", Short: "Say what turned out to be right",
		Long: `Later debates learn from outcomes: how often a model is right, which families tend to make
the same errors, how reliable a judge is, and how often answers with a given probability hold.
Record what turned out to be true, not what you think of the answer. A later outcome of the same debate replaces
the earlier one; both stay on the record. Each record keeps the figures its debate used.

See what was learned: socrates panel. Switch it off: debate.learn.`,
		Example: `  socrates decisions outcome last right
  socrates decisions outcome store-writer-connection-7050 B --why "the pool deadlocked in March"`,
		ValidArgsFunction: a.rooms.CompleteOne,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return failure.Usage("outcome needs a debate and the right answer",
					"say right, wrong or an option; list them: socrates debate show last")
			}
			return nil
		}}
	c.Flags().StringVar(&why, "why", "", "how you know, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, res, err := roomResult(ctx, a, args[0])
		if err != nil {
			return err
		}
		message := people.Message{Verb: people.Outcome, Option: strings.Join(args[1:], " "), Text: out.OneLine(a.Out.Clean(why))}
		return a.rooms.Outcome(ctx, e, res, message)
	}
	return c
}
