package tree

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
)

// treeDiff is the difference between two nodes of a tree, for programs.
type treeDiff struct {
	Common tree.ID     `json:"common"`
	A      []tree.Node `json:"a"`
	B      []tree.Node `json:"b"`
	Files  []fileDiff  `json:"files"` // from a to b
	Known  bool        `json:"files_known"`
	Patch  string      `json:"patch"`
}

// fileDiff is a changed file, with its lines.
type fileDiff struct {
	Path    string              `json:"path"`
	Change  snapshot.ChangeKind `json:"change"`
	Added   int                 `json:"added"`
	Removed int                 `json:"removed"`
}

// newDiff returns the command diff. Files can be compared if both nodes have a snapshot; otherwise nothing changed
// there.
func newDiff(a *commands) *cobra.Command {
	patch := false
	c := &cobra.Command{Use: "diff [TREE] [A [B]]", Short: "Compare two branches: messages and files",
		Long: `Compare two branches or nodes: the messages since they forked, side by side if the terminal is
wide enough, and how the files at B differ from those at A. B defaults to HEAD. Without nodes,
shows what the last turn changed: HEAD~1, HEAD and --patch.`,
		Example: `  socrates tree diff
  socrates tree diff main branch-2
  socrates tree diff HEAD~1 HEAD --patch`}
	c.Flags().BoolVar(&patch, "patch", false, "also show the file changes as a diff")
	a.onTree(c, 2, 2, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		var at [2]tree.Node
		for i, name := range args {
			n, err := conversation.In(e).Locate(ctx, t, name)
			if err != nil {
				return err
			}
			at[i] = n
		}
		d, err := conversation.In(e).Diff(ctx, t, at[0].ID, at[1].ID)
		if err != nil {
			return err
		}
		files := []fileDiff{}
		for _, f := range d.Files {
			files = append(files, fileDiff{f.Path, f.Kind, f.Added, f.Removed})
		}
		if a.Out.Format != "text" {
			// Lists are never null: a program may count them.
			return a.Out.JSON(treeDiff{d.Common.ID, append([]tree.Node{}, d.A...), append([]tree.Node{}, d.B...), files, d.Kept, d.Patch})
		}
		a.showDiff(d, args[0], args[1], out.Columns(os.Stdout))
		a.showFiles(d, files, patch)
		return nil
	})
	needs, run := c.Args, c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return nil
		}
		return needs(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			e, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			if _, err := conversation.In(e).Open(c.Context(), args[0]); err != nil { // a node, and no tree
				return run(c, append(args, "HEAD"))
			}
		}
		if len(args) < 2 {
			patch, args = true, append(args, "HEAD~1", "HEAD")
		}
		return run(c, args)
	}
	return c
}

// besides is the screen width from which on two branches are shown side by side.
const besides = 100

// Side by side, rows are not aligned by content: both columns begin at the fork.
func (a *commands) showDiff(d conversation.Diff, one, two string, width int) {
	left, right := wordsOf(d.A), wordsOf(d.B)
	if width < besides {
		for _, side := range []struct {
			name string
			all  []string
		}{{one, left}, {two, right}} {
			fmt.Fprintf(a.Out, "── only on %s\n", side.name)
			for _, text := range side.all {
				fmt.Fprintln(a.Out, wrapped(text, width-1, "  "))
			}
		}
		return
	}
	half := (width - 4) / 2
	fmt.Fprintf(a.Out, "%-*s │ %s\n", half, out.Clip("only on "+one, half), "only on "+two)
	for i := range max(len(left), len(right)) {
		var l, r []string
		if i < len(left) {
			l = strings.Split(wrapped(left[i], half, "  "), "\n")
		}
		if i < len(right) {
			r = strings.Split(wrapped(right[i], half, "  "), "\n")
		}
		for j := range max(len(l), len(r)) {
			fmt.Fprintln(a.Out, strings.TrimRight(pad(lineAt(l, j), half)+" │ "+lineAt(r, j), " "))
		}
	}
}

// lineAt returns a line, or an empty one after the end.
func lineAt(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return ""
}

// pad fills a line with blanks to a width, in letters.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-len([]rune(s))))
}

// wordsOf formats nodes for a person: messages in full, and a line for each act.
func wordsOf(nodes []tree.Node) (list []string) {
	for _, n := range nodes {
		for _, l := range outline.Of([]tree.Node{n}) {
			text := l.Text
			// The text of a handle is a file's content: its line says enough.
			if words, ok := outline.Words(n); ok && n.Kind != string(material.HandleKind) {
				text = clean.Text(strings.TrimSpace(words))
				if n.Kind == string(talk.ExchangeKind) && l.Role == "" { // it also called tools
					text += "\n" + l.Text
				}
			}
			if l.Role != "" {
				text = l.Role + ": " + text
			}
			list = append(list, text)
		}
	}
	return list
}

// wrapped breaks every line of a text to a width.
func wrapped(text string, width int, indent string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i > 0 {
			l = indent + l
		}
		lines[i] = out.Wrap(l, width, indent)
	}
	return strings.Join(lines, "\n")
}

// showFiles shows how files differ. Snapshots are taken only when an agent changes something, so no snapshots means
// no changes.
func (a *commands) showFiles(d conversation.Diff, files []fileDiff, patch bool) {
	switch {
	case !d.Kept:
		fmt.Fprintln(a.Out, "── files: no changes on either branch")
		return
	case len(files) == 0:
		fmt.Fprintln(a.Out, "── files: identical")
		return
	}
	fmt.Fprintln(a.Out, "── files")
	for _, f := range files {
		fmt.Fprintf(a.Out, "  %-8s %s  +%d -%d\n", f.Change, clean.Line(f.Path), f.Added, f.Removed)
	}
	if patch {
		fmt.Fprint(a.Out, d.Patch)
	} else {
		a.Out.Tell("For a diff of the files, add --patch.\n")
	}
}
