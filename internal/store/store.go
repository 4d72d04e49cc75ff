// Package store is the conversation tree in SQLite: append, path, since, refs, blobs and search.
//
// One writer connection per process takes an immediate transaction for each Append, or for several that wait at once;
// readers have a pool of their own and are never blocked by it (WAL). A commit is on disk when Append returns.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Store is an open store. Safe for concurrent use; several processes may have the same file open.
type Store struct {
	path   string
	file   os.FileInfo // of path as it was opened
	writer *sql.DB     // nil: the store may only be read
	statements
	reader *readers
	apart  *readers // where the entries of a store lie that may only be read; nil: in the store
	clean  func(string) string
	roots  lineage
	queue  queue

	mu      sync.Mutex
	changed func() // called after each commit of this process; may be nil
}

// Open opens the store at path, makes it if it is not there (folder 0700, file 0600) and brings it up to date. A store
// that may only be read is opened for reading. clean is applied to every text before it is written; nil leaves texts
// alone.
func Open(ctx context.Context, path string, clean func(string) string) (*Store, error) {
	s := &Store{path: path, clean: clean}
	err := s.openWriter(ctx)
	if err != nil {
		if !unwritable(err) {
			return nil, err
		}
		apart := s.openApart(ctx)
		if refused, ok := errors.AsType[*Error](apart); ok {
			return nil, refused
		} else if apart != nil {
			return nil, err
		}
		return s, nil
	}
	if s.reader, err = openReaders(dsn(path, wal+"&mode=rw&_pragma=query_only(1)"), 4); err != nil {
		s.writer.Close()
		return nil, explain(path, "open", err)
	}
	return s, nil
}

func (s *Store) openWriter(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return s.explain("make the folder of", err)
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return s.explain("open", err)
	}
	if s.file, err = f.Stat(); err == nil {
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
	if missing(err) { // the header told nothing of whose it is
		if refused, ok := errors.AsType[*Error](inspectDatabase(ctx, s.path, dsn(s.path, "&mode=ro"))); ok {
			return refused
		}
	}
	return err
}

// wal is how a store that can be written is opened.
const wal = "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"

func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	return u.String() + fmt.Sprintf("?_pragma=busy_timeout(%d)", patience.Milliseconds()) + "&_pragma=foreign_keys(1)" + more
}

