package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// newFork returns the command fork. Its argument is a tree, which people take for the branch: the refusal shows how
// to name a branch.
func newFork(a *commands) *cobra.Command {
	op := conversation.Branch{}
	c := &cobra.Command{Use: "fork [TREE]", Short: "Create a branch and switch to it",
		Example: `  socrates tree fork
  socrates tree fork --at HEAD~2 --name other-way --files`}
	c.Flags().StringVar(&op.Name, "name", "", "`name` of the branch (default: generated)")
	c.Flags().StringVar(&op.At, "at", "", "start at this `node` (default: HEAD)")
	c.Flags().BoolVar(&op.Stay, "stay", false, "create the branch but do not switch")
	c.Flags().BoolVar(&op.Files, "files", false, "also revert the project's files to that point")
	c.MarkFlagsMutuallyExclusive("stay", "files")
	c = a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		op.Tree = t.Name
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		now, err := conversation.In(e).Open(ctx, t.Name)
		if err != nil {
			return err
		}
		// Name the branch it stays on: people expect a fork to switch.
		if op.Stay {
			return a.moved(ctx, e, t.Name, "Created the branch; "+t.Name+" stays on "+now.Branch+".")
		}
		return a.brought(ctx, e, t, "Switched "+t.Name+" to new branch "+now.Branch+".", "", op.Files)
	})
	// What onTree made is wrapped: only here is an unknown tree likely meant as a branch.
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		err := run(c, args)
		// no such tree: the word may be meant as the branch
		if r, ok := errors.AsType[*engine.Refusal](err); ok && len(args) == 1 && op.Tree == "" {
			return failure.Usage(r.Message, "to name the new branch, write: socrates tree fork --name "+args[0])
		}
		return err
	}
	return c
}

// newBranches is the command branches. Programs get nodes and times, people the last words of each.
func newBranches(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "branches [TREE]", Short: "List branches and their latest message"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		all, err := conversation.In(e).Branches(ctx, t)
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
			fmt.Fprintln(a.Out, out.Clip(fmt.Sprintf("%s %-12s %s %-10s %s", mark, b.Name, b.Head.Short(), out.Ago(b.Moved), text),
				out.Columns(os.Stdout)-1))
		}
		return nil
	})
}

// lastWords returns the last line shown to a person on the path to a node.
func lastWords(ctx context.Context, e *engine.Engine, head tree.ID) (string, error) {
	path, err := conversation.In(e).Path(ctx, head)
	if err != nil {
		return "", err
	}
	for len(path) > 1 && path[len(path)-1].Kind == string(margin.SnapKind) { // about files, not messages
		path = path[:len(path)-1]
	}
	// The last forty nodes are enough for one shown line.
	lines := outline.Of(path[max(0, len(path)-40):])
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

// newLeaves returns the command leaves, the only way to find ends of the tree that no branch points at.
func newLeaves(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "leaves [TREE]", Short: "List leaf nodes, including orphaned ones"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		nodes, err := e.Tree(ctx, t.Root)
		if err != nil {
			return err
		}
		v, err := viewOf(ctx, e, t, nodes)
		if err != nil {
			return err
		}
		list, lines := []leaf{}, map[tree.ID]string{}
		for _, l := range v.Lines {
			if l.Leaf {
				list = append(list, leaf{l.Node, l.Branches, l.Here, treeMark{Role: l.Role, Text: l.Text}.text(1000)})
				l.rails = l.Node.Short() + " "
				lines[l.Node] = l.text(out.Columns(os.Stdout)) + "\n"
			}
		}
		return out.List[leaf]{Rows: list, Line: func(l leaf) string { return lines[l.Node] }}.Write(a.Out)
	})
}

// newSwitch returns the command switch. At a node without a branch it creates one, so that nothing is ever added to
// another branch.
func newSwitch(a *commands) *cobra.Command {
	files := false
	c := &cobra.Command{Use: "switch [TREE] BRANCH|NODE", Short: "Switch to a branch or node",
		Example: `  socrates tree switch main
  socrates tree switch --files branch-2`}
	c.Flags().BoolVar(&files, "files", false, "also revert the project's files to that point")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		if _, err := e.Do(ctx, conversation.SwitchTo{Tree: t.Name, Branch: args[0], Files: files}); err != nil {
			return err
		}
		now, err := conversation.In(e).Open(ctx, t.Name)
		if err != nil {
			return err
		}
		return a.brought(ctx, e, t, "Switched "+t.Name+" to "+now.Branch+".", "", files)
	})
}

// backNote reports which files the last op restored.
func backNote(ctx context.Context, e *engine.Engine, t conversation.Tree, files bool) string {
	if !files {
		return ""
	}
	return "\n" + strings.TrimSpace(told.Brought(lastBrought(ctx, e, t), "socrates tree redo "+t.Name))
}

// lastBrought returns what the last op did to the files; the zero value: nothing, or unknown.
func lastBrought(ctx context.Context, e *engine.Engine, t conversation.Tree) margin.Snap {
	now, err := conversation.In(e).Open(ctx, t.Name)
	if err != nil || now.Head == t.Head { // what is there was there before
		return margin.Snap{}
	}
	s, _ := now.Brought(ctx, conversation.In(e))
	return s
}

