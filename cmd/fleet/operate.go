package fleet

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// hold is the command pause or resume.
func (c *commands) hold(paused bool) *cobra.Command {
	cmd := &cobra.Command{Use: "resume NAME", Short: "Resume a paused worker or task",
		Long: `Resume a paused worker, or queue a paused task again. The task starts over.`,
		Args: cobra.ExactArgs(1)}
	if paused {
		cmd = &cobra.Command{Use: "pause NAME", Short: "Pause a worker or a task",
			Long: `Pause a worker: it finishes its tasks and accepts no new ones. Or pause a task that "socrates hub tasks"
lists: its worker stops, and its caller waits. Both stay paused when the hub or the worker restarts.

To pause a run of a plan, use: socrates work pause RUN`, Args: cobra.ExactArgs(1)}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := c.client()
		if err != nil {
			return err
		}
		said, err := asked(client.Pause(cmd.Context(), args[0], paused))
		if err != nil {
			return err
		}
		return c.Out.Done(map[string]any{"name": args[0], "paused": paused}, said)
	}
	return cmd
}

// tasks returns the command that lists unfinished tasks.
func (c *commands) tasks() *cobra.Command {
	return noun.Noun[lease.Unfinished]{Call: c.Call, Is: "task", Are: "tasks", Path: "socrates hub tasks", Most: 200,
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]lease.Unfinished, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Tasks(ctx))
		}),
		Line: func(t lease.Unfinished) string {
			return fmt.Sprintf("%-32s %-8s %-16s %s  %s %s\n", t.Name, t.State, t.Worker, out.Ago(t.Since), scheme.Short(t.Seat), t.Person)
		}}.Lists(&cobra.Command{Use: "tasks [WORD]...", Short: "List open tasks, oldest first"})
}
