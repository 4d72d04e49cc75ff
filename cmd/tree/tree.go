// Package tree holds the commands of conversations as trees: they show, branch, compare, merge, transfer, undo and
// prune them.
//
// Most take the name of a conversation before their other arguments, and default to the one in use; onTree finds it.
// Commands that change something are operations of internal/engine/conversation and never overwrite: going back,
// switching and undoing move names and files, and what was left behind stays in the tree. Files are restored from
// snapshots, only with --files or undo.
//
// Only exec, resolve and add may ask the person for a permission; elsewhere what needs one is refused.
//
// Exit codes: 0; 1 files that could not be restored, a handle that could not be resolved, a command that failed, a
// message that was not read; 2 a tree, node or branch that does not exist; 6 denied; 130 and the like if a signal
// stopped it.
//
// Files: tree.go has names (new, use, rename, delete, restore), branch.go moves, show.go, list.go, search.go and
// diff.go show, say.go adds without a model and shows what a model would be sent, resolve.go resolves handles,
// interject.go sends to a running turn, transfer.go, page.go and import.go export and import conversations, prune.go
// frees disk space.
//
// None of these commands calls a model. Exec, resolve and add --handle go through the same gate and sandbox as an
// agent's calls. What other programs wrote (import) is untrusted: it names no command to run, and its mode is reduced
// to balanced.
//
// With --output json every command that moves something prints the tree, its branch and its head; those that show
// something print all of it, not cut to the width of a terminal.
package tree

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Ask runs do and asks the person at the terminal each question of the tree after node number after. cmd wires
// cmd/talk's Ask here.
type Ask func(ctx context.Context, e *engine.Engine, root tree.ID, after int64, do func(context.Context) error) error

// commands is made once for the program and shared by all tree commands.
type commands struct {
	*call.Call
	ask Ask
}

// Trees are the tree commands of a call.
type Trees struct{ commands }

// New returns the tree commands of a call.
func New(shared *call.Call, ask Ask) *Trees { return &Trees{commands{shared, ask}} }

// Commands returns the command tree with its subcommands.
func (t *Trees) Commands() []*cobra.Command {
	a := &t.commands
	c := &cobra.Command{Use: "tree", Short: "Inspect, branch, compare and merge conversations",
		Long: `A conversation is a tree. Every message, tool call and answer is a node; a branch is a name
that moves along with a conversation. Nothing is ever overwritten.

TREE names a conversation. Where it is optional, the default is the one set here with tree use or
created since; otherwise, the most recent one. A NODE is a branch, a label, the end of an id
(tree show --nodes prints ids), HEAD, or HEAD~2 for two turns back.`,
		Example: `  socrates tree show
  socrates tree fork --at HEAD~1
  socrates tree diff main branch-2`}
	n := a.listed()
	c.AddCommand(newTree(a), n.List("List conversations in this folder, most recent first"), newUse(a),
		newShow(a, n), newAdd(a), newSay(a), newExec(a), newContext(a), newResolve(a),
		newFork(a), newBranches(a), newLeaves(a), newSwitch(a), newBack(a), newUndo(a), newRedo(a), newDiff(a), newMerge(a), newLabel(a),
		newSearch(a), newExport(a), newImport(a), newRename(a),
		n.Remove(&cobra.Command{Use: "delete TREE…", Aliases: []string{"rm"},
			Short: "Delete conversations; for " + call.TrashDays + " they can be restored",
			Long: `Delete conversations with all their branches. For ` + call.TrashDays + ` you can restore them
with socrates tree restore; after that they are removed from the disk. Project files are not
touched.`}),
		n.Restores(&cobra.Command{Use: "restore TREE", Short: "Restore a deleted conversation"}), newPrune(a, n))
	return []*cobra.Command{c}
}

