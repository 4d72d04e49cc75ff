package conversation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Input is a text that a person typed. At is when it was typed last.
type Input struct {
	Text string
	At   time.Time
	In   string // the conversation or debate; empty: a command
}

// typedKind is a command that a person typed. Commands leave no message: each is a root of its own.
const typedKind tree.Kind[typed] = "typed"

type typed struct {
	Dir  string `json:"dir"`
	Text string `json:"text"`
}

// Typed saves a command that a person typed in a project, so that History finds it.
type Typed struct{ Dir, Text string }

// Do implements engine.Op.
func (op Typed) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	n := typedKind.New("", "person", typed(op))
	_, err := In(e).store.Append(ctx, n)
	return n.ID, err
}

// inputs are the kinds of nodes that contain what a person typed.
var inputs = []string{string(talk.SayKind), string(material.HandleKind), string(table.FrameKind), string(typedKind)}

// input is the text that a person typed for this node; empty: none.
func input(n tree.Node) string {
	if s, ok := talk.SayKind.Of(n); ok {
		return cmp.Or(s.Typed, s.Text)
	} else if f, ok := table.FrameKind.Of(n); ok {
		text, _ := motion.Split(f.Question)
		return text
	} else if t, ok := typedKind.Of(n); ok {
		return t.Text
	} else if h, ok := material.HandleKind.Of(n); ok && strings.HasPrefix(h.URI, "bash:"+string(n.ID)+"/") { // the person ran it
		return "!" + h.Title
	}
	return ""
}

// History lists what persons typed in the conversations of a folder, including commands, and what they asked debates there: the newest
// first, each text once, at most so many.
func (l *Library) History(ctx context.Context, dir string, most int) (out []Input, err error) {
	var nodes []tree.Node
	for _, kind := range inputs {
		// Read as many of each kind as are wanted in total. Most may belong to other folders, and then fewer are found.
		some, err := l.store.Latest(ctx, kind, most)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, some...)
	}
	seen := map[string]bool{}
	slices.SortFunc(nodes, func(a, b tree.Node) int { return int(b.Seq - a.Seq) })
	for _, n := range nodes {
		text := input(n)
		if text == "" || seen[text] || len(out) == most {
			continue
		}
		name, here, err := l.within(ctx, n, dir)
		if err != nil {
			return nil, err
		}
		if here {
			seen[text] = true
			out = append(out, Input{text, n.At, name})
		}
	}
	return out, nil
}

// within returns the conversation or debate of a node, empty for a command, and whether it belongs to the folder and was not deleted.
func (l *Library) within(ctx context.Context, n tree.Node, dir string) (name string, here bool, err error) {
	if t, ok := typedKind.Of(n); ok {
		return "", t.Dir == dir, nil
	}
	root, err := l.store.Root(ctx, n.ID)
	if err != nil {
		return "", false, err
	}
	if f, ok := table.FrameKind.Of(root); ok {
		ref, err := l.store.Ref(ctx, rooms.Refs+f.Room)
		if errors.Is(err, store.ErrNotFound) || f.Dir != dir {
			return "", false, nil
		}
		return strings.TrimPrefix(ref.Name, rooms.Refs), err == nil, err
	}
	if r, ok := talk.RootKind.Of(root); !ok || r.Dir != dir {
		return "", false, nil
	}
	refs, err := l.store.Refs(ctx, treeRefs, root.ID)
	if err != nil || len(refs) == 0 {
		return "", false, err
	}
	return strings.TrimPrefix(refs[0].Name, treeRefs), true, nil
}
