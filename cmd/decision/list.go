package decision

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newList is the command list. Rehearsals are marked, superseded decisions stay in it.
func newList(a *commands) *cobra.Command {
	var all bool
	limit := 0
	c := &cobra.Command{Use: "list", Short: "List this project's decisions, newest first", Args: cobra.NoArgs}
	c.Flags().BoolVar(&all, "all", false, "include all projects")
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.listDecisions(c.Context(), all, "", limit, "No decisions in this project yet.\n")
	}
	return c
}

// newSearch is the command search. All words must occur, in any order and case.
func newSearch(a *commands) *cobra.Command {
	var all bool
	limit := 0
	c := &cobra.Command{Use: "search WORDS", Short: "Search decisions",
		Example: "  socrates decisions search redis session", Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return failure.Usage("no search words given", "list all with: socrates decisions list")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "include all projects")
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.RunE = func(c *cobra.Command, args []string) error {
		words := strings.Join(args, " ")
		return a.listDecisions(c.Context(), all, words, limit, fmt.Sprintf("No decision contains all of these words: %s\n", words))
	}
	return c
}

// listDecisions prints the decisions of this project, or of all, that have the words.
// The index grows as searches read old records; a person is told while it does not hold everything.
func (a *commands) listDecisions(ctx context.Context, all bool, words string, limit int, none string) error {
	if limit < 0 {
		return failure.Usage("--limit must be 0 or more", "0 shows all")
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	dir := ""
	if !all {
		if dir, err = a.Home.Settings.Project(); err != nil {
			return err
		}
	}
	found, more, err := rooms.In(e).Decisions(ctx, dir, words, limit)
	if err != nil {
		return err
	}
	list := out.List[rooms.Decision]{Rows: found, Line: func(d rooms.Decision) string { return Lines(d, all) }, None: none}
	if more {
		list.Then, list.Left = "Not all decisions are shown; --limit 0 shows all.\n", "not all decisions are listed; --limit 0 lists all"
	}
	if err = list.Write(a.Out); a.Out.Format == "text" {
		a.TellUnindexed(e)
	}
	return err
}

// Lines is a decision in the list: what it is called, then what was decided of what.
// It is two lines and a third for what superseded it; memory search shows decisions the same way.
func Lines(d rooms.Decision, all bool) string {
	line := fmt.Sprintf("%-34s %-11s %s\n", d.Room, out.Ago(d.Started), room.Standing(d.Info))
	text := fmt.Sprintf("    %s\n    %s\n", out.Clip(out.OneLine(d.End.Winner), 75), out.Clip(out.OneLine(d.Question), 75))
	if d.Superseded != nil {
		text += "    superseded by " + d.Superseded.By + "\n"
	}
	if all {
		text += "    in " + d.Dir + "\n"
	}
	return line + text
}
