package work

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
)

// columns are those of the board, from left to right.
var columns = []string{"refinement", "to do", "in progress", "to verify", "done"}

// column is where a run is on the board.
func column(r runs.Info) string {
	switch {
	case r.Accepted:
		return "done"
	case r.State == work.Asked && !r.Running:
		return "refinement"
	case r.State == work.Planned && !r.Running:
		return "to do"
	case r.State == work.Done || r.State == work.Person || r.State == work.Failed:
		return "to verify"
	}
	return "in progress"
}

func newBoard(a *commands) *cobra.Command {
	here := false
	c := &cobra.Command{Use: "board", Short: "Show the runs of all projects by progress", Args: cobra.NoArgs,
		Long: `Show the runs of all projects in five groups: refinement (no plan yet), to do (planned), in
progress, to verify (finished, or waiting for you), and done (accepted).`}
	c.Flags().BoolVar(&here, "here", false, "show only this project")
	c.RunE = func(c *cobra.Command, _ []string) error {
		_, list, err := a.listed(c.Context(), !here)
		if err != nil {
			return err
		}
		board := map[string][]runs.Info{}
		for _, name := range columns {
			board[name] = []runs.Info{}
		}
		for _, r := range list {
			board[column(r)] = append(board[column(r)], r)
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(board)
		}
		for _, name := range columns {
			fmt.Fprintf(a.Out, "%s (%d)\n", strings.ToUpper(name[:1])+name[1:], len(board[name]))
			slices.SortStableFunc(board[name], func(x, y runs.Info) int { return cmp.Compare(x.Dir, y.Dir) })
			for _, r := range board[name] {
				fmt.Fprintln(a.Out, clean.Line("  "+card(r, !here)))
			}
		}
		if len(list) == 0 {
			a.Out.Tell("No runs yet. Start one: socrates do \"…\"\n")
		}
		return nil
	}
	return c
}

// card is a run on the board, on one line.
func card(r runs.Info, everywhere bool) string {
	state := string(r.State)
	if r.Running {
		state = "running"
	} else if r.State == work.Open {
		state = "stopped"
	}
	line := fmt.Sprintf("%-28s %-8s %d/%d  %-12s %s", r.Name, state, r.Done, r.Tasks, out.Ago(r.Started), r.Title)
	if everywhere {
		line += "  " + r.Dir
	}
	return strings.TrimRight(line, " ")
}
