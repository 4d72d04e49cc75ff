package engine

import (
	"context"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Typed is something a person typed.
type Typed struct {
	Text string
	At   time.Time
	In   string // the conversation or debate
}

// Typed lists what persons typed in the conversations of a folder, and what they asked debates there: the newest first, the
// same text once, at most so many.
func (e *Engine) Typed(ctx context.Context, dir string, most int) (out []Typed, err error) {
	trees, err := e.trees(ctx, dir)
	if err != nil {
		return nil, err
	}
	names := map[tree.ID]string{}
	for _, t := range trees {
		names[t.root] = t.Name
	}
	rooms, err := e.Rooms(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range rooms {
		if r.Dir == dir {
			names[r.root] = r.Room
		}
	}
	var nodes []tree.Node
	for _, kind := range []string{string(talk.SayKind), string(debate.FrameKind)} {
		some, err := e.store.Latest(ctx, kind, most)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, some...)
	}
	seen := map[string]bool{}
	slices.SortFunc(nodes, func(a, b tree.Node) int { return int(b.Seq - a.Seq) })
	for _, n := range nodes {
		text := ""
		if s, ok := talk.SayKind.Of(n); ok {
			text = s.Text
		} else if f, ok := debate.FrameKind.Of(n); ok {
			text, _ = debate.SplitData(f.Question)
		}
		if text == "" || seen[text] || len(out) == most {
			continue
		}
		root, err := e.store.Root(ctx, n.ID)
		if err != nil {
			return nil, err
		}
		if name, here := names[root.ID]; here {
			seen[text] = true
			out = append(out, Typed{text, n.At, name})
		}
	}
	return out, nil
}
