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

// newSay returns the command say. It waits by default: an unread message must not look delivered.
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
		// Piped input is the message itself, not an attachment.
		if text == "-" {
			_, data, err := a.Prompt(args, true)
			if err != nil {
				return err
			}
			text = data
		}
		say := turns.Interject{Tree: t.Name, Text: text}
		for _, name := range files { // relative to the person's folder, not the conversation's
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
		// It exits with 1: a script that relied on it must not continue.
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
