package turns

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Set changes the model, phase or mode of a conversation. It refuses invalid values. Without a Tree it only checks the
// value, for a conversation that begins later.
type Set struct{ Tree, Key, Value string }

// Do implements engine.Op.
func (op Set) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var t conversation.Tree
	var err error
	if op.Tree != "" {
		if t, err = l.talks.Open(ctx, op.Tree); err != nil {
			return "", err
		}
	}
	switch op.Key {
	case "model":
		_, err = l.wiring.Seat(ctx, op.Value)
	case "phase":
		_, err = l.wiring.Phase(t.Dir, op.Value)
	case "mode":
		if _, err = permission.ParseMode(op.Value); err != nil {
			err = &engine.Refusal{Message: err.Error()}
		}
	default:
		err = fmt.Errorf("unknown setting %s", op.Key)
	}
	if err != nil || op.Tree == "" {
		return t.Root, err
	}
	return t.Root, l.set(ctx, t.Name, margin.Set{Key: op.Key, Value: op.Value})
}

// set records settings that have changed. It holds the lock for a moment and is refused while a turn runs.
func (l *Library) set(ctx context.Context, name string, all ...margin.Set) error {
	t, unlock, err := l.talks.Lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return err
	}
	is := margin.Settings(path)
	var nodes []tree.Node
	for _, s := range all {
		if is[s.Key] != s.Value {
			nodes = append(nodes, margin.SetKind.New("", "person", s))
		}
	}
	return l.talks.Grow(ctx, &t, nodes...)
}

// mostHeld bounds the total size in bytes of the files in the context of a conversation.
const mostHeld = 256 << 10

// Hold puts a file of the project into the context: the next turn shows it, with line numbers, and again whenever it
// has changed. Name may be a pattern, and may end in :from-to.
type Hold struct{ Tree, Name string }

// Do implements engine.Op.
func (op Hold) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.talks.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	found, err := l.wiring.Files(ctx, t.Dir, op.Name)
	if err != nil {
		return t.Root, err
	}
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	var all []margin.Set
	size := 0
	for _, h := range found {
		all = append(all, margin.Set{Key: h.URI, Value: "shown"})
		size += len(h.Face)
	}
	for _, h := range view.Held(path) {
		size += len(h.Face)
	}
	if size > mostHeld {
		return t.Root, &engine.Refusal{Message: fmt.Sprintf("with %s the files in context total %d kB; the limit is %d kB",
			op.Name, size>>10, mostHeld>>10),
			Hint: "select lines, such as " + op.Name + ":1-200, or remove other files"}
	}
	return t.Root, l.set(ctx, t.Name, all...)
}

// Release takes a file out of the context.
type Release struct{ Tree, Name string }

// Do implements engine.Op.
func (op Release) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.talks.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	if all := margin.Settings(path); all[margin.FileKey+op.Name] == "" {
		return t.Root, &engine.Refusal{Message: op.Name + " is not in the context",
			Hint: "in context: " + strings.Join(append(margin.Files(all), "nothing else"), ", ")}
	}
	return t.Root, l.set(ctx, t.Name, margin.Set{Key: margin.FileKey + op.Name})
}

// changedContextFiles returns the files in the context whose current content the model was not shown. Showing a file
// again costs its whole text, so only a change of content counts.
func (w *turn) changedContextFiles(ctx context.Context, path []tree.Node) ([]tree.Node, error) {
	var out []tree.Node
	was := view.Held(path)
	for _, name := range margin.Files(w.settings) {
		found, err := w.lib.wiring.Files(ctx, w.t.Dir, name)
		now := material.Handle{URI: margin.FileKey + name, Held: true}
		if err == nil && len(found) == 1 {
			now = found[0]
		} else if err != nil {
			now.Face = "(It is no longer available: " + err.Error() + ")"
		}
		if before, known := was[name]; !known || before.SHA256 != now.SHA256 {
			out = append(out, material.HandleKind.New("", "code", now))
		}
	}
	return out, ctx.Err()
}
