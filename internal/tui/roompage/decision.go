package roompage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// decision draws the first screen of the decision, as printed elsewhere, followed by everything it rests on.
func (vw *shown) decision(res debate.Result, w int) []string {
	t, d := vw.d.Theme, document.Of(res)
	d.Next = typed(d.Next, res.Room, vw.d.Keys.Key("debate-previous"))
	inks := map[document.Ink]theme.Ink{document.Strong: theme.Bold, document.Faint: t.Dim, document.Heading: t.Dim.And(theme.Bold),
		document.Mark: t.Focus.And(theme.Bold), document.Good: t.Good, document.Warn: t.Warn, document.Bad: t.Bad}
	text := d.Plain(document.Style{Columns: w, Clean: vw.d.Clean, Words: t.Plain,
		Ink: func(ink document.Ink, s string) string { return inks[ink].On(s) }})
	_, text, _ = strings.Cut(text, "\n\n") // the question is shown above already
	out := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, was := range vw.against {
		text := fmt.Sprintf("Contradicts %s, which decided “%s”. To replace it: /supersede %s", was.Room, was.Winner, was.Room)
		lines := line.Inked(t.Warn, line.Wrap(line.One(vw.d.Clean(text)), w-2*line.Margin))
		out = append(append(out, ""), line.Edged(lines)...)
	}
	if vw.scene.End != nil {
		out = append(append(out, "", box.Rule(t, t.Line, w)),
			line.Edged(vw.text.Lines(t, vw.d.Clean, d.Details(), min(w-2*line.Margin, 100)))...)
	}
	return out
}

// typed returns the next commands as they are typed here: nobody should have to leave the screen for one.
func typed(next []document.Command, room, transcript string) (out []document.Command) {
	for _, c := range next {
		switch own, told := strings.CutPrefix(c.Line, "socrates debate tell "+room+" "); {
		case strings.HasPrefix(c.Line, "sed "): // no shell is here, and the line is quoted beside its claim
			continue
		case told:
			c.Line = strings.Trim(own, `"`)
		case c.Line == "socrates debate show "+room+" --explain":
			c.Line = "/consensus"
		case c.Line == "socrates debate show "+room+" --transcript":
			c.Line = transcript // the view before this one
		case c.Line == "socrates debate resume "+room:
			c.Line = "/resume"
		case c.Line == "socrates login":
			c.Line = "/login"
		case strings.HasPrefix(c.Line, "socrates decisions "): // confirm and overrule, and which option
			words := strings.Fields(strings.TrimPrefix(c.Line, "socrates decisions "))
			c.Line = "/" + strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == room }), " ")
		}
		out = append(out, c)
	}
	return out
}

// contradicted looks for earlier decisions that rejected what this debate decided.
func contradicted(st *standing) tea.Cmd {
	return st.d.Away(func(ctx context.Context) func() tea.Cmd {
		lib := rooms.In(st.d.Engine)
		res, err := lib.Result(ctx, st.scene.Root)
		if err != nil {
			return func() tea.Cmd { return nil }
		}
		against, _ := rooms.Contradicted(ctx, lib, res, st.scene.Frame.Dir) // a note: a failed search is no failure of the debate
		return func() tea.Cmd { st.against = against; return nil }
	})
}
