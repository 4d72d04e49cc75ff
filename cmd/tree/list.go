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
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newList is the command list. With --all the conversations of runs' agents are among them, in the workspaces of the
// runs.
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
		if deleted {
			return trash.List(c.Context(), a.Call, args, limit)
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.Home.Settings.Dir()
		if all {
			dir = ""
		}
		if err != nil {
			return err
		}
		trees, err := conversation.In(e).List(c.Context(), dir)
		if err != nil {
			return err
		}
		kept := []conversation.Info{}
		for _, t := range trees {
			if out.Matches(textOf(t), args) {
				kept = append(kept, t)
			}
		}
		shown := kept
		if limit > 0 && len(kept) > limit {
			shown = kept[:limit]
		}
		list := out.List[conversation.Info]{Rows: shown, Line: func(t conversation.Info) string {
			return treeLine(t,
				out.Ago(t.Last), all)
		},
			None: "No conversations in this folder. Start one: socrates run \"…\"; for all folders: socrates tree list --all.\n"}
		// There are conversations, so the words are to blame.
		if len(trees) > 0 {
			list.None = "No conversation contains these words.\n"
		}
		if len(shown) < len(kept) {
			list.Then = fmt.Sprintf("%d older conversations are not shown; --limit 0 shows all.\n", len(kept)-len(shown))
		}
		return list.Write(a.Out)
	}
	return c
}

// textOf is what is searched for words: name, folder and first words of a conversation.
func textOf(t conversation.Info) string { return t.Name + " " + t.Dir + " " + t.Title }

// treeLine is a tree in a list: a star marks the one in use.
// The title goes on a line of its own where fewer than 20 columns are left for it.
func treeLine(t conversation.Info, when string, folder bool) string {
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
	return strings.TrimRight(line, " ") + "\n"
}

// trash are the deleted conversations.
var trash = call.Trash[conversation.Deleted]{Are: "conversations",
	All: func(ctx context.Context, e *engine.Engine, _ int) ([]conversation.Deleted, error) {
		return conversation.In(e).Trash(ctx)
	},
	Text: func(d conversation.Deleted) string { return textOf(d.Info) },
	Line: func(d conversation.Deleted) string {
		return treeLine(d.Info, call.UntilText(time.Until(d.Until)), true)
	},
}