// Close writes the texts that wait for a commit and closes the store. Open iterators must have ended.
func (s *Store) Close() error {
	var err error
	if s.writer != nil && s.queue.hasTexts() {
		err = s.commit(context.Background(), func(context.Context, *sql.Tx) error { return nil })
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	for _, p := range []*readers{s.reader, s.apart} {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// Clean takes out of a text what must not be written.
func (s *Store) Clean(text string) string {
	if s.clean == nil {
		return text
	}
	return s.clean(text)
}

// File is the store's file.
func (s *Store) File() string { return s.path }

// OnCommit sets what is called after each commit of this process.
func (s *Store) OnCommit(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = f
}

func (s *Store) wake() {
	s.mu.Lock()
	f := s.changed
	s.mu.Unlock()
	if f != nil {
		f()
	}
}

const columns = "seq, id, parent, kind, by, at, body"

// Path returns the nodes from the root to leaf. It costs the depth of the leaf, not the size of the store.
func (s *Store) Path(ctx context.Context, leaf tree.ID) ([]tree.Node, error) {
	return s.End(ctx, leaf, math.MaxInt64)
}

// End returns the end of the path to leaf: so many nodes, or all if there are no more. It costs what it returns. A parent was
// committed before its child: whatever the store says, the way up ends.
func (s *Store) End(ctx context.Context, leaf tree.ID, most int64) ([]tree.Node, error) {
	rows, err := s.reader.QueryContext(ctx, `WITH RECURSIVE up(seq, id, parent, root, kind, by, at, body, depth) AS (
		SELECT seq, id, parent, root, kind, by, at, body, 1 FROM node WHERE id = ?
		UNION ALL
		SELECT n.seq, n.id, n.parent, n.root, n.kind, n.by, n.at, n.body, depth + 1 FROM up CROSS JOIN node n ON n.id = up.parent
			WHERE depth < ? AND n.seq < up.seq AND up.parent <> ''
	) SELECT seq, id, CASE WHEN parent = '' AND id <> root THEN root ELSE parent END, kind, by, at, body FROM up ORDER BY depth DESC`, leaf, most)
	nodes, err := collect(rows, err)
	if err != nil {
		return nil, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return nil, s.absent(ctx, leaf)
	}
	if nodes[0].Parent != "" && int64(len(nodes)) < most {
		return nil, s.severed(ctx, nodes[0])
	}
	return nodes, s.Readable(nodes)
}

// Tree returns every node under root, root included and first, in order of commit: one at least.
func (s *Store) Tree(ctx context.Context, root tree.ID) ([]tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE root = ? ORDER BY seq", root))
	if err != nil {
		return nil, s.explain("read", err)
	}
	if len(nodes) == 0 || nodes[0].ID != root {
		return nil, damage(s.path, fmt.Sprintf("is damaged, or tree %s was removed meanwhile: its first node is missing", root), nil)
	}
	return nodes, nil
}

// First returns the first node of a kind under root. The error is ErrNotFound if there is none.
func (s *Store) First(ctx context.Context, root tree.ID, kind string) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node INDEXED BY node_root WHERE root = ? AND kind = ? ORDER BY seq LIMIT 1", root, kind))
	if err != nil {
		return tree.Node{}, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, fmt.Errorf("%s node under %s: %w", kind, root, ErrNotFound)
	}
	return nodes[0], nil
}

// Last returns the nodes under root that were committed last, at most that many, in order of commit, and how many there
// are in all.
func (s *Store) Last(ctx context.Context, root tree.ID, most int) (nodes []tree.Node, all int, err error) {
	if err = s.reader.QueryRowContext(ctx, "SELECT count(*) FROM node WHERE root = ?", root).Scan(&all); err == nil {
		nodes, err = collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE root = ? ORDER BY seq DESC LIMIT ?", root, most))
	}
	slices.Reverse(nodes)
	return nodes, all, s.explain("read", err)
}

// Latest returns the last nodes of one kind in the whole store, at most that many, the newest first.
func (s *Store) Latest(ctx context.Context, kind string, most int) ([]tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE kind = ? ORDER BY seq DESC LIMIT ?", kind, most))
	if err != nil {
		return nil, s.explain("read", err)
	}
	return nodes, nil
}

// Kind returns the nodes of one kind committed after seq, in all trees, oldest first. It reads no others.
func (s *Store) Kind(ctx context.Context, kind string, seq int64) ([]tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE kind = ? AND seq > ? ORDER BY seq", kind, seq))
	if err != nil {
		return nil, s.explain("read", err)
	}
	return nodes, nil
}

// Since yields the nodes committed after seq, oldest first; under root only, unless root is empty.
func (s *Store) Since(ctx context.Context, seq int64, root tree.ID) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		q, args := "SELECT "+columns+" FROM node WHERE seq > ? ORDER BY seq", []any{seq}
		if root != "" {
			q, args = "SELECT "+columns+" FROM node WHERE root = ? AND seq > ? ORDER BY seq", []any{root, seq}
		}
		rows, err := s.reader.QueryContext(ctx, q, args...)
		if err != nil {
			yield(tree.Node{}, s.explain("read", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			n, err := scan(rows)
			if !yield(n, s.explain("read", err)) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(tree.Node{}, s.explain("read", err))
		}
	}
}

// Version changes whenever any process commits. Reading it costs microseconds.
func (s *Store) Version(ctx context.Context) (int64, error) {
	var v int64
	err := s.reader.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM node").Scan(&v)
	return v, s.explain("read", err)
}

func collect(rows *sql.Rows, err error) ([]tree.Node, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []tree.Node
	for rows.Next() {
		n, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

func scan(rows *sql.Rows) (tree.Node, error) {
	var n tree.Node
	r := row{node: &n}
	err := rows.Scan(r.fields()...)
	r.fill()
	return n, err
}

// row is a node on its way out of the database.
type row struct {
	node *tree.Node
	at   int64
	body string
}

// fields are what columns are scanned into; fill then completes the node.
func (r *row) fields() []any {
	n := r.node
	return []any{&n.Seq, &n.ID, &n.Parent, &n.Kind, &n.By, &r.at, &r.body}
}

func (r *row) fill() { r.node.At, r.node.Body = time.UnixMilli(r.at).UTC(), json.RawMessage(r.body) }
