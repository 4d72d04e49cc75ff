package tree

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/out"
)

// listed describes conversations for noun: name, folder and first words are searched. --all includes those of runs'
// agents, in the workspaces of the runs.
func (a *commands) listed() noun.Noun[conversation.Deleted] {
	return noun.Noun[conversation.Deleted]{Call: a.Call, Is: "conversation", Are: "conversations", Path: "socrates tree",
		First: `Start one: socrates run "…"`, Scope: noun.Folder(a.Call), Most: call.Listed,
		Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) (list []conversation.Deleted, _ error) {
			all, err := conversation.In(e).List(ctx, q.Dir)
			for _, t := range all {
				list = append(list, conversation.Deleted{Info: t})
			}
			return list, err
		}),
		Line:   func(t conversation.Deleted) string { return treeLine(t, false) },
		Far:    func(t conversation.Deleted) string { return treeLine(t, true) },
		Text:   func(t conversation.Deleted) string { return t.Name + " " + t.Dir + " " + t.Title },
		Name:   func(t conversation.Deleted) (string, string) { return t.Name, out.Clip(t.Title, 60) },
		Newest: func(context.Context) (string, error) { return "", nil }, // empty: the one in use
		Trash: &noun.Trash[conversation.Deleted]{
			Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]conversation.Deleted, error) {
				return conversation.In(e).Trash(ctx, q.Dir)
			}),
			Named: func(ctx context.Context, e *engine.Engine, name string) (string, error) { // people type titles, too
				t, err := conversation.In(e).Open(ctx, name)
				return t.Name, err
			},
			Delete:  func(names []string) engine.Op { return conversation.Delete{Trees: names} },
			Restore: func(name string) engine.Op { return conversation.Restore{Tree: name} },
			Stands:  stands}}
}

// treeLine formats a tree for a list: a star marks the one in use. The title goes on a line of its own if fewer than
// 20 columns are left for it.
func treeLine(t conversation.Deleted, folder bool) string {
	mark, more, when := " ", "", out.Ago(t.Last)
	if !t.Until.IsZero() {
		when = out.Until(time.Until(t.Until))
	}
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
