package tree

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/out"
)

// newResolve is the command resolve.
func newResolve(a *commands) *cobra.Command {
	keep, whole, before, all, mode := false, false, false, false, ""
	c := &cobra.Command{Use: "resolve [TREE] [HANDLE|NODE]", Short: "Resolve a handle and report changes",
		Long: `Print what a handle refers to now. If the conversation resolved it before, report whether the
content has changed, by its hash.

  file:PATH, file:PATH#10-20   a text file of the project, or a range of lines
  http://…, https://…          a web page, if permitted; in a terminal you are asked
  postgres://USER@HOST/DB?SELECT …   a query result: read-only, at most 500 rows;
                               the password comes from PGPASSWORD or ~/.pgpass
  bash:NODE, bash:NODE/2       a command's full output, or that of a node's second call

With --all, every handle on the way to HEAD is resolved.`,
		Example: `  socrates tree resolve file:go.mod --keep
  socrates tree resolve x7k2m9qa --whole
  socrates tree resolve --all`}
	c.Flags().BoolVar(&keep, "keep", false, "save the content to the conversation")
	c.Flags().BoolVar(&whole, "whole", false, "print only the full content")
	c.Flags().BoolVar(&before, "before", false, "print only the full content as saved")
	c.Flags().BoolVar(&all, "all", false, "resolve every handle on the way to HEAD")
	c.MarkFlagsMutuallyExclusive("all", "whole")
	c.MarkFlagsMutuallyExclusive("all", "before")
	modeFlag(c, &mode)
	return a.onTree(c, 0, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		l := turns.Lookup{Tree: t.Name, Keep: keep}
		if err := setMode(&l.Mode, mode); err != nil {
			return err
		}
		switch {
		case all && len(args) == 0:
			return a.resolveAll(ctx, e, t, l)
		case all || len(args) == 0:
			return failure.Usage("name one handle or node, or use --all", "see: socrates tree resolve --help")
		}
		l.What = args[0]
		r, err := a.resolve(ctx, e, t, l)
		if err != nil {
			return err
		}
		switch {
		// Only saved content can be shown as it was; an excerpt cannot.
		case before && r.Before == "":
			return failure.Usage("no saved content for "+r.URI, "save the current content with --keep")
		case before:
			fmt.Fprint(a.Out, r.Before)
		case whole && r.State == handle.Gone:
			return failure.Usage(r.URI+" cannot be resolved: "+r.Why, "print the saved content with --before")
		case whole:
			fmt.Fprint(a.Out, r.Text)
		case a.Out.Format != "text":
			return a.Out.JSON(r)
		// The state is for the person and goes to stderr; the content can be piped.
		default:
			a.Out.Tell(out.Fit(os.Stderr, standingText(r)+"\n", "  "))
			fmt.Fprintln(a.Out, strings.TrimRight(r.Face, "\n"))
		}
		return nil
	})
}

// resolveAll resolves every handle on the path to the head and reports the result of each. A handle that has changed
// is no failure; one that cannot be resolved is, after all have been tried.
func (a *commands) resolveAll(ctx context.Context, e *engine.Engine, t conversation.Tree, l turns.Lookup) error {
	uris, err := turns.In(e).Handles(ctx, t)
	if err != nil {
		return err
	}
	rows, failed := []turns.Resolved{}, 0
	for _, l.What = range uris {
		r, err := a.resolve(ctx, e, t, l)
		// Stopped, which does not mean unresolvable.
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed++
			r = turns.Resolved{URI: l.What, State: handle.Gone, Why: failure.Explain(err).Message}
		}
		rows = append(rows, r)
	}
	if a.Out.Format != "text" {
		if err := a.Out.JSON(rows); err != nil {
			return err
		}
	} else {
		if len(rows) == 0 {
			a.Out.Tell("No handles on the way to HEAD.\n")
		}
		for _, r := range rows {
			why := ""
			if r.Why != "" {
				why = "  " + r.Why
			}
			fmt.Fprintln(a.Out, out.Clip(fmt.Sprintf("%-8s %s%s", r.State, r.URI, why), out.Columns(os.Stdout)-1))
		}
	}
	// After all were tried and shown.
	if failed > 0 {
		return failure.New(failure.ExitFailed, "unresolved", fmt.Sprintf("%d of %d handles could not be resolved", failed, len(rows)),
			"resolve one alone: socrates tree resolve HANDLE")
	}
	return nil
}

// standingText describes how the current content compares with the tree's.
func standingText(r turns.Resolved) string {
	text := fmt.Sprintf("%s  %d bytes  sha256 %.12s\n", r.URI, r.Bytes, r.SHA256)
	switch r.State {
	case handle.Unseen:
		text += "First time resolved in this conversation."
	case handle.Same:
		text += "Unchanged since " + r.Node.Short() + "."
	case handle.Changed:
		text += fmt.Sprintf("Changed since %s (sha256 %.12s). Current content:", r.Node.Short(), r.Was.SHA256)
	case handle.Gone:
		text = fmt.Sprintf("%s  %d bytes  sha256 %.12s\nNo longer available: %s. Saved excerpt (%s):", r.URI, r.Was.Bytes,
			r.Was.SHA256, r.Why,
			r.Node.Short())
	}
	if r.Before != "" && (r.State == handle.Changed || r.State == handle.Gone) {
		text += " For the saved content: --before."
	}
	if r.Kept != "" {
		text += " Saved."
	}
	return text
}

// resolve resolves a handle, and in a terminal asks the person for permissions. Ctrl-C ends it. It watches the tree
// from its last node on, where such a question would appear.
func (a *commands) resolve(ctx context.Context, e *engine.Engine, t conversation.Tree, l turns.Lookup) (r turns.Resolved, err error) {
	last, _, err := conversation.In(e).LastNodes(ctx, t, 1)
	if err != nil || len(last) == 0 {
		return r, err
	}
	ctx, stop := a.Ended(ctx)
	defer stop()
	err = a.ask(ctx, e, t.Root, last[0].Seq, func(ctx context.Context) (err error) {
		r, err = turns.In(e).Resolve(ctx, l)
		return err
	})
	if ctx.Err() != nil {
		return r, failure.New(cmp.Or(int(a.EndedBy.Load()), failure.ExitInterrupted), "cancelled", "stopped before resolving", "")
	}
	return r, call.Denied(err)
}
