package tree

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newSearch(a *commands) *cobra.Command {
	all, limit, within := false, 0, ""
	c := &cobra.Command{Use: "search WORDS", Short: "Search conversations in this folder"}
	c.Flags().BoolVar(&all, "all", false, "search all folders")
	c.Flags().IntVar(&limit, "limit", 20, "maximum number to show")
	c.Flags().StringVar(&within, "tree", "", "search only this `conversation`")
	c.RunE = func(c *cobra.Command, args []string) error {
		words := strings.Join(args, " ")
		if strings.TrimSpace(words) == "" {
			return failure.Usage("no search words given", "for example: socrates tree search retry limit")
		}
		if limit < 1 {
			return failure.Usage("--limit must be 1 or more", "")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.Home.Settings.Dir()
		if all || within != "" {
			dir = ""
		}
		if err != nil {
			return err
		}
		hits, more, err := e.Hear(c.Context(), engine.Listen{Words: words, Dir: dir, Tree: within, Most: limit})
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(hits)
		}
		for _, h := range hits {
			who := h.Role
			if who != "" {
				who += ": "
			}
			fmt.Fprintf(a.Out, "%s  %s  %s\n", h.Tree, h.Node.Short(), out.Ago(h.At))
			fmt.Fprintln(a.Out, "    "+out.Clip(who+clean.Line(h.Excerpt), out.Columns(os.Stdout)-5))
		}
		switch {
		case more:
			a.Out.Tell("There are more results; use a higher --limit.\n")
		case len(hits) == 0 && !all:
			a.Out.Tell("No matches in this folder. To search all folders, add --all.\n")
		case len(hits) == 0:
			a.Out.Tell("No matches.\n")
		}
		a.TellUnindexed(e)
		return nil
	}
	return c
}
