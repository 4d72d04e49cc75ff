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

// planted is a store of total nodes, in which every stride-th one belongs to one chain of depth nodes and each other
// stands alone. IDs rise in the order of commit, as real ones do. It returns the chain's root and leaf.
func planted(b *testing.B, depth, stride, total int) (s *store.Store, root, leaf tree.ID) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "s.db")
	s = open(b, path, nil)
	_, err := raw(b, path).Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1),
			chained(i, linked) AS (SELECT i, i % ?3 = 0 AND i < ?2 * ?3 FROM n)
		INSERT INTO node (id, parent, root, kind, by, at, body)
		SELECT printf('%026d', i), CASE WHEN linked AND i > 0 THEN printf('%026d', i - ?3) ELSE '' END,
			printf('%026d', CASE WHEN linked THEN 0 ELSE i END), 'said', 'person', i, ?4 FROM chained`,
		total, depth, stride, fmt.Sprintf(`{"text":%q}`, strings.Repeat("word ", 60)))
	if err != nil {
		b.Fatal(err)
	}
	return s, tree.ID(fmt.Sprintf("%026d", 0)), tree.ID(fmt.Sprintf("%026d", (depth-1)*stride))
}

// BenchmarkPath reads a path of 10,000 nodes: its time must not grow with the store. Spread over the whole store,
// each node of the path lies on a page of its own, which is the most a read can cost.
func BenchmarkPath(b *testing.B) {
	const depth = 10_000
	for _, tc := range []struct{ total, stride int }{{10_000, 1}, {100_000, 1}, {1_000_000, 1}, {100_000, 10}, {1_000_000, 100}} {
		b.Run(fmt.Sprintf("nodes=%d/every=%d", tc.total, tc.stride), func(b *testing.B) {
			if tc.total > 100_000 && testing.Short() {
				b.Skip("a store of a million nodes")
			}
			s, _, leaf := planted(b, depth, tc.stride, tc.total)
			for b.Loop() {
				if p, err := s.Path(context.Background(), leaf); err != nil || len(p) != depth {
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
	s, root, leaf := planted(b, 10_000, 1, 100_000)
	for name, from := range map[string]struct {
		seq  int64
		root tree.ID
	}{"all": {99_900, ""}, "tree": {9_900, root}} {
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
