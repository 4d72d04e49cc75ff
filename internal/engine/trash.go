package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrashTime is how long what was deleted can be taken back.
const TrashTime = 7 * 24 * time.Hour

// Delete moves debates to the trash, all or none. One that runs is refused.
type Delete struct{ Rooms []string }

func (op Delete) do(ctx context.Context, e *Engine) (tree.ID, error) {
	defer e.sweep(ctx)
	var first tree.ID
	var refs []tree.Ref
	var names []string
	for _, name := range op.Rooms {
		root, f, err := e.frame(ctx, name)
		if err != nil {
			return "", err
		}
		if slices.Contains(names, f.Room) {
			continue
		}
		unlock, err := e.lock(ctx, f.Room, &Refusal{Message: "debate " + f.Room + " is running; nothing was deleted",
			Hint: "stop it first: socrates debate tell " + f.Room + " /answer"})
		if err != nil {
			return "", err
		}
		defer unlock()
		for _, ref := range refsOf(f.Room) {
			r, err := e.store.Ref(ctx, ref)
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
	err := e.store.Discard(ctx, "person", refs...)
	if errors.Is(err, store.ErrMoved) {
		err = &Refusal{Message: "another process has just changed one of them; nothing was deleted", Hint: "try again", Err: err}
	}
	return first, err
}

// refsOf are the refs that lead to a room: its own, and the one that says what took the place of its decision.
func refsOf(room string) []string { return []string{roomRefs + room, supersededRefs + room} }

// Restore takes a debate out of the trash. It is as it was.
type Restore struct{ Room string }

func (op Restore) do(ctx context.Context, e *Engine) (tree.ID, error) {
	var names []string
	for _, ref := range refsOf(op.Room) {
		if _, err := e.store.Ref(ctx, store.TrashRefs+ref); err == nil {
			names = append(names, ref)
		} else if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
	}
	if len(names) == 0 {
		return "", &Refusal{Message: "no debate " + op.Room + " in the trash", Hint: "list them: socrates debate list --deleted", Err: store.ErrNotFound}
	}
	switch err := e.store.Restore(ctx, names...); {
	case errors.Is(err, store.ErrMoved):
		return "", &Refusal{Message: "another debate is now named " + op.Room, Hint: "delete that one first", Err: err}
	case err != nil:
		return "", err
	}
	return e.Room(ctx, op.Room)
}

// Deleted is a debate in the trash.
type Deleted struct {
	RoomInfo
	At    time.Time `json:"deleted"`
	Until time.Time `json:"until"` // it can be taken back
}

// Trash lists the debates in the trash, the last deleted first, at most so many unless most is 0.
func (e *Engine) Trash(ctx context.Context, most int) ([]Deleted, error) {
	tips, err := e.store.List(ctx, store.ListQuery{Class: store.TrashRefs + roomRefs, Moved: true, Most: most})
	if err != nil {
		return nil, err
	}
	out := []Deleted{}
	for _, tip := range tips {
		f, ok := frameOf(tip.Root)
		if !ok {
			continue
		}
		head, err := e.store.Node(ctx, tip.Head.Parent)
		if err != nil {
			return nil, err
		}
		out = append(out, Deleted{e.info(tip.Root, head, f), tip.Head.At, tip.Head.At.Add(TrashTime)})
	}
	if len(out) == 0 {
		return out, e.store.Lost(ctx, store.TrashRefs+roomRefs, "deleted debates")
	}
	return out, nil
}

// sweptAtOnce is how much of what has expired one op removes: nobody waits for more.
const sweptAtOnce = 20

// sweep removes for good some of what has been in the trash long enough. The rest, and what cannot be removed now, is the
// next time.
func (e *Engine) sweep(ctx context.Context) {
	if ctx.Err() == nil {
		e.store.Purge(ctx, time.Now().Add(-TrashTime), sweptAtOnce)
	}
}

// Expire removes for good all that has been in the trash long enough, and returns how many things that were.
func (e *Engine) Expire(ctx context.Context) (int, error) {
	return e.store.Purge(ctx, time.Now().Add(-TrashTime), 0)
}