// onTree makes a command run on a tree that may be named before its least to most other arguments. With fewer
// arguments than the maximum, the first one is a tree if a tree has that name. A name that is both a tree and a
// branch therefore means the tree; naming both resolves it.
func (a *commands) onTree(c *cobra.Command, least, most int,
	run func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return failure.Usage("missing argument: "+c.UseLine(), "see: "+c.CommandPath()+" --help")
		case len(args) > most+1:
			return failure.Usage(fmt.Sprintf("%s takes at most %d arguments, not %d", c.CommandPath(), most+1, len(args)),
				`quote text: "…"; see: `+c.CommandPath()+" --help")
		}
		return nil
	}
	c.ValidArgsFunction = a.listed().Offers(1)
	if !slices.Contains([]string{"exec", "resolve", "add"}, c.Name()) { // other commands ask nothing: what needs a permission is refused
		call.Unattended(c)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name := ""
		if len(args) > most {
			name, args = args[0], args[1:]
		} else if len(args) > least { // only a name that exists counts, so that a message may be one word
			if _, err := conversation.In(e).Open(ctx, args[0]); err == nil || args[0] == "last" {
				name, args = args[0], args[1:]
			}
		}
		t, err := a.treeNamed(ctx, e, name)
		if err != nil {
			return err
		}
		return run(ctx, e, t, args)
	}
	return c
}

// treeNamed opens a tree; without a name, or with "last", the one in use.
func (a *commands) treeNamed(ctx context.Context, e *engine.Engine, name string) (conversation.Tree, error) {
	if name == "last" {
		if t, err := conversation.In(e).Open(ctx, name); err == nil { // a tree is called "last"
			return t, nil
		}
		name = ""
	}
	if name == "" {
		dir, err := a.Dir()
		if err != nil {
			return conversation.Tree{}, err
		}
		// The error explains how to begin one.
		if name, err = conversation.In(e).Last(ctx, dir); err != nil {
			return conversation.Tree{}, err
		}
	}
	return conversation.In(e).Open(ctx, name)
}

// moved reports the position of a tree after an op. All commands that move something give a program the same three
// fields.
func (a *commands) moved(ctx context.Context, e *engine.Engine, name, sentence string) error {
	object, err := stands(ctx, e, name)
	if err != nil {
		return err
	}
	return a.Out.Done(object, sentence)
}

// stands describes the position of a tree for a program.
func stands(ctx context.Context, e *engine.Engine, name string) (map[string]any, error) {
	t, err := conversation.In(e).Open(ctx, name)
	return map[string]any{"tree": t.Name, "branch": t.Branch, "head": t.Head}, err
}

// newTree returns the command new. The new conversation becomes the one in use in this folder.
func newTree(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "new [NAME]", Short: "Create an empty conversation", Args: cobra.MaximumNArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		dir, err := a.Dir()
		if err != nil {
			return err
		}
		op := conversation.NewTree{Title: "conversation", Dir: dir}
		if len(args) == 1 {
			op.Name = args[0]
		}
		root, err := e.Do(ctx, op)
		if err != nil {
			return err
		}
		nodes, err := conversation.In(e).Path(ctx, root)
		if err != nil {
			return err
		}
		r, _ := talk.RootKind.Of(nodes[0])
		// The most recent one is the default as well, but not after an older one was used.
		if _, err := e.Do(ctx, conversation.Use{Tree: r.Name, Dir: dir}); err != nil {
			return err
		}
		return a.moved(ctx, e, r.Name, "Created "+r.Name+". Start with: socrates run --continue \"…\"")
	}
	return c
}

// newUse is the command use.
func newUse(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "use TREE", Short: "Set this folder's default conversation", Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.listed().Offers(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.Dir()
		if err != nil {
			return err
		}
		if _, err := e.Do(c.Context(), conversation.Use{Tree: args[0], Dir: dir}); err != nil {
			return err
		}
		return a.moved(c.Context(), e, args[0], "Commands in this folder now use "+args[0]+".")
	}
	return c
}

// newRename returns the command rename. Labels, branches and records are kept: they identify the tree by its first
// node.
func newRename(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "rename [TREE] TITLE", Short: "Rename a conversation"}
	return a.onTree(c, 1, 1, func(ctx context.Context, e *engine.Engine, t conversation.Tree, args []string) error {
		if _, err := e.Do(ctx, conversation.Rename{Tree: t.Name, Name: args[0]}); err != nil {
			return err
		}
		return a.moved(ctx, e, args[0], "Renamed "+t.Name+" to "+args[0]+".")
	})
}
