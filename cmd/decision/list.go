package decision

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/out"
)

// decided describes decisions for noun. Rehearsals are marked, superseded decisions stay in the list.
func (a *commands) decided() noun.Noun[rooms.Decision] {
	return noun.Noun[rooms.Decision]{Call: a.Call, Is: "decision", Are: "decisions", Path: "socrates decisions",
		First: `Make one: socrates debate "Should we …?"`, Scope: noun.Project(a.Call), Most: call.Listed, Indexed: true,
		Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]rooms.Decision, error) {
			found, _, err := rooms.In(e).Decisions(ctx, q.Dir, strings.Join(q.Words, " "), q.AtMost())
			return found, err
		}),
		Line: func(d rooms.Decision) string { return lines(d, false) },
		Far:  func(d rooms.Decision) string { return lines(d, true) },
		Name: func(d rooms.Decision) (string, string) { return d.Room, out.Clip(d.Question, 60) }, Index: a.rooms.Offers, Last: true}
}

// Lines formats a decision as a list shows it; all: with its folder.
func (*Decisions) Lines(d rooms.Decision, all bool) string { return lines(d, all) }

// lines formats a decision for the list: its name, then the question and the answer. It is two lines and a third for
// what superseded it; memory search shows decisions the same way.
func lines(d rooms.Decision, all bool) string {
	line := fmt.Sprintf("%-34s %-11s %s\n", d.Room, out.Ago(d.Started), d.Standing())
	text := fmt.Sprintf("    %s\n    %s\n", out.Clip(out.OneLine(d.End.Winner), 75), out.Clip(out.OneLine(d.Question), 75))
	if d.Superseded != nil {
		text += "    superseded by " + d.Superseded.By + "\n"
	}
	if all {
		text += "    in " + d.Dir + "\n"
	}
	return line + text
}
