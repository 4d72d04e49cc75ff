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

// file is the database, with the one connection that writes and those that read.
// The writer is one connection on purpose: SQLite has one writer at a time, and a queue of our own is fairer than its
// retries.
type file struct {
	path   string
	opened os.FileInfo // path as it was opened
	free   func()      // lets others of this program open its files again; nil: not open yet
	writer *sql.DB     // nil: the store may only be read
	statements
	reader *readers
	memory *readers            // where the entries of a store lie that may only be read; nil: in the store
	clean  func(string) string // applied to what is written; nil: nothing is
	person string              // whose name what a person says is given; empty: none
	queue  queue

	mu      sync.Mutex
	changed func() // called after each commit of this process; may be nil
}

// nodes are what is said: each is written once.
type nodes struct {
	*file
	roots *lineage
}

// refs are the names of nodes, which move.
type refs struct{ *file }

// index is what nodes are found by: their words.
type index struct{ *file }

// texts are what is too long for a node, by their hash.
type texts struct{ *file }

// trash is what was deleted, until it is purged.
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

// Open opens the store at path, makes it if it is not there (folder 0700, file 0600) and brings it up to date. A store
// that may only be read is opened for reading. clean is applied to every text before it is written; nil leaves texts
// alone.
//
// It is refused with an *Error that says what to do. Whoever opens a store closes it.
func Open(ctx context.Context, path string, clean func(string) string) (*Store, error) {
	s := of(&file{path: path, clean: clean})
	err := s.openWriter(ctx)
	if err != nil {
		if !unwritable(err) {
			return nil, err
		}
		readOnly := s.openReadOnly(ctx)
		// The second opening tells more than the first: it is refused for what is in the file, not for its
		// permissions.
		if refused, ok := errors.AsType[*Error](readOnly); ok {
			return nil, refused
		} else if readOnly != nil {
			return nil, err
		}
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
	// A file whose header is another program's, or damaged, fails here first.
	if missing(err) { // the header told nothing of whose it is
		if refused, ok := errors.AsType[*Error](inspectDatabase(ctx, s.path, dsn(s.path, "&mode=ro"))); ok {
			return refused
		}
	}
	return err
}

// wal is how a store that can be written is opened.
// FULL, not NORMAL: a commit must be on disk before anybody is told, also if the power fails.
const wal = "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"

// dsn is the name by which the driver opens a file: each connection gets the pragmas again.
func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	return u.String() + fmt.Sprintf("?_pragma=busy_timeout(%d)", patience.Milliseconds()) + "&_pragma=foreign_keys(1)" + more
}

// Close writes the texts that wait for a commit and closes the store. Open iterators must have ended.
// The error is of the texts that could not be written, or of a connection. A store is not usable afterwards.
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

// Clean takes out of a text what must not be written.
func (s *file) Clean(text string) string {
	if s.clean == nil {
		return text
	}
	return s.clean(text)
}

// File is the store's file.
func (s *file) File() string { return s.path }

// OnCommit sets what is called after each commit of this process.
//
// It is called without a lock, by whichever goroutine wrote, once per transaction and after it is on disk. It must be
// quick: all who wait for the same transaction wait for it. nil takes it away.
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
