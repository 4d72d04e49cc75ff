package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrashTime is how long a deleted thing can be restored.
const TrashTime = 7 * 24 * time.Hour

// purgedAtOnce is how many expired things one op removes: nobody should wait for more.
const purgedAtOnce = 20

// PurgeTrash removes for good some of what has been in the trash long enough. The rest, and what cannot be removed now,
// goes later. Errors are dropped: the operation before it has succeeded, and doctor reports a store that cannot be
// written.
func (c *Core) PurgeTrash(ctx context.Context) {
	if ctx.Err() == nil {
		c.Store.Purge(ctx, time.Now().Add(-TrashTime), purgedAtOnce)
	}
}

// Expire removes for good everything that has been in the trash long enough, and returns how many things that were.
func (e *Engine) Expire(ctx context.Context) (int, error) {
	if err := e.core.notHere(); err != nil {
		return 0, err
	}
	return e.core.Store.Purge(ctx, time.Now().Add(-TrashTime), 0)
}

// Bin is the trash for one noun: debates, conversations, notes, drafts and runs share one trash.
//
// A thing is the ref that names it and the refs that belong to it. In the trash each has its name after
// store.TrashRefs, so that restoring needs only the name.
type Bin struct {
	Is          string   // its name in sentences: tree
	Refs        string   // the prefix of refs that name one: tree/
	Also, Below []string // its other refs: those with its name after these prefixes, and all refs below its name after those
	Command     string   // socrates tree
	Renames     bool     // the command can rename one
	Scoped      bool     // the store finds deleted ones by folder; otherwise row filters with Below

	Find func(ctx context.Context, called string) (root tree.ID, name string, err error)
	Lock func(ctx context.Context, name string) (unlock func(), err error) // stops work on it until unlock; nil: nothing works on one
}

// Delete moves things to the trash, all or none, removes some expired ones for good, and returns the first node of the first.
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
		if b.Lock != nil { // all stay locked until all are discarded: work on none may begin in between
			unlock, err := b.Lock(ctx, name)
			if err != nil {
				return "", err
			}
			defer unlock()
		}
		// Names in the trash are taken, too: a restored thing needs its former name.
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

// RefsOf returns the refs of one thing, with prefix before their names. The error is store.ErrNotFound if it does not exist.
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

// free says how to free the name of this or that one, or when it is.
func (b Bin) free(which, name string) string {
	if b.Renames {
		return "rename " + which + " one first: " + b.Command + " rename " + name + " NEW"
	}
	return fmt.Sprintf("the name is free once the deleted one is removed for good, %d days after its deletion", TrashTime/(24*time.Hour))
}

// InTrash returns the deleted things of a bin, the last deleted first, at most so many unless most is 0; with a dir, those that belong to
// it or a folder below it. row turns a tip into a result, with the time of deletion from its head; it returns false if the thing cannot be
// read, or belongs elsewhere. If there are things but none can be read, InTrash returns an error.
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

// Below reports whether folder is dir or lies below it; if dir is empty it is true.
func Below(dir, folder string) bool {
	clean := func(path string) string { return strings.TrimRight(filepath.ToSlash(path), "/") + "/" }
	return dir == "" || strings.HasPrefix(clean(folder), clean(dir))
}

// Trashed says when something was deleted; the zero value: it was not.
type Trashed struct {
	At    time.Time `json:"deleted,omitzero"`
	Until time.Time `json:"until,omitzero"` // it can be restored
}

// NewTrashed returns the Trashed of a thing from the head that its ref has in the trash.
func NewTrashed(head tree.Node) Trashed { return Trashed{head.At, head.At.Add(TrashTime)} }
