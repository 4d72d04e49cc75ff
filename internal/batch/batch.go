// Package batch is a SQLite file of one process whose writes share transactions: concurrent writes wait for one sync of the
// disk together. A write that returned is on disk (synchronous=FULL). Each is all or nothing by itself.
//
// Statements are prepared once for a connection. Texts are those of the program, and values are arguments.
package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/socrates-cli/socrates/internal/inuse"
)

// File is one that is open. It is made by Open and safe for concurrent use.
type File struct {
	Read  *sql.DB // for queries alone
	write *sql.DB // one connection
	free  func()
	ops   chan op
	ended chan struct{}
}

// op is a write that waits for its transaction.
type op struct {
	do    func(tx *sql.Tx) error
	ended chan error
}

// Open opens the file at path, and makes it, for its owner alone, if it is not there. prepare brings it to its form, in one transaction.
// readers is how many queries run at once. Whoever opens it closes it.
func Open(ctx context.Context, path string, readers int, prepare func(tx *sql.Tx) error) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// One that was restored from a backup may be open to others.
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, fmt.Errorf("keep others out of %s: %w", path, err)
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	b := &File{ops: make(chan op), ended: make(chan struct{})}
	if b.write, err = prepared(name + "&_txlock=immediate"); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	b.write.SetMaxOpenConns(1)
	if err = begin(ctx, b.write, prepare); err == nil {
		b.Read, err = prepared(name + "&_pragma=query_only(1)")
	}
	if err != nil {
		b.write.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	b.Read.SetMaxOpenConns(readers)
	b.Read.SetMaxIdleConns(readers)
	b.free = inuse.Hold(path, path+"-wal", path+"-shm")
	go b.commit()
	return b, nil
}

func begin(ctx context.Context, db *sql.DB, prepare func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := prepare(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Close waits for what is being written. Nothing may be written after it.
func (b *File) Close() error {
	close(b.ops)
	<-b.ended
	b.free()
	return errors.Join(b.Read.Close(), b.write.Close())
}

// In writes, and returns when it is on disk; an error is that of do, or why nothing was written.
func (b *File) In(do func(tx *sql.Tx) error) error {
	o := op{do, make(chan error, 1)}
	b.ops <- o
	return <-o.ended
}

// most is how many writes share a transaction.
const most = 200

// commit carries out writes in the order in which they come. Those that wait at the same time share a transaction.
func (b *File) commit() {
	defer close(b.ended)
	for first := range b.ops {
		batch, open := []op{first}, true
		for open && len(batch) < most {
			select {
			case next, ok := <-b.ops:
				if open = ok; ok {
					batch = append(batch, next)
				}
			default:
				open = false
			}
		}
		errs, err := b.together(batch)
		for i, o := range batch {
			if err != nil {
				errs[i] = err
			}
			o.ended <- errs[i]
		}
	}
}

// together carries writes out in one transaction. One that fails is undone by itself; an error is that of all.
func (b *File) together(batch []op) ([]error, error) {
	errs := make([]error, len(batch))
	tx, err := b.write.Begin()
	if err != nil {
		return errs, err
	}
	defer tx.Rollback()
	if len(batch) == 1 {
		if err := batch[0].do(tx); err != nil {
			return errs, err
		}
		return errs, tx.Commit()
	}
	for i, o := range batch {
		if _, err := tx.Exec("SAVEPOINT one"); err != nil {
			return errs, err
		}
		if errs[i] = o.do(tx); errs[i] != nil {
			if _, err := tx.Exec("ROLLBACK TO one"); err != nil {
				return errs, err
			}
		}
		if _, err := tx.Exec("RELEASE one"); err != nil {
			return errs, err
		}
	}
	return errs, tx.Commit()
}
