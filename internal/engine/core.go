package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Core is what operations and queries work with. Only the parts of an engine are given it, so that nobody else reaches the store.
type Core struct {
	Store *store.Store
	Feed  feed.Feed

	lookout lookout
	peers   *peer.Peers
	sharer  sharer
	own     ownLocks
	// unindexed: see Unindexed.
	unindexed atomic.Bool
	began     func(root tree.ID, recorded int64)

	mu   sync.Mutex // guards jobs
	jobs map[tree.ID]*Job
}

// TrashTime is how long what was deleted can be taken back.
const TrashTime = 7 * 24 * time.Hour

// sweptAtOnce is how much of what has expired one op removes: nobody waits for more.
const sweptAtOnce = 20

// Sweep removes for good some of what has been in the trash long enough. The rest, and what cannot be removed now, is the
// next time.
func (c *Core) Sweep(ctx context.Context) {
	if ctx.Err() == nil {
		c.Store.Purge(ctx, time.Now().Add(-TrashTime), sweptAtOnce)
	}
}

// Expire removes for good all that has been in the trash long enough, and returns how many things that were.
func (e *Engine) Expire(ctx context.Context) (int, error) {
	return e.core.Store.Purge(ctx, time.Now().Add(-TrashTime), 0)
}

// NameTries is how many names a new thing tries. One in some hundred thousand is taken; it must not fail a debate.
const NameTries = 64
