package rooms

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Delete moves debates to the trash, all or none. One that runs is refused.
type Delete struct{ Rooms []string }

// Do implements engine.Op.
func (op Delete) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var first tree.ID
	var refs []tree.Ref
	var names []string
	for _, name := range op.Rooms {
		root, f, err := l.frame(ctx, name)
		if err != nil {
			return "", err
		}
		if slices.Contains(names, f.Room) {
			continue
		}
		// All locks are held until all are discarded: none may begin to run in between.
		unlock, err := l.core.Lock(ctx, lockName(f.Room), &engine.Refusal{Message: "debate " + f.Room + " is running; nothing was deleted",
			Hint: "stop it first: socrates debate tell " + f.Room + " /answer"})
		if err != nil {
			return "", err
		}
		defer unlock()
		for _, ref := range refsOf(f.Room) {
			r, err := l.store.Ref(ctx, ref)
			if errors.Is(err, store.ErrNotFound) {
				continue
			} else if err != nil {
				return "", err
			}
			refs = append(refs, r)
		}
		if names = append(names, f.Room); first == "" {
			first = root.ID
		}
	}
	return first, l.core.Discard(ctx, refs)
}

// refsOf are the refs that lead to a room: its own, and the one that says what took the place of its decision.
func refsOf(room string) []string { return []string{Refs + room, supersededRefs + room} }

// Restore takes a debate out of the trash. It is as it was.
type Restore struct{ Room string }

// Do implements engine.Op.
func (op Restore) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var names []string
	for _, ref := range refsOf(op.Room) {
		if _, err := l.store.Ref(ctx, store.TrashRefs+ref); err == nil {
			names = append(names, ref)
		} else if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
	}
	if len(names) == 0 {
		return "", &engine.Refusal{Message: "no debate " + op.Room + " in the trash",
			Hint: "list them: socrates debate list --deleted", Err: store.ErrNotFound}
	}
	taken := engine.Refusal{Message: "another debate is now named " + op.Room, Hint: "delete that one first"}
	if err := l.core.Restore(ctx, taken, names...); err != nil {
		return "", err
	}
	return l.Room(ctx, op.Room)
}

// Deleted is a debate in the trash.
type Deleted struct {
	Info
	engine.Trashed
}

// Trash lists the deleted debates of a folder and those below it (empty: of all), the last deleted first, at most so many
// unless most is 0.
func (l *Library) Trash(ctx context.Context, dir string, most int) ([]Deleted, error) {
	tips, err := l.store.List(ctx, store.ListQuery{Class: store.TrashRefs + Refs, Scope: filepath.ToSlash(dir), Moved: true, Most: most})
	if err != nil {
		return nil, err
	}
	out := []Deleted{}
	for _, tip := range tips {
		f, ok := frameOf(tip.Root)
		if !ok {
			continue
		}
		head, err := l.store.Node(ctx, tip.Head.Parent)
		if err != nil {
			return nil, err
		}
		out = append(out, Deleted{l.info(ctx, tip.Root, head, f), engine.NewTrashed(tip.Head)})
	}
	if len(out) == 0 && dir == "" {
		return out, l.store.Lost(ctx, store.TrashRefs+Refs, "deleted debates")
	}
	return out, nil
}
