package store

import "context"

// Watch sees whether the store was changed, by whichever process. For one goroutine at a time; it must be closed before
// the store is.
// It costs microseconds and is meant to be asked several times a second.
type Watch struct {
	path string
	own  *readers // one connection: SQLite counts for each what others commit
	seen int64
}

// Watch begins to watch.
func (s *file) Watch() (*Watch, error) {
	own, err := openReaders(s.reader.dsn, 1)
	if err != nil {
		return nil, explain(s.path, "watch", err)
	}
	return &Watch{path: s.path, own: own}, nil
}

// Changed says whether something was committed since it was last asked; the first time it is true. It reads no table.
// Commits of this process count, too.
func (w *Watch) Changed(ctx context.Context) (bool, error) {
	was := w.seen
	if err := w.own.QueryRowContext(ctx, "PRAGMA data_version").Scan(&w.seen); err != nil {
		return false, explain(w.path, "watch", err)
	}
	return w.seen != was, nil
}

// Close ends it.
func (w *Watch) Close() error { return w.own.Close() }
