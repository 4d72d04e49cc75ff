package tree

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newSearch is the command search. All words must occur in one message, in any order and case.
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
		// A conversation that is named may belong to any folder.
		if all || within != "" {
			dir = ""
		}
		if err != nil {
			return err
		}
		hits, more, err := conversation.In(e).Search(c.Context(), conversation.Query{Words: words, Dir: dir, Tree: within, Most: limit})
		if err != nil {
			return err
		}
		list := out.List[conversation.Hit]{Rows: hits, Line: hitLine,
			None: "No matches in this folder. To search all folders, add --all.\n"}
		if all {
			list.None = "No matches.\n"
		}
		if more {
			list.Then = "There are more results; use a higher --limit.\n"
		}
		// An index that is still being made explains why something is not found.
		if err = list.Write(a.Out); a.Out.Format == "text" {
			a.TellUnindexed(e)
		}
		return err
	}
	return c
}

// hitLine is a message that was found, with where it is.
func hitLine(h conversation.Hit) string {
	who := h.Role
	if who != "" {
		who += ": "
	}
	return fmt.Sprintf("%s  %s  %s\n    %s\n", h.Tree, h.Node.Short(), out.Ago(h.At),
		out.Clip(who+clean.Line(h.Excerpt), out.Columns(os.Stdout)-5))
}
