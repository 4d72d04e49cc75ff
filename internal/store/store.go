package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/socrates-cli/socrates/internal/inuse"
)

// Store is an open store: parts over one file. Safe for concurrent use; several processes may have the same file open.
type Store struct {
	*file
	nodes
	refs
	index
	texts
	trash
}

// file is the database, with one connection that writes and several that read. There is one writer connection on
// purpose: SQLite allows one writer at a time, and our own queue is fairer than its retries.
type file struct {
	path   string
	opened os.FileInfo // path when it was opened
	free   func()      // lets the rest of the program open the files again; nil: not open yet
	writer *sql.DB     // nil: the store is read-only
	barred error       // why it is
	statements
	reader *readers
	memory *readers            // the entries of a read-only store; nil: they are in the store
	clean  func(string) string // applied to what is written; nil: nothing is applied
	person string              // name to store with what a person says; empty: none
	queue  queue

	mu      sync.Mutex
	changed func() // called after each commit of this process; may be nil
}

// nodes are the things said or done: each is written once.
type nodes struct {
	*file
	roots *lineage
}

// refs are movable names of nodes.
type refs struct{ *file }

// index is the index of words.
type index struct{ *file }

// texts are the texts too long for a node, by their hash.
type texts struct{ *file }

// trash has what was deleted, until it is purged.
type trash struct {
	*file
	nodes nodes
	refs  refs
}

func of(f *file) *Store {
	s := &Store{file: f, nodes: nodes{f, &lineage{}}, refs: refs{f}, index: index{f}, texts: texts{f}}
	s.trash = trash{f, s.nodes, s.refs}
	return s
}

// Open opens the store at path, creates it if it does not exist (folder 0700, file 0600) and brings it up to date. A
// store that cannot be written is opened read-only. clean is applied to every text before it is written; nil leaves
// texts unchanged.
//
// If Open refuses the store, the *Error says what to do. The caller closes the store.
func Open(ctx context.Context, path string, clean func(string) string) (*Store, error) {
	s := of(&file{path: path, clean: clean})
	err := s.openWriter(ctx)
	if err != nil {
		if !unwritable(err) {
			return nil, err
		}
		readOnly := s.openReadOnly(ctx)
		// The error of the second attempt says more than the first: it is about what is in the file, not about its permissions.
		if refused, ok := errors.AsType[*Error](readOnly); ok {
			return nil, refused
		} else if readOnly != nil {
			return nil, err
		}
		s.barred = err
		s.hold()
		return s, nil
	}
	if s.reader, err = openReaders(dsn(path, wal+"&mode=rw&_pragma=query_only(1)"), 4); err != nil {
		s.writer.Close()
		return nil, explain(path, "open", err)
	}
	s.hold()
	return s, nil
}

// hold keeps the rest of the program from opening the files that SQLite has open.
func (s *file) hold() { s.free = inuse.Hold(s.path, s.path+"-wal", s.path+"-shm") }

func (s *file) openWriter(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return s.explain("make the folder of", err)
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return s.explain("open", err)
	}
	if s.opened, err = f.Stat(); err == nil {
		err = inspect(ctx, s.path, f)
	}
	f.Close()
	if err != nil {
		return s.explain("open", err)
	}
	w, err := sql.Open("sqlite", dsn(s.path, wal+"&_txlock=immediate&_pragma=secure_delete(1)"))
	if err != nil {
		return s.explain("open", err)
	}
	w.SetMaxOpenConns(1)
	s.writer = w
	if err = migrate(ctx, w, s.path); err == nil {
		err = s.explain("open", s.prepare(ctx))
	}
	if err == nil {
		return nil
	}
	w.Close()
	s.writer = nil
	// A file of another program, or a damaged one, fails here first.
	if missing(err) { // the header did not say whose file it is
		if refused, ok := errors.AsType[*Error](inspectDatabase(ctx, s.path, dsn(s.path, "&mode=ro"))); ok {
			return refused
		}
	}
	return err
}

// wal has the options for a writable store. FULL, not NORMAL: a commit must be on disk before anybody is told, even if the power fails.
const wal = "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"

// dsn returns the driver's name for a file; the pragmas apply to each connection.
func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	return u.String() + fmt.Sprintf("?_pragma=busy_timeout(%d)", patience.Milliseconds()) + "&_pragma=foreign_keys(1)" + more
}

// Close writes the texts that wait for a commit and closes the store. Iterators must have ended. The error is about
// texts that could not be written, or about a connection. The store is not usable afterwards.
func (s *file) Close() error {
	if s.free != nil {
		defer s.free()
	}
	var err error
	if s.writer != nil && s.queue.hasTexts() {
		err = s.commit(context.Background(), func(context.Context, *sql.Tx) error { return nil })
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	for _, p := range []*readers{s.reader, s.memory} {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// Clean removes from a text what must not be written.
func (s *file) Clean(text string) string {
	if s.clean == nil {
		return text
	}
	return s.clean(text)
}

// File returns the path of the store's file.
func (s *file) File() string { return s.path }

// OnCommit sets the function that is called after each commit of this process.
//
// It is called without a lock, by the goroutine that wrote, once per transaction and after that is on disk. It must be
// quick: all who wait for the same transaction wait for it. nil removes the function.
func (s *file) OnCommit(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = f
}

func (s *file) wake() {
	s.mu.Lock()
	f := s.changed
	s.mu.Unlock()
	if f != nil {
		f()
	}
}
