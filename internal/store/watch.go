package store

import "context"

// Watch detects changes of the store, by any process. It is for one goroutine at a time, and must be closed before the
// store. A check costs microseconds and can be made several times a second.
type Watch struct {
	path string
	own  *readers // one connection: SQLite counts the commits of others per connection
	seen int64
}

// Watch returns a new Watch.
func (s *file) Watch() (*Watch, error) {
	own, err := openReaders(s.reader.dsn, 1)
	if err != nil {
		return nil, explain(s.path, "watch", err)
	}
	return &Watch{path: s.path, own: own}, nil
}

// Changed reports whether something was committed since the last call; the first call returns true. It reads no table.
// Commits of this process count, too.
func (w *Watch) Changed(ctx context.Context) (bool, error) {
	was := w.seen
	if err := w.own.QueryRowContext(ctx, "PRAGMA data_version").Scan(&w.seen); err != nil {
		return false, explain(w.path, "watch", err)
	}
	return w.seen != was, nil
}

// Close closes the Watch.
func (w *Watch) Close() error { return w.own.Close() }
