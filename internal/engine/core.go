package engine

import (
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Core is what operations and queries work with. Only the parts of an engine get it, so that nothing else reaches the store.
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
	mirror    *Mirror // nil: the store is not a copy

	mu    sync.Mutex // guards the rest
	jobs  map[tree.ID]*Job
	ended []tree.ID // trees whose jobs ended, the latest last
}

// NameTries is how many names are tried for a new thing. One in some hundred thousand is taken; that must not fail a debate.
const NameTries = 64
