package tree

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newList(a *commands) *cobra.Command {
	limit, all, deleted := 0, false, false
	c := &cobra.Command{Use: "list [WORDS]", Short: "List conversations in this folder, most recent first"}
	c.Flags().IntVar(&limit, "limit", 0, "maximum number to show (0: all)")
	c.Flags().BoolVar(&all, "all", false, "include all folders")
	c.Flags().BoolVar(&deleted, "deleted", false, "list deleted conversations (see tree restore)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if limit < 0 {
			return failure.Usage("--limit must be 0 or more", "0 shows all")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.Home.Settings.Dir()
		if all || deleted {
			dir = ""
		}
		if err != nil {
			return err
		}
		if deleted {
			return a.listTreeTrash(c.Context(), e, args, limit)
		}
		trees, err := e.Trees(c.Context(), dir)
		if err != nil {
			return err
		}
		kept := keepTrees(trees, func(t engine.TreeInfo) engine.TreeInfo { return t }, args)
		shown := kept
		if limit > 0 && len(kept) > limit {
			shown = kept[:limit]
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(shown)
		}
		for _, t := range shown {
			a.treeLine(t, out.Ago(t.Last), all)
		}
		switch {
		case len(shown) < len(kept):
			a.Out.Tell(fmt.Sprintf("%d older conversations are not shown; --limit 0 shows all.\n", len(kept)-len(shown)))
		case len(kept) == 0 && len(trees) > 0:
			a.Out.Tell("No conversation contains these words.\n")
		case len(kept) == 0:
			a.Out.Tell("No conversations in this folder. Start one: socrates run \"…\"; for all folders: socrates tree list --all.\n")
		}
		return nil
	}
	return c
}

// keepTrees keeps those whose name, folder or first words have all of some words.
func keepTrees[T any](all []T, info func(T) engine.TreeInfo, words []string) []T {
	kept := []T{}
	for _, x := range all {
		if t := info(x); out.Matches(t.Name+" "+t.Dir+" "+t.Title, words) {
			kept = append(kept, x)
		}
	}
	return kept
}

// treeLine is a tree in a list: a star marks the one in use.
func (a *commands) treeLine(t engine.TreeInfo, when string, folder bool) {
	mark, more := " ", ""
	if t.InUse {
		mark = "*"
	}
	if t.Branches > 1 {
		more = fmt.Sprintf("  %d branches", t.Branches)
	}
	if t.Running {
		more += "  running"
	}
	if folder {
		more += "  " + t.Dir
	}
	line := fmt.Sprintf("%s %-28s %-12s", mark, t.Name, when) + more
	width := out.Columns(os.Stdout)
	if room := width - len([]rune(line)) - 3; room >= 20 {
		line += "  " + out.Clip(t.Title, room)
	} else if t.Title != "" {
		line += "\n    " + out.Clip(t.Title, width-5)
	}
	fmt.Fprintln(a.Out, strings.TrimRight(line, " "))
}

// listTreeTrash lists the deleted trees, the last deleted first.
func (a *commands) listTreeTrash(ctx context.Context, e *engine.Engine, words []string, limit int) error {
	trash, err := e.TreeTrash(ctx)
	if err != nil {
		return err
	}
	kept := keepTrees(trash, func(d engine.DeletedTree) engine.TreeInfo { return d.TreeInfo }, words)
	if limit > 0 && len(kept) > limit {
		kept = kept[:limit]
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(kept)
	}
	for _, d := range kept {
		a.treeLine(d.TreeInfo, call.UntilText(time.Until(d.Until)), true)
	}
	if len(kept) == 0 {
		a.Out.Tell("No matching deleted conversations.\n")
	}
	return nil
}
