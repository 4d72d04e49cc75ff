package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// planted is a store with one chain of depth nodes and as many others as make up total, each alone under a root.
func planted(b *testing.B, depth, total int) (*store.Store, tree.ID) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "s.db")
	s := open(b, path, nil)
	body := strings.Repeat("word ", 60)
	// IDs are spread over the index as hashes would be: neighbours in the chain are no neighbours on disk.
	_, err := raw(b, path).Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
		INSERT INTO node (id, parent, root, kind, by, at, body)
		SELECT printf('%026d', (i * 7919) % 1000003),
			CASE WHEN i = 0 OR i >= ?2 THEN '' ELSE printf('%026d', ((i - 1) * 7919) % 1000003) END,
			printf('%026d', CASE WHEN i < ?2 THEN 0 ELSE (i * 7919) % 1000003 END), 'said', 'person', i, ?3 FROM n`,
		total, depth, fmt.Sprintf(`{"text":%q}`, body))
	if err != nil {
		b.Fatal(err)
	}
	return s, tree.ID(fmt.Sprintf("%026d", (depth-1)*7919%1000003))
}

// BenchmarkPath reads a path of 10,000 nodes: its time must not grow with the store.
func BenchmarkPath(b *testing.B) {
	for _, total := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("depth=10000/nodes=%d", total), func(b *testing.B) {
			if total > 100_000 && testing.Short() {
				b.Skip("a store of a million nodes")
			}
			s, leaf := planted(b, 10_000, total)
			for b.Loop() {
				if p, err := s.Path(context.Background(), leaf); err != nil || len(p) != 10_000 {
					b.Fatal(len(p), err)
				}
			}
		})
	}
}

// BenchmarkAppend commits 1 and 100 nodes at a time, of about 300 bytes.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 100} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			s := fresh(b)
			root := add(b, s, node("", "root"))[0]
			batch := make([]tree.Node, size)
			for b.Loop() {
				for i := range batch {
					batch[i] = node(root.ID, strings.Repeat("word ", 60))
				}
				add(b, s, batch...)
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

// BenchmarkSince reads the last 100 nodes, of the whole store and of one tree.
func BenchmarkSince(b *testing.B) {
	s, leaf := planted(b, 10_000, 100_000)
	for name, from := range map[string]struct {
		seq  int64
		root tree.ID
	}{"all": {99_900, ""}, "tree": {9_900, tree.ID(fmt.Sprintf("%026d", 0))}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := since(b, s, from.seq, from.root); len(got) != 100 || from.root != "" && got[99].ID != leaf {
					b.Fatal(len(got))
				}
			}
		})
	}
}

// BenchmarkWriters has 16 writers append single nodes at once: in one process, where a commit serves all who wait, and
// with a store each, as 16 processes have. The longest wait of any append is reported.
func BenchmarkWriters(b *testing.B) {
	const writers = 16
	for _, stores := range []int{1, writers} {
		b.Run(fmt.Sprintf("stores=%d", stores), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.db")
			var all []*store.Store
			for range stores {
				all = append(all, open(b, path, nil))
			}
			root := add(b, all[0], node("", "root"))[0]
			var longest, left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wait sync.WaitGroup
			for w := range writers {
				wait.Go(func() {
					for left.Add(-1) >= 0 {
						start := time.Now()
						if _, err := all[w%stores].Append(context.Background(), node(root.ID, "word")); err != nil {
							b.Error(err)
							return
						}
						for took := int64(time.Since(start)); ; {
							if have := longest.Load(); took <= have || longest.CompareAndSwap(have, took) {
								break
							}
						}
					}
				})
			}
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
			b.ReportMetric(float64(longest.Load())/1e6, "longest-ms")
		})
	}
}
