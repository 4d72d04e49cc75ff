package cmd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

func newTreeFork(a *app) *cobra.Command {
	op := engine.Branch{}
	c := &cobra.Command{Use: "fork [TREE]", Short: "Begin a branch at the head, or at any node, and go there",
		Example: `  socrates tree fork
  socrates tree fork --at HEAD~2 --name other-way`}
	c.Flags().StringVar(&op.Name, "name", "", "the `name` of the branch; made up if left out")
	c.Flags().StringVar(&op.At, "at", "", "begin at this `node`")
	c.Flags().BoolVar(&op.Stay, "stay", false, "stay on the branch the tree is on")
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t engine.Tree, _ []string) error {
		op.Tree = t.Name
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		now, err := e.OpenTree(ctx, t.Name)
		if err != nil {
			return err
		}
		if op.Stay {
			return a.moved(ctx, e, t.Name, "Began a branch; "+t.Name+" stays on "+now.Branch+".")
		}
		return a.moved(ctx, e, t.Name, t.Name+" is on the new branch "+now.Branch+".")
	})
}

func newTreeBranches(a *app) *cobra.Command {
	c := &cobra.Command{Use: "branches [TREE]", Short: "List the branches of a tree: where each has come to"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t engine.Tree, _ []string) error {
		all, err := e.Branches(ctx, t)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(all)
		}
		for _, b := range all {
			mark := " "
			if b.Current {
				mark = "*"
			}
			text, err := lastWords(ctx, e, b.Head)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Out, out.Clip(fmt.Sprintf("%s %-12s %s %-10s %s", mark, b.Name, b.Head.Short(), out.Ago(b.Moved), text), out.Columns(os.Stdout)-1))
		}
		return nil
	})
}

// lastWords is the last line a person is shown of the way to a node.
func lastWords(ctx context.Context, e *engine.Engine, head tree.ID) (string, error) {
	path, err := e.Path(ctx, head)
	if err != nil {
		return "", err
	}
	lines := talk.Outline(path[max(0, len(path)-40):])
	if len(lines) == 0 {
		return "", nil
	}
	return treeMark{Role: lines[len(lines)-1].Role, Text: lines[len(lines)-1].Text}.text(1000), nil
}

// leaf is an end of a tree.
type leaf struct {
	Node     tree.ID  `json:"node"`
	Branches []string `json:"branches"` // that end there
	Here     bool     `json:"here"`
	Text     string   `json:"text"`
}

func newTreeLeaves(a *app) *cobra.Command {
	c := &cobra.Command{Use: "leaves [TREE]", Short: "List the ends of a tree, also those no branch leads to any more"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t engine.Tree, _ []string) error {
		nodes, err := e.Tree(ctx, t.Root)
		if err != nil {
			return err
		}
		v, err := viewOf(ctx, e, t, nodes)
		if err != nil {
			return err
		}
		list := []leaf{}
		for _, l := range v.Lines {
			if l.Leaf {
				list = append(list, leaf{l.Node, l.Branches, l.Here, treeMark{Role: l.Role, Text: l.Text}.text(1000)})
				l.rails = l.Node.Short() + " "
				if a.Out.Format == "text" {
					fmt.Fprintln(a.Out, l.text(out.Columns(os.Stdout)))
				}
			}
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(list)
		}
		return nil
	})
}

func newTreeSwitch(a *app) *cobra.Command {
	files := false
	c := &cobra.Command{Use: "switch [TREE] BRANCH|NODE", Short: "Go to another branch; at a node no branch ends at, begin one",
		Example: `  socrates tree switch main
  socrates tree switch --files branch-2`}
	c.Flags().BoolVar(&files, "files", false, "bring the files of the project to what they were there")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t engine.Tree, args []string) error {
		if _, err := e.Do(ctx, engine.SwitchTo{Tree: t.Name, Branch: args[0], Files: files}); err != nil {
			return err
		}
		now, err := e.OpenTree(ctx, t.Name)
		if err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, t.Name+" is on "+now.Branch+"."+a.backNote(ctx, e, t, files))
	})
}

