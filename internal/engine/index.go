package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// indexTime bounds how long one search spends on indexing: in a store of an older program, nothing is indexed, and nobody waits for all of
// it. The newest come first, and every search continues the work.
const indexTime = time.Second

// indexedAtOnce is how many unindexed trees are looked up at once, rowsAtOnce how many entries one commit writes.
const indexedAtOnce, rowsAtOnce = 50, 500

// Unindexed reports whether the last search left out things that are not indexed yet.
func (e *Engine) Unindexed() bool { return e.core.unindexed.Load() }

// Index makes trees of a class findable by words. refs is the class of refs that point into such trees; begun includes
// trees that have only a first node. rows gets all nodes of a tree and must return at least an entry for its root, even
// without text: otherwise the tree stays unknown, and every search reads it again.
func (c *Core) Index(ctx context.Context, refs string, begun bool, rows func(nodes []tree.Node) []store.Indexed) error {
	c.unindexed.Store(false)
	seen := map[tree.ID]bool{}
	for end := time.Now().Add(indexTime); ; {
		// Trees that were tried may still be unknown, because they are damaged: ask for as many more.
		roots, err := c.Store.Unknown(ctx, refs, begun, indexedAtOnce+len(seen))
		if err != nil {
			return err
		}
		roots = slices.DeleteFunc(roots, func(r tree.ID) bool { return seen[r] })
		if len(roots) == 0 {
			return nil
		}
		if time.Now().After(end) {
			c.unindexed.Store(true)
			return nil
		}
		var all []store.Indexed
		for _, root := range roots {
			seen[root] = true
			nodes, err := c.Store.Tree(ctx, root)
			if errors.Is(err, store.ErrDamaged) { // the other trees can be found all the same
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, rows(nodes)...)
		}
		for part := range slices.Chunk(all, rowsAtOnce) {
			if _, err := c.Store.Commit(ctx, store.Change{Index: part}); err != nil {
				return err
			}
		}
	}
}
