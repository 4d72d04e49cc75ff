package store

import (
	"maps"
	"sync"

	"github.com/socrates-cli/socrates/internal/tree"
)

// lineage remembers the roots of nodes that this process committed or asked for. A node never changes its root.
type lineage struct {
	mu   sync.Mutex
	root map[tree.ID]tree.ID
}

const maxLineage = 1 << 14

func (l *lineage) of(id tree.ID) (tree.ID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, ok := l.root[id]
	return root, ok
}

func (l *lineage) learn(roots map[tree.ID]tree.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.root == nil || len(l.root) > maxLineage {
		l.root = map[tree.ID]tree.ID{}
	}
	maps.Copy(l.root, roots)
}
