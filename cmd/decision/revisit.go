package decision

import (
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newSupersede returns the command supersede. Both are debates of this store; the old decision keeps its text and
// gets a mark.
func newSupersede(a *commands) *cobra.Command {
	var by, reason string
	c := &cobra.Command{Use: "supersede OLD --by NEW", Short: "Mark a decision as superseded",
		Args: room.One, ValidArgsFunction: a.rooms.CompleteOne}
	c.Flags().StringVar(&by, "by", "", "the decision that replaces it (a `room`)")
	c.RegisterFlagCompletionFunc("by", func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.rooms.CompleteOne(c, nil, "")
	}) // it fails only if the flag does not exist
	c.Flags().StringVar(&reason, "reason", "", "the reason, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		// A decision that failed without a successor is an outcome, which another command records.
		if by == "" {
			return failure.Usage("supersede needs the decision that replaces it",
				"name it: socrates decisions supersede "+args[0]+" --by ROOM")
		}
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		old, err := a.rooms.Name(ctx, e, args[0])
		if err != nil {
			return err
		}
		if by, err = a.rooms.Name(ctx, e, by); err != nil {
			return err
		}
		if _, err := e.Do(ctx, rooms.Supersede{Old: old, New: by, Reason: out.OneLine(reason)}); err != nil {
			return err
		}
		d, err := rooms.In(e).Decision(ctx, old)
		if err != nil {
			return err
		}
		return a.Out.Done(d, old+" is superseded by "+by+". Update their files with: socrates decisions write")
	}
	return c
}

// newRevisit is the command revisit.
func newRevisit(a *commands) *cobra.Command {
	d := &frame.Flags{}
	var reason, from string
	c := &cobra.Command{Use: "revisit ROOM|--from FILE", Short: "Debate a decided question again",
		Long: `Debate a decided question again with today's files. The options and seats are the same unless
flags change them. The seats see the earlier decision as history. If the new decision differs,
it supersedes the earlier one.

--from reads the output of "decisions check --output json" and debates every outdated decision
again; the reason it gives is the change.`,
		Example: `  socrates decisions revisit last --reason "writes must stay in order"
  socrates decisions check --output json | socrates decisions revisit --from -`,
		Args: func(c *cobra.Command, args []string) error {
			if from != "" && len(args) == 0 {
				return nil
			} else if from != "" {
				return failure.Usage("--from names the decisions itself", "leave out "+args[0])
			}
			return room.One(c, args)
		}, ValidArgsFunction: a.rooms.CompleteOne}
	d.Add(a.Call, c)
	c.Flags().StringVar(&reason, "reason", "", "the reason for the new debate, in one sentence")
	c.Flags().StringVar(&from, "from", "", "output of decisions check, a `file`; - is stdin")
	c.RunE = func(c *cobra.Command, args []string) error {
		if from != "" {
			return a.revisitAll(c, d, from, out.OneLine(reason))
		}
		return a.revisit(c, d, args[0], out.OneLine(reason))
	}
	return c
}

// If only the context is shown, op is nil and nothing is debated.
func (a *commands) revisit(c *cobra.Command, d *frame.Flags, room, reason string) error {
	ctx := c.Context()
	d.Apply(a.Call)
	e, res, err := roomResult(ctx, a, room)
	if err != nil {
		return err
	}
	f, err := rooms.In(e).Frame(ctx, res.Room)
	if err != nil {
		return err
	}
	again(a, d, f, res)
	op, err := a.frames.Frame(ctx, d, f.Question)
	if err != nil || op == nil {
		return err
	}
	a.frames.Estimate(op.Frame, len(op.Context))
	return a.rooms.Conduct(ctx, e, rooms.Revisit{Debate: *op, Room: res.Room, Reason: reason}, d.Delivery)
}
