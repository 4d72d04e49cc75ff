package tree

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// newAdd is the command add.
func newAdd(a *commands) *cobra.Command {
	op := conversation.Remark{}
	uri := ""
	c := &cobra.Command{Use: "add [TREE] TEXT | -", Short: "Append a message without calling a model",
		Long: `Append a message without calling a model. A message with the role system is added to the
system prompt from there on. With --handle, the node refers to a project file or a page instead;
it stores a hash and an excerpt, not the content.`,
		Example: `  socrates tree add "We want no new dependency"
  socrates tree add --role assistant --parent HEAD~1 "Use the pool"
  socrates tree add --handle file:go.mod`}
	c.Flags().StringVar(&op.Parent, "parent", "", "append after this `node` and move the branch")
	c.Flags().StringVar(&op.Role, "role", "user", "role: user, assistant or system")
	c.Flags().StringVar(&uri, "handle", "", "refer to file:PATH#10-20, https://… or postgres://…")
	a.onTree(c, 0, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		op.Tree = t.Name
		switch {
		// A node is a text or a reference; both at once would be two nodes.
		case uri != "" && len(args) > 0:
			return failure.Usage("--handle and a text cannot be combined", "leave one of them out")
		case uri != "":
			r, err := a.resolve(ctx, e, t, turns.Lookup{Tree: t.Name, What: uri})
			if err != nil {
				return err
			}
			op.Handle = &material.Handle{URI: r.URI, Face: r.Face, SHA256: r.SHA256, Bytes: r.Bytes}
		case len(args) == 0:
			return failure.Usage("the message is empty", `give a text: socrates tree add "…"`)
		default:
			op.Text = args[0]
			if op.Text == "-" {
				_, data, err := a.Prompt(args, true)
				if err != nil {
					return err
				}
				op.Text = data
			}
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		t, err := conversation.In(e).Open(ctx, t.Name)
		if err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "Added "+t.Head.Short()+" to "+t.Name+".")
	})
	return c
}

// newExec returns the command exec. It exits with 1 if the command fails; the command's status is in the message,
// since our exit codes have meanings of their own.
func newExec(a *commands) *cobra.Command {
	mode := ""
	c := &cobra.Command{Use: "exec [TREE] COMMAND", Short: "Run a command and append its output",
		Long: `Run a command in the conversation's folder as an agent would: same shell, same permissions, same
sandbox. In a terminal you are asked if the command needs approval. The output goes to stdout
and, as an excerpt, into the conversation.`,
		Example: `  socrates tree exec "git log -3 --oneline"`}
	modeFlag(c, &mode)
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		op := turns.Exec{Tree: t.Name, Command: args[0]}
		if err := setMode(&op.Mode, mode); err != nil {
			return err
		}
		root, err := e.Do(ctx, op)
		if err != nil {
			return err
		}
		var stopped atomic.Int32
		defer a.Signals(ctx, e, root, &stopped, "Stopping the command.\n")()
		// A question of it appears as a node of the tree, which ask watches.
		if err := a.ask(ctx, e, root, e.Recorded(root), func(context.Context) error { return e.Wait(root) }); err != nil {
			return call.Denied(a.Stopped(err, int(stopped.Load())))
		}
		if t, err = conversation.In(e).Open(ctx, t.Name); err != nil {
			return err
		}
		path, err := conversation.In(e).Path(ctx, t.Head)
		if err != nil {
			return err
		}
		// The command's output is the last handle on the path: a snapshot may follow it if files changed.
		for i := len(path) - 1; i >= 0; i-- {
			if h, ok := material.HandleKind.Of(path[i]); ok {
				return a.showExec(ctx, e, path[i], h)
			}
		}
		return nil
	})
}

// modeFlag adds the flag for the mode of this one command.
func modeFlag(c *cobra.Command, mode *string) {
	c.Flags().StringVar(mode, "mode", "", "permission mode: plan, paranoid, balanced, yolo")
}

// setMode parses a mode; empty: unchanged.
func setMode(to *permission.Mode, name string) (err error) {
	if name == "" {
		return nil
	}
	if *to, err = permission.ParseMode(name); err != nil {
		return failure.Usage(err.Error(), "")
	}
	return nil
}

// showExec prints the full recorded output of a command.
func (a *commands) showExec(ctx context.Context, e *engine.Engine, n tree.Node, h material.Handle) error {
	text, err := e.Text(ctx, h.Blob)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(map[string]any{"node": n.ID, "uri": h.URI, "sha256": h.SHA256, "bytes": h.Bytes, "output": text})
	}
	text = strings.TrimRight(text, "\n")
	fmt.Fprintln(a.Out, text)
	// The marks at the end or the beginning are ours; see the tool bash.
	if strings.HasPrefix(text, "[failed: ") {
		return failure.New(failure.ExitFailed, "failed", "the command was stopped; its output so far is in the conversation", "")
	}
	if _, _, status := told.Status(text); status != "" {
		return failure.New(failure.ExitFailed, "status", "the command exited with status "+status+
			"; its output is in the conversation", "")
	}
	return nil
}

// newContext returns the command context: it shows and counts what a model would be sent.
func newContext(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "context [TREE] [NODE]", Short: "Print the exact model context at a node"}
	return a.onTree(c, 0, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		node := ""
		if len(args) > 0 {
			node = args[0]
		}
		n, err := conversation.In(e).Locate(ctx, t, node)
		if err != nil {
			return err
		}
		s, err := turns.In(e).Prompt(ctx, t, n.ID)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(s)
		}
		if s.System != "" {
			fmt.Fprintf(a.Out, "── system\n%s\n", strings.TrimRight(s.System, "\n"))
		}
		for _, m := range s.Messages {
			fmt.Fprintf(a.Out, "── %s\n%s\n", m.Role, strings.TrimRight(messageText(m), "\n"))
		}
		note := fmt.Sprintf("About %d tokens with %d tools: %s.\n", s.Tokens, len(s.Tools), strings.Join(s.Tools, ", "))
		if s.Summed > 0 {
			note += fmt.Sprintf("%d nodes are replaced by a summary.\n", s.Summed)
		}
		// Facts about the folder are gathered when the first turn begins, so the prompt is unknown before.
		if s.System == "" {
			note += "The system prompt is added when the next turn starts.\n"
		}
		a.Out.Tell(out.Fit(os.Stderr, note, "  "))
		return nil
	})
}

// messageText formats a message, including its calls and results.
func messageText(m llm.Message) string {
	var list []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			list = append(list, p.Text)
		case llm.Call:
			list = append(list, "[call "+p.Name+" "+string(p.Args)+"]")
		case llm.Result:
			list = append(list, "[result of "+p.Name+"]\n"+strings.TrimRight(p.Text, "\n"))
		case llm.Think:
			if p.Text != "" {
				list = append(list, "[thought]\n"+p.Text)
			}
		case llm.Attachment:
			list = append(list, p.Label())
		}
	}
	return strings.Join(list, "\n")
}
