package tree

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/out"
)

// everything is a limit above any number of messages.
const everything = 1 << 30

// newSearch is the command search, over the messages of conversations: all words must occur in one, in any order and case.
func newSearch(a *commands) *cobra.Command {
	within := ""
	found := noun.Noun[conversation.Hit]{Call: a.Call, Is: "message", Are: "messages", Path: "socrates tree",
		Scope: noun.Folder(a.Call), Most: call.Listed, Indexed: true,
		Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]conversation.Hit, error) {
			most := q.AtMost()
			if most == 0 {
				most = everything
			}
			if within != "" { // the conversation may belong to any folder
				q.Dir = ""
			}
			hits, _, err := conversation.In(e).Search(ctx, conversation.Query{Words: strings.Join(q.Words, " "), Dir: q.Dir,
				Tree: within, Most: most})
			return hits, err
		}),
		Line: hitLine}
	c := found.Search(&cobra.Command{Use: "search WORDS", Short: "Search conversations in this folder"})
	c.Flags().StringVar(&within, "tree", "", "search only this `conversation`")
	return c
}

// hitLine formats a message that was found, with its place.
func hitLine(h conversation.Hit) string {
	who := h.Role
	if who != "" {
		who += ": "
	}
	return fmt.Sprintf("%s  %s  %s\n    %s\n", h.Tree, h.Node.Short(), out.Ago(h.At),
		out.Clip(who+clean.Line(h.Excerpt), out.Columns(os.Stdout)-5))
}
