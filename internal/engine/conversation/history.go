package conversation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Input is something a person typed.
type Input struct {
	Text string
	At   time.Time
	In   string // the conversation or debate
}

// History lists what persons typed in the conversations of a folder, and what they asked debates there: the newest first, the
// same text once, at most so many.
func (l *Library) History(ctx context.Context, dir string, most int) (out []Input, err error) {
	var nodes []tree.Node
	for _, kind := range []string{string(talk.SayKind), string(debate.FrameKind)} {
		some, err := l.store.Latest(ctx, kind, most)
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
		name, err := l.within(ctx, n, dir)
		if err != nil {
			return nil, err
		}
		if name != "" {
			seen[text] = true
			out = append(out, Input{text, n.At, name})
		}
	}
	return out, nil
}

// within is the conversation or debate that a node belongs to, empty if it was deleted or is none of a folder.
func (l *Library) within(ctx context.Context, n tree.Node, dir string) (string, error) {
	root, err := l.store.Root(ctx, n.ID)
	if err != nil {
		return "", err
	}
	if f, ok := debate.FrameKind.Of(root); ok {
		ref, err := l.store.Ref(ctx, rooms.Refs+f.Room)
		if errors.Is(err, store.ErrNotFound) || f.Dir != dir {
			return "", nil
		}
		return strings.TrimPrefix(ref.Name, rooms.Refs), err
	}
	if r, ok := talk.RootKind.Of(root); !ok || r.Dir != dir {
		return "", nil
	}
	refs, err := l.store.Refs(ctx, treeRefs, root.ID)
	if err != nil || len(refs) == 0 {
		return "", err
	}
	return strings.TrimPrefix(refs[0].Name, treeRefs), nil
}
