package tree

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
)

// newSay is the command say. Waiting is the default: a message that nobody read must not look delivered.
func newSay(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "say [TREE] TEXT | -", Short: "Send a message to a running turn",
		Long: `Send a message to a running turn, from any terminal. The model reads it before its next step,
and the turn continues. The command waits until the model has read the message. With --no-wait
it does not: if the turn ends first, the message goes unread and you are not told.`,
		Example: `  socrates tree say "Leave the tests alone"
  git diff | socrates tree say fix-the-parser -
  socrates tree say --file shot.png "It should look like this"`}
	noWait, files := false, []string{}
	c.Flags().StringArrayVar(&files, "file", nil, "attach this `file`: picture, PDF, notebook, text (repeatable)")
	c.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for the model to read it")
	a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		text := args[0]
		// What is piped in is the message, not something beside it.
		if text == "-" {
			_, data, err := a.Prompt(args, true)
			if err != nil {
				return err
			}
			text = data
		}
		say := turns.Interject{Tree: t.Name, Text: text}
		for _, name := range files { // where the person is, and not where the conversation is
			full, err := filepath.Abs(name)
			if err != nil {
				return err
			}
			say.Attach = append(say.Attach, full)
		}
		id, err := e.Do(ctx, say)
		if err != nil {
			return err
		}
		read := false
		if !noWait {
			read, err = turns.In(e).AwaitRead(ctx, t.Name, id)
		}
		switch {
		case err != nil:
			return err
		// It ends with 1: a script that relied on it must not go on.
		case !read && !noWait:
			return failure.New(failure.ExitFailed, "unread", "the turn in "+t.Name+" ended before the model read the message",
				"send it again with: socrates run --session "+t.Name+" \"…\"")
		}
		said := "Read in " + t.Name + "."
		if noWait {
			said = "Sent to " + t.Name + "."
		}
		return a.Out.Done(map[string]any{"tree": t.Name, "message": id, "read": read}, said)
	})
	return c
}
