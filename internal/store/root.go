package store

import (
	"maps"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// lineage caches the roots of nodes that this process committed or looked up. A node's root never changes, but the node
// may be purged, also by another process: so nothing is cached for longer than a day.
type lineage struct {
	mu    sync.Mutex
	root  map[tree.ID]tree.ID
	since time.Time
}

// maxLineage bounds the cache; beyond it everything is dropped at once, which costs a query for each tree in use.
const maxLineage = 1 << 14

// of returns false if the root is not cached, or was cached too long ago.
func (l *lineage) of(id tree.ID) (tree.ID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, ok := l.root[id]
	return root, ok && time.Since(l.since) < settled
}

func (l *lineage) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.root = nil
}

func (l *lineage) learn(roots map[tree.ID]tree.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.root == nil || len(l.root) > maxLineage || time.Since(l.since) > settled {
		l.root, l.since = map[tree.ID]tree.ID{}, time.Now()
	}
	maps.Copy(l.root, roots)
}