// refiled reports what an undo or redo did, and fails if files could not be restored; other is the command that
// reverses it. Files blocked by something are left unchanged and make it exit with 1, with the two commands that try
// again.
func (a *commands) refiled(ctx context.Context, e *engine.Engine, t conversation.Tree, sentence, other, again string) error {
	if err := a.moved(ctx, e, t.Name, sentence+" The conversation is unchanged."+backNote(ctx, e, t, true)); err != nil {
		return err
	}
	did := lastBrought(ctx, e, t)
	if len(told.Blocked(did)) == 0 {
		return nil
	}
	then := "socrates tree " + again + " " + t.Name
	if len(did.Files) > 0 { // what could be done is done and must be taken back first
		then = "socrates tree " + other + " " + t.Name + ", and " + then
	}
	return failure.New(failure.ExitFailed, "left", "not every file could be restored", "move the blocking files away, then: "+then)
}

// brought reports where a conversation is now and which files followed. Files blocked by something make it exit with 1.
func (a *commands) brought(ctx context.Context, e *engine.Engine, t conversation.Tree, sentence, more string, files bool) error {
	if err := a.moved(ctx, e, t.Name, sentence+backNote(ctx, e, t, files)+more); err != nil || !files {
		return err
	}
	if len(told.Blocked(lastBrought(ctx, e, t))) > 0 {
		now, err := conversation.In(e).Open(ctx, t.Name)
		if err != nil {
			return err
		}
		return failure.New(failure.ExitFailed, "left", "not every file could be restored",
			"move the blocking files away, then: "+told.Finish(now.Name, now.Branch))
	}
	return nil
}

// newBack returns the command back. It prints the command that returns to what it leaves.
func newBack(a *commands) *cobra.Command {
	op := conversation.Back{}
	c := &cobra.Command{Use: "back [TREE] [TURNS]", Short: "Step back one or more turns (nothing is deleted)",
		Example: `  socrates tree back
  socrates tree back 3
  socrates tree back --to good --files`}
	c.Flags().StringVar(&op.To, "to", "", "go back to this `node`")
	c.Flags().BoolVar(&op.Files, "files", false, "also revert the project's files to that point")
	return a.onTree(c, 0, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		op.Tree = t.Name
		if len(args) > 0 {
			n, err := strconv.Atoi(args[0])
			// A number together with --to would name two places.
			if err != nil || n < 1 || op.To != "" {
				return failure.Usage(fmt.Sprintf("%q is not a number of turns", args[0]),
					"use a number such as 2, or name a node with --to")
			}
			op.Turns = n
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		now, err := conversation.In(e).Open(ctx, t.Name)
		if err != nil {
			return err
		}
		text, err := lastWords(ctx, e, now.Head)
		if err != nil {
			return err
		}
		// The way forward is the old head, which may have no branch any more.
		forward := "\nForward again: socrates tree back " + t.Name + " --to " + t.Head.Short() + map[bool]string{true: " --files"}[op.Files]
		place := "Back at: " + out.Clip(text, 60)
		if text == "("+t.Name+")" { // the root has no message
			place = "Back at the start " + text
		}
		return a.brought(ctx, e, t, place, forward, op.Files)
	})
}

// newUndo returns the command undo: it restores files only, the conversation stays.
func newUndo(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "undo [TREE]", Short: "Revert the last turn's file changes"}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		if _, err := e.Do(ctx, conversation.Undo{Tree: t.Name}); err != nil {
			return err
		}
		return a.refiled(ctx, e, t, "Undone.", "redo", "undo")
	})
}

// newRedo returns the command redo. It knows only the last restore of files on this branch.
func newRedo(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "redo [TREE]", Short: "Redo the last file revert",
		Long: `Reapply the file changes that the last undo, back --files or switch --files on this branch
reverted, including your own edits. The conversation does not move.`}
	return a.onTree(c, 0, 0, func(ctx context.Context, e *engine.Engine, t conversation.Tree, _ []string) error {
		if _, err := e.Do(ctx, conversation.Redo{Tree: t.Name}); err != nil {
			return err
		}
		return a.refiled(ctx, e, t, "Redone.", "undo", "redo")
	})
}

// newMerge returns the command merge: it adds the result of another branch to this one as a node. No files are
// merged.
func newMerge(a *commands) *cobra.Command {
	text := ""
	c := &cobra.Command{Use: "merge [TREE] BRANCH|NODE", Short: "Merge another branch's result into this one"}
	c.Flags().StringVar(&text, "text", "", "the result to merge (default: the last answer)")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		if _, err := e.Do(ctx, conversation.Merge{Tree: t.Name, From: args[0], Text: text}); err != nil {
			return err
		}
		return a.moved(ctx, e, t.Name, "Merged "+args[0]+" into "+t.Branch+".")
	})
}

// newLabel is the command label.
func newLabel(a *commands) *cobra.Command {
	at := ""
	c := &cobra.Command{Use: "label [TREE] NAME", Short: "Label a node"}
	c.Flags().StringVar(&at, "at", "", "`node` to label (default: HEAD)")
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		n, err := conversation.In(e).Locate(ctx, t, at)
		if err != nil {
			return err
		}
		if _, err := e.Do(ctx, conversation.Label{Tree: t.Name, At: at, Name: args[0]}); err != nil {
			return err
		}
		return a.Out.Done(map[string]any{"tree": t.Name, "label": args[0], "node": n.ID}, "Labelled "+n.ID.Short()+" "+args[0]+".")
	})
}
