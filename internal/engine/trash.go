package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrashTime is how long what was deleted can be restored.
const TrashTime = 7 * 24 * time.Hour

// purgedAtOnce is how much of what has expired one op removes: nobody waits for more.
const purgedAtOnce = 20

// PurgeTrash removes for good some of what has been in the trash long enough. The rest, and what cannot be removed now, is the
// next time.
// Its errors are dropped: the operation it comes after has succeeded, and doctor tells of a store that cannot be
// written.
func (c *Core) PurgeTrash(ctx context.Context) {
	if ctx.Err() == nil {
		c.Store.Purge(ctx, time.Now().Add(-TrashTime), purgedAtOnce)
	}
}

// Expire removes for good all that has been in the trash long enough, and returns how many things that were.
func (e *Engine) Expire(ctx context.Context) (int, error) {
	if err := e.core.notHere(); err != nil {
		return 0, err
	}
	return e.core.Store.Purge(ctx, time.Now().Add(-TrashTime), 0)
}

// Bin is the trash as one noun uses it: debates, conversations, notes, drafts and runs lie in the same one.
//
// A thing is the ref that names it and those that go with it. In the trash each has its name behind store.TrashRefs, so
// that restoring needs no more than the name.
type Bin struct {
	Is          string   // in sentences: tree
	Refs        string   // how the refs that name one begin: tree/
	Also, Below []string // what goes with it: the ref of its name under these, and all refs below its name under those
	Command     string   // socrates tree
	Renames     bool     // the command can give one another name
	Scoped      bool     // the store knows by folder what is deleted; else a row tells, by Below

	Find func(ctx context.Context, called string) (root tree.ID, name string, err error)
	Lock func(ctx context.Context, name string) (unlock func(), err error) // it is not at work until then; nil: nothing works on one
}

// Delete moves things to the trash, all or none, removes for good some of what has expired, and returns the first node
// of the first.
func (b Bin) Delete(ctx context.Context, c *Core, called ...string) (first tree.ID, _ error) {
	var refs []tree.Ref
	var names []string
	for _, one := range called {
		root, name, err := b.Find(ctx, one)
		if err != nil {
			return "", err
		}
		if slices.Contains(names, name) {
			continue
		}
		if names = append(names, name); first == "" {
			first = root
		}
		if b.Lock != nil { // all are held until all are discarded: none may begin to work in between
			unlock, err := b.Lock(ctx, name)
			if err != nil {
				return "", err
			}
			defer unlock()
		}
		// Names in the trash are names, too: what is restored needs the one it had.
		if _, err := c.Store.Ref(ctx, store.TrashRefs+b.Refs+name); err == nil {
			return "", &Refusal{Message: "the trash already contains another " + b.Is + " named " + name + "; nothing was deleted",
				Hint: b.free("this", name)}
		}
		its, err := b.RefsOf(ctx, c, "", name)
		if err != nil {
			return "", err
		}
		refs = append(refs, its...)
	}
	defer c.PurgeTrash(ctx)
	err := c.Store.Discard(ctx, "person", refs...)
	if errors.Is(err, store.ErrMoved) {
		return "", &Refusal{Message: "another process has just changed one of them; nothing was deleted", Hint: "try again", Err: err}
	}
	return first, err
}

// RefsOf are those of one thing, with prefix before their names. The error is store.ErrNotFound if there is no such thing.
func (b Bin) RefsOf(ctx context.Context, c *Core, prefix, name string) ([]tree.Ref, error) {
	ref, err := c.Store.Ref(ctx, prefix+b.Refs+name)
	if err != nil {
		return nil, err
	}
	out := []tree.Ref{ref}
	for _, kind := range b.Also {
		if ref, err = c.Store.Ref(ctx, prefix+kind+name); err == nil {
			out = append(out, ref)
		} else if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	for _, kind := range b.Below {
		more, err := c.Store.Refs(ctx, prefix+kind+name+"/", "")
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// Restore takes one thing out of the trash, as it was, and returns its first node.
func (b Bin) Restore(ctx context.Context, c *Core, name string) (tree.ID, error) {
	refs, err := b.RefsOf(ctx, c, store.TrashRefs, name)
	if err != nil {
		return "", NotFound(b.Is+" "+name+" in the trash", "list them: "+b.Command+" list --deleted", err)
	}
	var names []string
	for _, r := range refs {
		names = append(names, strings.TrimPrefix(r.Name, store.TrashRefs))
	}
	if err := c.Store.Restore(ctx, names...); errors.Is(err, store.ErrMoved) {
		return "", &Refusal{Message: "another " + b.Is + " is now named " + name, Hint: b.free("that", name), Err: err}
	} else if err != nil {
		return "", err
	}
	tip, err := c.Store.Tip(ctx, b.Refs+name)
	return tip.Root.ID, err
}

// free says how the name of this or that one is freed.
func (b Bin) free(which, name string) string {
	if b.Renames {
		return "rename " + which + " one first: " + b.Command + " rename " + name + " NEW"
	}
	return "delete that one first"
}

// InTrash are the things of a bin that were deleted, the last first, at most so many unless most is 0; with a dir those that belong to
// it or to a folder below it. row makes one of what the store has, where the head marks when it was deleted; false: it cannot be read, or
// belongs elsewhere. If nothing of all can be read, although there is something, that is the error.
func InTrash[T any](ctx context.Context, c *Core, b Bin, dir string, most int, row func(store.Tip) (T, bool, error)) ([]T, error) {
	q := store.ListQuery{Class: store.TrashRefs + b.Refs, Moved: true, Most: most}
	if b.Scoped {
		q.Scope = filepath.ToSlash(dir)
	}
	tips, err := c.Store.List(ctx, q)
	if err != nil {
		return nil, err
	}
	out := []T{}
	for _, tip := range tips {
		one, ok, err := row(tip)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, one)
		}
	}
	if dir == "" && len(out) == 0 {
		return out, c.Store.Lost(ctx, store.TrashRefs+b.Refs, "deleted "+b.Is+"s", func(t store.Tip) bool {
			_, ok, err := row(t)
			return ok && err == nil
		})
	}
	return out, nil
}

// Below says whether what belongs to a folder belongs to dir or lies below it; empty: it does.
func Below(dir, folder string) bool {
	clean := func(path string) string { return strings.TrimRight(filepath.ToSlash(path), "/") + "/" }
	return dir == "" || strings.HasPrefix(clean(folder), clean(dir))
}

// Trashed is when something was deleted; zero: it is there.
type Trashed struct {
	At    time.Time `json:"deleted,omitzero"`
	Until time.Time `json:"until,omitzero"` // it can be restored
}

// NewTrashed is that of what a node in the trash discarded.
func NewTrashed(head tree.Node) Trashed { return Trashed{head.At, head.At.Add(TrashTime)} }
