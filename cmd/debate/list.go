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
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newList(a *commands) *cobra.Command {
	limit, deleted := 0, false
	c := &cobra.Command{Use: "list [WORDS]", Short: "List debates, newest first"}
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.Flags().BoolVar(&deleted, "deleted", false, "list deleted debates (see debate restore)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if limit < 0 {
			return failure.Usage("--limit must be 0 or more", "0 shows all")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if deleted {
			return a.listTrash(c.Context(), e, args, limit)
		}
		kept, more, err := a.narrow(c.Context(), e, args, limit)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			if more {
				a.Out.Warn("older debates are not listed; --limit 0 lists all")
			}
			return a.Out.JSON(kept)
		}
		for _, r := range kept {
			a.roomLine(r, out.Ago(r.Started))
		}
		switch {
		case more:
			a.Out.Tell("Older debates are not shown; for all: socrates debate list --limit 0\n")
		case len(kept) == 0 && len(args) > 0:
			a.Out.Tell("No debate contains these words.\n")
		case len(kept) == 0:
			a.Out.Tell("No debates yet. Start one: socrates debate \"Should we …?\"\n")
		}
		return nil
	}
	return c
}

// narrow finds the newest debates that have the words, at most limit of them unless it is 0, and says whether there are more.
func (a *commands) narrow(ctx context.Context, e *engine.Engine, words []string, limit int) (kept []engine.RoomInfo, more bool, err error) {
	kept = []engine.RoomInfo{}
	if len(words) == 0 && limit > 0 {
		if kept, err = e.Rooms(ctx, limit+1); len(kept) > limit {
			return kept[:limit], true, err
		}
		return kept, false, err
	}
	for r, err := range e.EachRoom(ctx, false) {
		if err != nil {
			return nil, false, err
		}
		if !hasWords(r, words) {
			continue
		}
		if limit > 0 && len(kept) == limit {
			return kept, true, nil
		}
		kept = append(kept, r)
	}
	return kept, false, nil
}

// hasWords says whether name, question, outcome and winner of a debate have all words.
func hasWords(r engine.RoomInfo, words []string) bool {
	text := r.Room + " " + r.Question + " " + room.Standing(r)
	if r.End != nil {
		text += " " + r.End.Winner
	}
	return out.Matches(text, words)
}

// roomLine is a debate in a list: a line, or where the screen is narrow a few.
func (a *commands) roomLine(r engine.RoomInfo, when string) {
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
	fmt.Fprintln(a.Out, line)
}
