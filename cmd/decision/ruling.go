package decision

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newConfirm returns the command confirm. It confirms the winner: if a danger blocks it or there is none, that must
// be settled first, and the hint says how.
func newConfirm(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "confirm ROOM", Short: "Confirm a decision that needs your call", Args: room.One}
	return ruling(a, c, func(leading string, err error, _ []string) (string, error) { return leading, err })
}

// newOverrule is the command overrule; the option is a letter or its text.
func newOverrule(a *commands) *cobra.Command {
	return ruling(a, &cobra.Command{Use: "overrule ROOM OPTION", Short: "Choose another option when your call is needed",
		Example: "  socrates decisions overrule last B --why \"simpler to operate\"", Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return failure.Usage("overrule needs a debate and an option", "list the options: socrates debate show last")
			}
			return nil
		}}, func(_ string, _ error, args []string) (string, error) { return strings.Join(args[1:], " "), nil })
}

// roomResult opens a debate by its name and returns its result.
func roomResult(ctx context.Context, a *commands, name string) (*engine.Engine, debate.Result, error) {
	e, root, err := a.rooms.Find(ctx, name)
	if err != nil {
		return nil, debate.Result{}, err
	}
	res, err := rooms.In(e).Result(ctx, root)
	return e, res, err
}

// ruling makes a command by which a person decides what a debate left to them. It sends the same message as /choose.
// The debate runs again from its record with this message, so the result has one author and one history.
func ruling(a *commands, c *cobra.Command, option func(leading string, err error, args []string) (string, error)) *cobra.Command {
	var why string
	c.ValidArgsFunction = a.rooms.CompleteOne
	c.Flags().StringVar(&why, "why", "", "the reason, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, res, err := roomResult(ctx, a, args[0])
		if err != nil {
			return err
		}
		leading, err := rooms.Leading(res)
		key := ""
		if res.Ended {
			key, err = option(leading, err, args)
		}
		if refused, ok := errors.AsType[*engine.Refusal](err); ok {
			return failure.New(failure.ExitFailed, "refused", refused.Message, refused.Hint)
		}
		a.Out.Room = res.Room
		message := people.Message{Verb: people.Choose, Option: key, Text: out.OneLine(why)}
		return a.rooms.Conduct(ctx, e, rooms.Tell{Room: res.Room, Message: message}, room.Delivery{})
	}
	return c
}
