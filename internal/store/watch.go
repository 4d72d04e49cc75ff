package store

import (
	"context"
	"database/sql"
	"errors"
)

// Watch sees whether the store was changed, by whichever process. For one goroutine at a time; it must be closed before
// the store is.
type Watch struct {
	path    string
	conn    *sql.Conn // SQLite counts for each connection what others commit
	version *sql.Stmt
	seen    int64
}

// Watch begins to watch.
func (s *Store) Watch(ctx context.Context) (*Watch, error) {
	conn, err := s.reader.Conn(ctx)
	if err != nil {
		return nil, explain(s.path, "watch", err)
	}
	w := &Watch{path: s.path, conn: conn}
	if w.version, err = conn.PrepareContext(ctx, "PRAGMA data_version"); err != nil {
		conn.Close()
		return nil, explain(s.path, "watch", err)
	}
	return w, nil
}

// Changed says whether something was committed since it was last asked; the first time it is true. It reads no table.
func (w *Watch) Changed(ctx context.Context) (bool, error) {
	was := w.seen
	if err := w.version.QueryRowContext(ctx).Scan(&w.seen); err != nil {
		return false, explain(w.path, "watch", err)
	}
	return w.seen != was, nil
}

// Close ends it.
func (w *Watch) Close() error { return errors.Join(w.version.Close(), w.conn.Close()) }
