package debate

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newList is the command list. Words filter by name, question, standing and winner.
func newList(a *commands) *cobra.Command {
	limit, deleted := 0, false
	c := &cobra.Command{Use: "list [WORDS]", Short: "List debates, newest first"}
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.Flags().BoolVar(&deleted, "deleted", false, "list deleted debates (see debate restore)")
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
		kept, more, err := a.narrow(c.Context(), e, args, limit)
		if err != nil {
			return err
		}
		list := out.List[rooms.Info]{Rows: kept, Line: func(r rooms.Info) string { return roomLine(r, out.Ago(r.Started)) },
			None: "No debates yet. Start one: socrates debate \"Should we …?\"\n"}
		if len(args) > 0 {
			list.None = "No debate contains these words.\n"
		}
		if more {
			list.Then = "Older debates are not shown; for all: socrates debate list --limit 0\n"
			// Programs get it as a warning: a list that is cut must not look whole.
			list.Left = "older debates are not listed; --limit 0 lists all"
		}
		return list.Write(a.Out)
	}
	return c
}

// narrow finds the newest debates that have the words, at most limit of them unless it is 0, and says whether there are more.
// Without words one more than limit is read, which says whether there are more; with words all are read, newest first,
// until enough fit.
func (a *commands) narrow(ctx context.Context, e *engine.Engine, words []string, limit int) (kept []rooms.Info, more bool, err error) {
	kept = []rooms.Info{}
	if len(words) == 0 && limit > 0 {
		if kept, err = rooms.In(e).List(ctx, limit+1); len(kept) > limit {
			return kept[:limit], true, err
		}
		return kept, false, err
	}
	for r, err := range rooms.In(e).Each(ctx, false) {
		if err != nil {
			return nil, false, err
		}
		if !out.Matches(textOf(r), words) {
			continue
		}
		if limit > 0 && len(kept) == limit {
			return kept, true, nil
		}
		kept = append(kept, r)
	}
	return kept, false, nil
}

// textOf is what is searched for words: name, question, outcome and winner of a debate.
func textOf(r rooms.Info) string {
	text := r.Room + " " + r.Question + " " + room.Standing(r)
	if r.End != nil {
		text += " " + r.End.Winner
	}
	return text
}

// roomLine is a debate in a list: a line, or where the screen is narrow a few.
// Into a pipe goes one line per debate, whatever the width.
func roomLine(r rooms.Info, when string) string {
	asked := strings.Join(strings.Fields(r.Question), " ")
	line := fmt.Sprintf("%-34s %-11s %-25s ", r.Room, when, room.Standing(r))
	screen := out.Columns(os.Stdout)
	switch {
	case !out.IsTerminal(os.Stdout) || screen >= 145:
		line += out.Clip(asked, 70)
	case screen >= 74:
		line = strings.TrimRight(line, " ") + "\n    " + out.Clip(asked, screen-5)
	default:
		line = out.Wrap(r.Room+"  "+when+"  "+room.Standing(r), screen-1, "    ") + "\n    " + out.Clip(asked, screen-5)
	}
	return line + "\n"
}