// backNote says which files were brought back by the op that came last.
func (a *app) backNote(ctx context.Context, e *engine.Engine, t engine.Tree, files bool) string {
	if !files {
		return ""
	}
	now, err := e.OpenTree(ctx, t.Name)
	if err != nil {
		return ""
	}
	path, err := e.Path(ctx, now.Head)
	if err != nil {
		return ""
	}
	s, _ := talk.SnapKind.Of(path[len(path)-1])
	if s.Why != "restored" {
		s = talk.Snap{}
	}
	return "\n" + strings.TrimSpace(slash.Brought(s, "socrates tree redo "+t.Name))
}

func newTreeBack(a *app) *cobra.Command {
	op := engine.Back{}
	c := &cobra.Command{Use: "back [TREE] [TURNS]", Short: "Go back one turn or more on the branch; what lay ahead stays in the tree",
		Example: `  socrates tree back
  socrates tree back 3
  socrates tree back --to good --files`}
	c.Flags().StringVar(&op.To, "to", "", "go back to this `node` instead")
	c.Flags().BoolVar(&op.Files, "files", false, "bring the files of the project to what they were there")
	return a.onTree(c, 0, 1, func(ctx context.Context, e *engine.Engine, t engine.Tree, args []string) error {
		op.Tree = t.Name
		if len(args) > 0 {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || op.To != "" {
				return failure.Usage(fmt.Sprintf("%q is not how many turns to go back", args[0]),
					"a number such as 2; or a node, with --to")
			}
			op.Turns = n
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		now, err := e.OpenTree(ctx, t.Name)
		if err != nil {
			return err
		}
		text, err := lastWords(ctx, e, now.Head)
		if err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "Back at: "+out.Clip(text, 60)+a.backNote(ctx, e, t, op.Files))
	})
}

func newTreeUndo(a *app) *cobra.Command {
	c := &cobra.Command{Use: "undo [TREE]", Short: "Bring the files back to what they were before the last turn that changed them"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t engine.Tree, _ []string) error {
		if _, err := e.Do(ctx, engine.Undo{Tree: t.Name}); err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "Undone. The conversation is unchanged."+a.backNote(ctx, e, t, true))
	})
}

func newTreeRedo(a *app) *cobra.Command {
	c := &cobra.Command{Use: "redo [TREE]", Short: "Take the last undo, back --files or switch --files back: the files become what they were then",
		Long: `Take the last undo, back --files or switch --files on the branch back: the files become what they
were then, with what you had changed in them yourself. The conversation stays where it is.`}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t engine.Tree, _ []string) error {
		if _, err := e.Do(ctx, engine.Redo{Tree: t.Name}); err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "Redone. The conversation is unchanged."+a.backNote(ctx, e, t, true))
	})
}

func newTreeMerge(a *app) *cobra.Command {
	text := ""
	c := &cobra.Command{Use: "merge [TREE] BRANCH|NODE", Short: "Bring what another branch came to back to this one, as one node"}
	c.Flags().StringVar(&text, "text", "", "what it came to; left out: its last answer")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t engine.Tree, args []string) error {
		if _, err := e.Do(ctx, engine.Merge{Tree: t.Name, From: args[0], Text: text}); err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "What "+args[0]+" came to is on "+t.Branch+" now.")
	})
}

func newTreeLabel(a *app) *cobra.Command {
	at := ""
	c := &cobra.Command{Use: "label [TREE] NAME", Short: "Give the head, or any node, a name to come back to"}
	c.Flags().StringVar(&at, "at", "", "this `node`")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t engine.Tree, args []string) error {
		n, err := e.Locate(ctx, t, at)
		if err != nil {
			return err
		}
		if _, err := e.Do(ctx, engine.Label{Tree: t.Name, At: at, Name: args[0]}); err != nil {
			return err
		}
		return a.treeDone(n.ID.Short()+" is labelled "+args[0]+".", map[string]any{"tree": t.Name, "label": args[0], "node": n.ID})
	})
}
