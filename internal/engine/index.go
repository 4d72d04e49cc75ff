package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// indexTime is how long one look at the index makes findable what is not: in a store of an older program that is all there
// is, and nobody waits for it. The newest comes first, and every look goes on with it.
const indexTime = time.Second

// indexedAtOnce is how many trees are looked up at once to be made findable, rowsAtOnce how many entries one commit writes.
const indexedAtOnce, rowsAtOnce = 50, 500

// Unindexed says that the last look at the index left things out that cannot be found by their words yet.
func (e *Engine) Unindexed() bool { return e.core.unindexed.Load() }

// Index makes trees of a class findable by the entries that it is given.
// refs is the class of refs that lead to such trees; begun includes trees that have only a first node. rows is
// given all nodes of a tree and must return an entry for its root at least, be it without text: else the tree stays
// unknown, and is read again by every search.
func (c *Core) Index(ctx context.Context, refs string, begun bool, rows func(nodes []tree.Node) []store.Indexed) error {
	c.unindexed.Store(false)
	seen := map[tree.ID]bool{}
	for end := time.Now().Add(indexTime); ; {
		// Those that were seen may be unknown still, because they are damaged: as many more are asked for.
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
			if errors.Is(err, store.ErrDamaged) { // the others can be found all the same
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
