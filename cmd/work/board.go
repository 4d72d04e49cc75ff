package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work/queue"
)

// newBoard returns the command board. Columns are those of runs.Columns, in their order; a queued prompt is a card of
// its own until it has a run.
func newBoard(a *commands) *cobra.Command {
	here := false
	c := &cobra.Command{Use: "board", Short: "Show the runs of all projects by progress", Args: cobra.NoArgs,
		Long: `Show the runs of all projects in five groups: refinement (no plan yet), to do (planned, or a queued
prompt), in progress, to verify (finished, or waiting for you), and done (accepted).`}
	c.Flags().BoolVar(&here, "here", false, "show only this project")
	c.RunE = func(c *cobra.Command, _ []string) error {
		e, list, err := a.recorded(c.Context(), !here)
		if err != nil {
			return err
		}
		dir := ""
		if here {
			if dir, err = a.project(); err != nil {
				return err
			}
		}
		waiting, err := unbegun(c.Context(), e, dir)
		if err != nil {
			return err
		}
		board := map[string]any{"queued": waiting}
		// Runs are listed newest first; within a project they keep that order.
		slices.SortStableFunc(list, func(x, y runs.Info) int { return cmp.Compare(x.Dir, y.Dir) })
		for _, name := range runs.Columns {
			in := []runs.Info{}
			for _, r := range list {
				if r.Column() == name {
					in = append(in, r)
				}
			}
			if board[name] = in; a.Out.Format != "text" {
				continue
			}
			cards := []string{}
			for _, r := range in {
				cards = append(cards, card(runs.Deleted{Info: r}, !here))
			}
			// A queued prompt is pending work although it has no run yet.
			if name == runs.ToDo {
				cards = append(cards, queued(waiting, !here)...)
			}
			fmt.Fprintf(a.Out, "%s (%d)\n", strings.ToUpper(name[:1])+name[1:], len(cards))
			for _, line := range cards {
				fmt.Fprintln(a.Out, clean.Line("  "+line))
			}
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(board)
		}
		if len(list)+len(waiting) == 0 {
			a.Out.Tell("No runs yet. Start one: socrates do \"…\"\n")
		}
		return nil
	}
	return c
}

// card is a run on the board, on one line.
func card(r runs.Deleted, everywhere bool) string {
	when := out.Ago(r.Started)
	if !r.Until.IsZero() {
		when = out.Until(time.Until(r.Until))
	}
	line := fmt.Sprintf("%-28s %-8s %d/%d  %-12s %s", r.Name, r.Word(), r.Done, r.Tasks, when, r.Title)
	if everywhere {
		line += "  " + r.Dir
	}
	if r.By != "" {
		line += "  · in " + r.By
	}
	if r.Stopped != nil && !r.Running {
		line += "  · " + r.Stopped.Why
	}
	return strings.TrimRight(line, " ")
}

// unbegun returns the queued prompts that have not begun: of a project, or of all.
func unbegun(ctx context.Context, e *engine.Engine, dir string) (list []queues.Info, err error) {
	if list, err = queues.In(e).List(ctx, dir); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Items = slices.DeleteFunc(list[i].Items, func(i queue.Item) bool { return i.State != queue.Waiting })
	}
	return slices.DeleteFunc(list, func(q queues.Info) bool { return len(q.Items) == 0 }), nil
}

// queued formats queued prompts for the board, a line each.
func queued(waiting []queues.Info, everywhere bool) (cards []string) {
	for _, q := range waiting {
		for _, i := range q.Items {
			line := fmt.Sprintf("%-28s %-8s      %-12s %s", fmt.Sprint("prompt ", i.Number), "queued", out.Ago(i.At), i.Title())
			if everywhere {
				line += "  " + q.Dir
			}
			cards = append(cards, line)
		}
	}
	return cards
}
