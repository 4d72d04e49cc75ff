package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// unwritable reports whether err means that the store, or its folder, is not writable, or that its disk is full.
func unwritable(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() {
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE:
			return true
		}
		code := e.Code() & 0xff
		return code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// inMemory turns the tables of entries into temporary ones of a connection.
var inMemory = strings.NewReplacer("CREATE TABLE ", "CREATE TEMP TABLE ", "CREATE VIRTUAL TABLE ", "CREATE VIRTUAL TABLE temp.")

var errEmpty = errors.New("the store is empty")

// openReadOnly opens a store of this version or an older one for reading only. Its entries are kept in memory, so that it can be searched
// all the same.
func (s *file) openReadOnly(ctx context.Context) error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	err = inspect(ctx, s.path, f)
	f.Close()
	if err != nil {
		return err
	}
	open := "&mode=ro"
	version, err := versionOf(ctx, dsn(s.path, open))
	if err != nil { // for a store that no process has open, SQLite would write a file beside it
		open = "&immutable=1"
		version, err = versionOf(ctx, dsn(s.path, open))
	}
	if err != nil {
		return err
	}
	switch {
	case version < 1: // it was never filled: why it cannot be says more
		return errEmpty
	case version > len(migrations):
		return newer(s.path, version)
	}
	first := ""
	// An older store cannot be migrated; a view in memory adds the columns it lacks.
	if version < listedSince {
		first = shadow
	}
	if s.reader, err = readersOf(dsn(s.path, open+"&_pragma=temp_store(2)"), 4, first); err != nil {
		return err
	}
	// Tables in memory belong to one connection.
	if s.memory, err = readersOf(dsn(s.path, open+"&_pragma=temp_store(2)"), 1, first); err != nil {
		return errors.Join(err, s.reader.Close())
	}
	if _, err = s.memory.ExecContext(ctx, inMemory.Replace(findSchema)); err != nil {
		return errors.Join(err, s.reader.Close(), s.memory.Close())
	}
	return nil
}

// Writable returns nil, or why nothing can be written to the store.
func (s *file) Writable() error {
	if s.writer != nil {
		return nil
	}
	return s.explain("write to", cmp.Or(s.barred, fs.ErrPermission))
}

// Try writes a value that does not change to the disk, and returns nil or why nothing can be written.
func (s *file) Try(ctx context.Context) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := s.Writable()
		if err == nil {
			_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations)))
		}
		return s.explain("write to", err)
	})
}

func versionOf(ctx context.Context, name string) (version int, err error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// commitIndex is commit for a read-only store: only entries can be written.
func (s *file) commitIndex(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := s.memory.BeginTx(ctx, nil)
	if err != nil {
		return s.explain("search", err)
	}
	defer tx.Rollback()
	if err := do(ctx, tx); err != nil {
		return s.explain("write to", err)
	}
	return tx.Commit()
}
