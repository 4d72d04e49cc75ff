package cmd

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

func newTreeSearch(a *app) *cobra.Command {
	all, limit, within := false, 0, ""
	c := &cobra.Command{Use: "search WORDS", Short: "Find what was said in the trees of this folder, by its words"}
	c.Flags().BoolVar(&all, "all", false, "in the trees of all folders")
	c.Flags().IntVar(&limit, "limit", 20, "show at most so many")
	c.Flags().StringVar(&within, "tree", "", "only in this `tree`")
	c.RunE = func(c *cobra.Command, args []string) error {
		words := strings.Join(args, " ")
		if strings.TrimSpace(words) == "" {
			return failure.Usage("there is nothing to look for", "say some words: socrates tree search retry limit")
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
			a.Out.Tell("There are more; --limit shows them.\n")
		case len(hits) == 0 && !all:
			a.Out.Tell("Nobody said that here; --all looks in the trees of all folders.\n")
		case len(hits) == 0:
			a.Out.Tell("Nobody said that.\n")
		}
		a.TellUnindexed(e)
		return nil
	}
	return c
}
