package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Mirror is the original behind an engine whose store is a copy from another machine: operations run there, and reads happen here.
type Mirror struct {
	// Do has an operation carried out there, and returns once the copy has the result.
	Do func(ctx context.Context, op Op) (tree.ID, error)
	// Busy reports whether a process there holds the lock of this name.
	Busy func(lock string) bool
	// Follow keeps the copy up to date while there are followers here, until ctx ends. An error ends what they follow.
	Follow func(ctx context.Context) error
}

// MirrorOf makes the engine one over a copy. It must be called before the engine is used.
func (e *Engine) MirrorOf(m Mirror) { e.core.mirror = &m }

// Mirrored reports whether the store is a copy of another machine's.
func (e *Engine) Mirrored() bool { return e.core.mirror != nil }

// notHere refuses an operation that would change the copy and not the original.
func (c *Core) notHere() error {
	if c.mirror == nil {
		return nil
	}
	return &Refusal{Message: "this command works only on the hub's machine", Hint: "without --hub, it applies to your own store"}
}

// Copy is a page of the store for a copy of it, with state that no node contains.
type Copy struct {
	store.Page
	Busy []string `json:"busy" jsonschema:"the locks that processes hold"`
	// View names what the caller may see: a copy made under another view is made again.
	View string `json:"view"`
}

// Copy reads a page of the store for a copy of it. Busy is read first, so that whoever learns that a job has ended has all its nodes.
func (e *Engine) Copy(ctx context.Context, q store.PageQuery) (c Copy, err error) {
	c.Busy = []string{}
	files, err := os.ReadDir(filepath.Dir(e.core.lockFile("any")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".lock"); ok && e.core.Held(name) && e.core.shown(ctx, name) {
			c.Busy = append(c.Busy, name)
		}
	}
	c.Page, err = store.CopiesOf(e.core.Store).Page(ctx, q)
	return c, err
}

// shown reports whether a person who does not see everything may know that a lock is held: only if they see the thing it is named after.
func (c *Core) shown(ctx context.Context, lock string) bool {
	if !store.CopiesOf(c.Store).Partial() {
		return true
	}
	sort, name, _ := strings.Cut(lock, "-")
	_, err := c.Store.Ref(ctx, sort+"/"+name)
	return err == nil
}
