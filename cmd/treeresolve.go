package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newTreeResolve(a *app) *cobra.Command {
	keep, whole, before, mode := false, false, false, ""
	c := &cobra.Command{Use: "resolve [TREE] HANDLE|NODE", Short: "Look behind a handle: what is there now, and whether it has changed",
		Long: `Look behind a handle. If the tree has looked before, it is said whether what is there is as
it was then, by its hash.

  file:PATH, file:PATH#10-20   a text file of the project, or some of its lines
  http://…, https://…          a page, if the rules let it be fetched; in a terminal you are asked
  postgres://USER@HOST/DB?SELECT …   what a database answers, read-only, 500 rows at most;
                               the password comes from PGPASSWORD or ~/.pgpass
  bash:NODE, bash:NODE/2       the whole output of a command, or of the second call of a node`,
		Example: `  socrates tree resolve file:go.mod --keep
  socrates tree resolve x7k2m9qa --whole`}
	c.Flags().BoolVar(&keep, "keep", false, "add what was seen to the tree, with its bytes")
	c.Flags().BoolVar(&whole, "whole", false, "print all of it and nothing else")
	c.Flags().BoolVar(&before, "before", false, "print all of what the tree kept of it and nothing else")
	modeFlag(c, &mode)
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t engine.Tree, args []string) error {
		l := engine.Lookup{Tree: t.Name, What: args[0], Keep: keep}
		if err := setMode(&l.Mode, mode); err != nil {
			return err
		}
		r, err := a.resolve(ctx, e, t, l)
		if err != nil {
			return err
		}
		switch {
		case before && r.Before == "":
			return failure.Usage("the tree kept no bytes of "+r.URI, "keep what is there now with --keep")
		case before:
			fmt.Fprint(a.Out, r.Before)
		case whole && r.State == engine.Gone:
			return failure.Usage(r.URI+" cannot be looked at any more: "+r.Why, "--before prints what the tree kept")
		case whole:
			fmt.Fprint(a.Out, r.Text)
		case a.Out.Format != "text":
			return a.Out.JSON(r)
		default:
			a.Out.Tell(out.Fit(os.Stderr, standingText(r)+"\n", "  "))
			fmt.Fprintln(a.Out, strings.TrimRight(r.Face, "\n"))
		}
		return nil
	})
}

// standingText says how what is there stands to what the tree has.
func standingText(r engine.Resolved) string {
	text := fmt.Sprintf("%s  %d bytes  sha256 %.12s\n", r.URI, r.Bytes, r.SHA256)
	switch r.State {
	case engine.Unseen:
		text += "Not looked at before in this tree."
	case engine.Same:
		text += "As it was when it was looked at (" + r.Node.Short() + ")."
	case engine.Changed:
		text += fmt.Sprintf("Changed since it was looked at (%s, sha256 %.12s). This is what is there now.", r.Node.Short(), r.Was.SHA256)
	case engine.Gone:
		text = fmt.Sprintf("%s  %d bytes  sha256 %.12s\nNo longer there: %s. This is its face as it was (%s).", r.URI, r.Was.Bytes, r.Was.SHA256, r.Why,
			r.Node.Short())
	}
	if r.Before != "" && (r.State == engine.Changed || r.State == engine.Gone) {
		text += " --before prints what was kept."
	}
	if r.Kept != "" {
		text += " Kept."
	}
	return text
}
