package engine

import (
	"sync"
	"sync/atomic"

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
	mirror    *Mirror // nil: the store is no copy

	mu    sync.Mutex // guards the rest
	jobs  map[tree.ID]*Job
	ended []tree.ID // trees whose jobs ended, the latest last
}

// NameTries is how many names a new thing tries. One in some hundred thousand is taken; it must not fail a debate.
const NameTries = 64
