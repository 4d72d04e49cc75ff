package debate

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/out"
)

// listed describes debates for noun. Searches match words in name, question, outcome and winner.
func (a *commands) listed() noun.Noun[rooms.Deleted] {
	return noun.Noun[rooms.Deleted]{Call: a.Call, Is: "debate", Are: "debates", Path: "socrates debate",
		First: `Start one: socrates debate "Should we …?"`, Most: call.Listed,
		Rows: func(ctx context.Context, q noun.Query) iter.Seq2[rooms.Deleted, error] {
			return func(yield func(rooms.Deleted, error) bool) {
				e, err := a.Open(ctx)
				if err != nil {
					yield(rooms.Deleted{}, err)
					return
				}
				for r, err := range rooms.In(e).Each(ctx, false) {
					if !yield(rooms.Deleted{Info: r}, err) {
						return
					}
				}
			}
		},
		Line: roomLine,
		Text: func(r rooms.Deleted) string {
			text := r.Room + " " + r.Question + " " + r.Standing()
			if r.End != nil {
				text += " " + r.End.Winner
			}
			return text
		},
		Name:  func(r rooms.Deleted) (string, string) { return r.Room, out.Clip(r.Question, 60) },
		Index: a.rooms.Offers, Last: true,
		Trash: &noun.Trash[rooms.Deleted]{
			Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]rooms.Deleted, error) {
				most := q.AtMost()
				if len(q.Words) > 0 {
					most = 0
				}
				return rooms.In(e).Trash(ctx, q.Dir, most)
			}),
			Named:   a.rooms.Name,
			Delete:  func(names []string) engine.Op { return rooms.Delete{Rooms: names} },
			Restore: func(name string) engine.Op { return rooms.Restore{Room: name} }}}
}

// newDelete is the command rm.
func newDelete(a *commands, n noun.Noun[rooms.Deleted]) *cobra.Command {
	return n.Remove(&cobra.Command{Use: "rm ROOM…", Aliases: []string{"delete"},
		Short: "Delete debates; for " + call.TrashDays + " they can be restored",
		Long: `Delete debates and their decisions. For ` + call.TrashDays + ` you can restore them with
socrates debate restore; after that, the next debate, rm or prune removes them from the disk.
Running debates and decision files already written are not touched.`,
		Example: `  socrates debate rm cache-mutex-channel-xezw
  socrates debate rm last`})
}

// roomLine formats a debate for a list: one line, or a few on a narrow screen. In a pipe it is always one line.
func roomLine(r rooms.Deleted) string {
	when := out.Ago(r.Started)
	if !r.Until.IsZero() {
		when = out.Until(time.Until(r.Until))
	}
	asked := strings.Join(strings.Fields(r.Question), " ")
	line := fmt.Sprintf("%-34s %-11s %-32s ", r.Room, when, r.Standing())
	screen := out.Columns(os.Stdout)
	switch {
	case !out.IsTerminal(os.Stdout) || screen >= 145:
		line += out.Clip(asked, 63)
	case screen >= 74:
		line = strings.TrimRight(line, " ") + "\n    " + out.Clip(asked, screen-5)
	default:
		line = out.Wrap(r.Room+"  "+when+"  "+r.Standing(), screen-1, "    ") + "\n    " + out.Clip(asked, screen-5)
	}
	return line + "\n"
}
