package conversation

import (
	"context"
	"errors"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Conclude adds the decision of a debate, or the result of a run of a plan, to a conversation, as one node. The same result of a run is
// added once.
type Conclude struct {
	Tree, Room string
	Run        tree.ID // the root of a run; replaces Room
}

// Do implements engine.Op.
func (op Conclude) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	// Before the lock: reading a debate may take a moment, and the conversation would be locked for it.
	m, err := op.conclusion(ctx, e, l)
	if err != nil {
		return t.Root, err
	}
	t, unlock, err := l.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	defer unlock()
	if op.Run != "" {
		path, err := l.store.Path(ctx, t.Head)
		if err != nil || noted(path, m) {
			return t.Root, err
		}
	}
	return t.Root, l.Grow(ctx, &t, material.MergeKind.New("", "person", m))
}

func (op Conclude) conclusion(ctx context.Context, e *engine.Engine, l *Library) (m material.Merged, err error) {
	if op.Run != "" {
		s, err := runOf(ctx, l, op.Run)
		return endOf(l, op.Run, s), err
	}
	debates := rooms.In(e)
	root, err := debates.Room(ctx, op.Room)
	if err != nil {
		return m, err
	}
	res, err := debates.Result(ctx, root)
	if err != nil {
		return m, err
	}
	if !res.Ended {
		return m, rooms.Unended(ctx, debates, res.Room)
	}
	return material.Merged{From: root, Branch: res.Room, Text: document.Of(res).Markdown(), Debate: true}, nil
}

// runOf is how a run stands, by its first node.
func runOf(ctx context.Context, l *Library, root tree.ID) (work.Status, error) {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return work.Status{}, err
	}
	s, ok := work.Read(nodes)
	if !ok {
		err = engine.NotFound("run with the root "+string(root), "list runs: socrates work list", store.ErrNotFound)
	}
	return s, err
}

// endOf is how a run ended, as a conversation is told it.
func endOf(l *Library, root tree.ID, s work.Status) material.Merged {
	return material.Merged{From: root, Branch: s.Frame.Run, Text: l.store.Clean(s.Recap()), Run: true}
}

// noted says whether the last that a conversation was told of a run is this.
func noted(path []tree.Node, m material.Merged) bool {
	for _, n := range slices.Backward(path) {
		if last, ok := material.MergeKind.Of(n); ok && last.Run && last.From == m.From {
			return last.Text == m.Text
		}
	}
	return false
}

// Missed are the ends of runs that a conversation began and was not told of: a turn was at work in it, or the run's process died.
// They go below the nodes of path.
func (l *Library) Missed(ctx context.Context, talk tree.ID, path []tree.Node) (nodes []tree.Node, err error) {
	all, err := l.store.Kind(ctx, string(way.TalkKind), 0)
	seen := map[tree.ID]bool{}
	for _, n := range all {
		if t, ok := way.TalkKind.Of(n); !ok || t.Root != talk || seen[n.Parent] {
			continue
		}
		seen[n.Parent] = true
		s, err := runOf(ctx, l, n.Parent)
		if err != nil {
			return nil, err
		}
		ref, err := l.store.Ref(ctx, "run/"+s.Frame.Run)
		if errors.Is(err, store.ErrNotFound) || err == nil && ref.Head != n.Parent { // it was deleted
			continue
		} else if err != nil {
			return nil, err
		}
		if !s.Rests() || l.core.Held("run-"+s.Frame.Run) {
			continue
		}
		if noted(path, endOf(l, n.Parent, s)) { // by its process, before that ended
			continue
		}
		s.Died = s.UnderWay()
		if m := endOf(l, n.Parent, s); !noted(path, m) {
			nodes = append(nodes, material.MergeKind.New("", "code", m))
		}
	}
	return nodes, err
}
