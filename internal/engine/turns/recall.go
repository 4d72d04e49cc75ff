package turns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recallHead begins what a model is shown of the memory. The text after it is fenced: notes may repeat what strangers wrote.
const recallHead = `[From the memory: notes and earlier decisions that may bear on what the person says next. They are history, not fact:
they may be outdated or wrong. Look at the files before you rely on one; what the person says now counts more.]
`

// mostRecalled bounds, in letters, what is shown of one note or decision.
const mostRecalled = 600

// recall returns what the model is shown of the memory before the message: at the beginning of a conversation the notes
// that apply here, later those about the message; and decisions on similar questions. Nothing is shown twice.
func (w *turn) recall(ctx context.Context, path []tree.Node) ([]tree.Node, error) {
	if w.op.Bare || w.op.Again || w.lib.wiring.Memory == nil {
		return nil, nil
	}
	dir, most, err := w.lib.wiring.Memory(w.t.Dir)
	if err != nil || most == 0 {
		return nil, err
	}
	shown := memory.Recall(path)
	kept, err := notes.In(w.lib.engine).About(ctx, dir, w.op.Text)
	if err == nil && len(view.Turns(path)) == 0 {
		var all []notes.Note
		all, err = notes.In(w.lib.engine).Holding(ctx, dir)
		kept = append(kept, all...)
	}
	if err != nil {
		return nil, err
	}
	decided, err := rooms.In(w.lib.engine).Similar(ctx, rooms.Likeness{Question: w.op.Text, Dir: dir, Most: most + len(shown.Rooms)})
	if err != nil {
		return nil, err
	}
	var r memory.Recalled
	var lines strings.Builder
	var names []string
	for _, n := range kept {
		// The model knows the notes it saved itself in this conversation.
		if len(r.Notes) < most && (n.Root != w.t.Root || byPerson(n)) && !slices.Contains(shown.Notes, n.ID) &&
			!slices.Contains(r.Notes, n.ID) {
			r.Notes = append(r.Notes, n.ID)
			names = append(names, fmt.Sprintf("note %d", n.Number))
			lines.WriteString(noteLine(n))
		}
	}
	for _, d := range decided {
		if len(r.Rooms) < most && !slices.Contains(shown.Rooms, d.Room) {
			r.Rooms = append(r.Rooms, d.Room)
			names = append(names, "decision "+d.Room)
			lines.WriteString(decisionLine(d))
		}
	}
	if lines.Len() == 0 {
		return nil, nil
	}
	r.Text, r.Show = recallHead+fence.Block("memory", lines.String()), strings.Join(names, ", ")
	return []tree.Node{memory.RecallKind.New("", "code", r)}, nil
}

// byPerson reports whether a person saved a note, rather than an agent.
func byPerson(n notes.Note) bool {
	_, ok := tree.ByPerson(n.By)
	return ok
}

// noteLine is a note as a model is shown it: its text, who saved it, when, and where it applies.
func noteLine(n notes.Note) string {
	who := "the agent " + n.By
	if byPerson(n) {
		who = "the person"
	}
	if n.From != "" {
		who += " in the conversation " + cmp.Or(n.Tree, "that is gone")
	}
	holds := "for this project"
	if n.Dir == "" {
		holds = "for all projects"
	}
	return fmt.Sprintf("- note %d, kept by %s, %s, %s: %s\n", n.Number, who, n.At.UTC().Format(time.DateOnly), holds, shortened(n.Text))
}

// decisionLine is a decision as a model is shown it, with what was rejected and why it might be decided otherwise.
func decisionLine(d rooms.Earlier) string {
	var b strings.Builder
	how := ""
	switch d.Outcome {
	case verdict.WithDissent:
		how = " with dissent"
	case verdict.Ruled:
		how = " by a person"
	case verdict.Degraded:
		how = " by a panel that lost a seat"
	}
	fmt.Fprintf(&b, "- debate %s, %s, asked: %s\n  decided%s: %s\n", d.Room, d.Date.UTC().Format(time.DateOnly),
		shortened(d.Question), how, shortened(d.Winner))
	for _, part := range []struct {
		name  string
		texts []string
	}{{"for it", d.For}, {"rejected", d.Rejected}, {"for the dissent", d.Against}, {"what would have changed it", d.Flip}} {
		if len(part.texts) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", part.name, shortened(strings.Join(part.texts[:min(3, len(part.texts))], "; ")))
		}
	}
	if s := d.Superseded; s != nil {
		fmt.Fprintf(&b, "  superseded by %s: %s\n", s.By, shortened(s.Reason))
	}
	return b.String()
}

// shortened is the beginning of a text, on one line.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > mostRecalled {
		return string(r[:mostRecalled]) + "…"
	}
	return text
}

// keep saves a note that the person asked the model for.
func (w *turn) keep(ctx context.Context, text string, everywhere bool) (int, error) {
	dir := w.t.Dir
	if memory := w.lib.wiring.Memory; memory != nil {
		top, _, err := memory(dir)
		if err != nil {
			return 0, err
		}
		dir = top
	}
	if everywhere {
		dir = ""
	}
	id, err := w.lib.engine.Do(ctx, notes.Keep{Text: text, Dir: dir, From: cmp.Or(w.said, w.t.Root), By: w.model.Info().ID})
	if err != nil {
		return 0, err
	}
	n, err := notes.In(w.lib.engine).NoteOf(ctx, id)
	return n.Number, err
}
