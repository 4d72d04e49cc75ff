package rooms

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// bin is the trash for debates, with the refs that say what superseded their decisions.
func bin(l *Library) engine.Bin {
	return engine.Bin{Is: "debate", Refs: Refs, Scoped: true, Also: []string{supersededRefs}, Command: "socrates debate",
		Find: func(ctx context.Context, called string) (tree.ID, string, error) {
			root, f, err := l.frame(ctx, called)
			return root.ID, f.Room, err
		},
		Lock: func(ctx context.Context, name string) (func(), error) {
			return l.core.Lock(ctx, lockName(name), &engine.Refusal{Message: "debate " + name + " is running; nothing was deleted",
				Hint: "stop it first: socrates debate tell " + name + " /answer"})
		}}
}

// Delete moves debates to the trash, all or none. It refuses one that is running.
type Delete struct{ Rooms []string }

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	return bin(l).Delete(ctx, l.core, op.Rooms...)
}

// Restore takes a debate out of the trash, unchanged.
type Restore struct{ Room string }

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	return bin(l).Restore(ctx, l.core, op.Room)
}

// Deleted is a debate in a list, with the time of its deletion if it is in the trash.
type Deleted struct {
	Info
	engine.Trashed
}

// Trash lists the deleted debates of a folder and below it (empty: all), the last deleted first, at most so many unless most is 0.
func (l *Library) Trash(ctx context.Context, dir string, most int) ([]Deleted, error) {
	return engine.InTrash(ctx, l.core, bin(l), dir, most, func(tip store.Tip) (Deleted, bool, error) {
		f, ok := frameOf(tip.Root)
		if !ok {
			return Deleted{}, false, nil
		}
		head, err := l.store.Node(ctx, tip.Head.Parent)
		if err != nil {
			return Deleted{}, false, err
		}
		return Deleted{l.info(ctx, tip.Root, head, f), engine.NewTrashed(tip.Head)}, true, nil
	})
}
