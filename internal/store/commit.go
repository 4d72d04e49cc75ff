package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// queue collects pending writes. The caller that gets the turn writes for all who wait, in one transaction: one sync of
// the disk serves every caller that arrived during the previous one.
type queue struct {
	writing sync.Mutex

	mu      sync.Mutex // guards the rest
	waiting []*write
	texts   map[string][]byte    // blobs that the next transaction writes, by hash
	stored  map[string]time.Time // when texts were written that need not be written again
	purged  time.Time            // when stored was last cleared of texts that have to be
}

// write is one caller's part of a transaction. done and err belong to the caller that has the turn.
type write struct {
	ctx  context.Context
	do   func(context.Context, *sql.Tx) error
	done bool
	err  error
}

// statements are prepared once for the writer connection, which every write uses. A transaction uses them through Tx.StmtContext.
type statements struct{ node, root, blob, naming *sql.Stmt }

// batch is how many rows one statement inserts if there are that many: one statement for each row costs half as much again in total. The
// transaction that needs it prepares it, since most programs never write so much at once.
const batch = 16

// insertBlob inserts texts. touchBlob gives a text that is already stored a new date: Purge then knows that it is still wanted.
const insertBlob, blobRow, touchBlob = "INSERT INTO blob (hash, data, at) VALUES ", "(?, ?, ?)",
	" ON CONFLICT DO UPDATE SET at = excluded.at"

const insertNode, nodeRow = "INSERT INTO node (id, parent, root, kind, by, at, body) VALUES ", "(?, ?, ?, ?, ?, ?, ?)"

func (s *file) prepare(ctx context.Context) error {
	for text, to := range map[string]**sql.Stmt{
		insertNode + nodeRow:                                      &s.statements.node,
		"SELECT root FROM node WHERE id = ?":                      &s.statements.root,
		"INSERT OR IGNORE INTO naming (hash, node) VALUES (?, ?)": &s.statements.naming,
		insertBlob + blobRow + touchBlob:                          &s.statements.blob,
	} {
		stmt, err := s.writer.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		*to = stmt
	}
	return nil
}

// commit runs do in a transaction and returns once it is on disk. If do fails, its changes are undone; the changes of
// others in the same transaction stay.
func (s *file) commit(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if s.writer == nil {
		return s.commitIndex(ctx, do)
	}
	q, w := &s.queue, &write{ctx: ctx, do: do}
	q.mu.Lock()
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	q.writing.Lock()
	defer q.writing.Unlock()
	// The caller that had the turn before may have written ours with its own.
	if w.done {
		return w.err
	}
	q.mu.Lock()
	all, texts := q.waiting, maps.Clone(q.texts)
	q.waiting = nil
	q.mu.Unlock()
	// If the transaction fails as a whole, every caller whose part had not failed by itself gets that error.
	err := s.writeAll(context.WithoutCancel(ctx), all, texts) // one caller's cancellation must not undo another's write
	for _, w := range all {
		w.done = true
		if w.err == nil {
			w.err = s.explain("write to", err)
		}
	}
	return w.err
}

// There returns an error if the store's file is no longer the one that was opened: writes to the old file would be lost when the process
// ends.
func (s *file) There() error {
	if s.opened == nil { // the store is read-only
		return nil
	}
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.opened) {
		return replaced(s.path, err)
	}
	return nil
}

// writeAll runs one transaction: the waiting texts, then each caller's part; parts that fail are undone.
func (s *file) writeAll(ctx context.Context, all []*write, texts map[string][]byte) error {
	if err := s.There(); err != nil {
		return err
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.insertTexts(ctx, tx, texts); err != nil {
		return err
	}
	written := 0
	for _, w := range all {
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		if len(all) == 1 { // its part is the whole transaction and needs no savepoint
			if w.err = w.do(ctx, tx); w.err == nil {
				written++
			}
			break
		}
		if _, err := tx.ExecContext(ctx, "SAVEPOINT part"); err != nil {
			return err
		}
		end := "RELEASE part"
		if w.err = w.do(ctx, tx); w.err != nil {
			end = "ROLLBACK TO part; RELEASE part"
		} else {
			written++
		}
		if _, err := tx.ExecContext(ctx, end); err != nil {
			return err // the database aborted the whole transaction, as it does on a full disk
		}
	}
	// If every part failed, nothing is committed, and the texts keep waiting.
	if written == 0 {
		return nil
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.queue.wrote(slices.Collect(maps.Keys(texts)), time.Now())
	s.wake()
	return nil
}

// Change is what one commit does, all of it or nothing. The zero Change does nothing.
type Change struct {
	Nodes []tree.Node // appended in order; a parent is already stored or comes earlier in the list
	Moves []Move
	Index []Indexed // made findable; each replaces the node's earlier entry
}

// Move points a ref at To, if it still points at From (empty: if it does not exist).
type Move struct {
	Ref      string
	From, To tree.ID
	Scope    string // where the tree belongs, if the ref is new: a path with slashes
	State    string // what List finds it by from now on
}

// And combines both changes. Nodes of d may have parents among the nodes of c, which come first.
func (c Change) And(d Change) Change {
	return Change{slices.Concat(c.Nodes, d.Nodes), slices.Concat(c.Moves, d.Moves), slices.Concat(c.Index, d.Index)}
}

// Commit applies a change and returns its nodes with their Seq. The error is ErrMoved if somebody else moved a ref.
//
// Nodes are cleaned before they are stored, and are returned as stored. The nodes of c are not changed.
func (s *Store) Commit(ctx context.Context, c Change) ([]tree.Node, error) {
	if err := s.Writable(); err != nil && len(c.Nodes)+len(c.Moves) > 0 {
		return nil, err
	}
	out, roots := make([]tree.Node, len(c.Nodes)), map[tree.ID]tree.ID{}
	err := s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.insertAll(ctx, tx, c.Nodes, out, roots); err != nil {
			return err
		}
		for _, m := range c.Moves {
			if err := s.move(ctx, tx, m); err != nil {
				return err
			}
		}
		return s.enter(ctx, tx, c.Index)
	})
	if err != nil {
		return nil, err
	}
	// Only now: a transaction that was rolled back must leave nothing behind.
	s.roots.learn(roots)
	return out, nil
}

// Append commits nodes in order, all or none, and returns them with their Seq.
func (s *Store) Append(ctx context.Context, nodes ...tree.Node) ([]tree.Node, error) {
	return s.Commit(ctx, Change{Nodes: nodes})
}

// AppendTo appends nodes and moves the ref name from from to to, both or neither.
func (s *Store) AppendTo(ctx context.Context, name string, from, to tree.ID, nodes ...tree.Node) ([]tree.Node, error) {
	return s.Commit(ctx, Change{Nodes: nodes, Moves: []Move{{Ref: name, From: from, To: to}}})
}

// Move points the ref name at to, if it still points at from (empty: if it does not exist). Otherwise it
// changes nothing and returns ErrMoved.
func (s *Store) Move(ctx context.Context, name string, from, to tree.ID) error {
	_, err := s.Commit(ctx, Change{Moves: []Move{{Ref: name, From: from, To: to}}})
	return err
}

// move applies one Move. For a new ref it also stores where its tree began and whether it can be found by words, which lists use.
func (s *refs) move(ctx context.Context, tx *sql.Tx, m Move) error {
	q, args := "UPDATE ref SET head = ?, at = ?, state = ? WHERE name = ? AND head = ?",
		[]any{m.To, time.Now().UnixMilli(), m.State, m.Ref, m.From}
	if m.From == "" {
		if s.clean != nil {
			m.Scope = s.clean(m.Scope)
		}
		q, args = `INSERT INTO ref (head, at, state, name, scope, born, known) SELECT ?1, ?2, ?3, ?4, ?5,
			coalesce((SELECT root.seq FROM node JOIN node AS root ON root.id = node.root WHERE node.id = ?1), 0),
			EXISTS (SELECT 1 FROM entry WHERE entry.node = (SELECT root FROM node WHERE id = ?1))
			WHERE true ON CONFLICT DO NOTHING`, append(args[:4], m.Scope)
	}
	res, err := tx.ExecContext(ctx, q, args...)
	if err != nil {
		return s.explain("move "+m.Ref+" in", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("move %s: %w", m.Ref, ErrMoved), err)
	}
	return nil
}

// insertTexts writes the texts that wait. A text that is already stored only gets a new date.
func (s *file) insertTexts(ctx context.Context, tx *sql.Tx, texts map[string][]byte) error {
	row, at := make([]any, 0, 3*len(texts)), time.Now().UnixMilli()
	for hash, data := range texts {
		row = append(row, hash, data, at)
	}
	if len(row) >= 3*batch {
		many, err := tx.PrepareContext(ctx, insertBlob+blobRow+strings.Repeat(", "+blobRow, batch-1)+touchBlob)
		if err != nil {
			return err
		}
		for ; len(row) >= 3*batch; row = row[3*batch:] {
			if _, err := many.ExecContext(ctx, row[:3*batch]...); err != nil {
				return err
			}
		}
	}
	for ; len(row) > 0; row = row[3:] {
		if _, err := tx.StmtContext(ctx, s.statements.blob).ExecContext(ctx, row[:3]...); err != nil {
			return err
		}
	}
	return nil
}

// insertAll stores nodes. It puts the stored nodes into out and the tree of each into roots.
func (s *nodes) insertAll(ctx context.Context, tx *sql.Tx, nodes, out []tree.Node, roots map[tree.ID]tree.ID) error {
	var many *sql.Stmt
	if len(nodes) >= batch {
		var err error
		if many, err = tx.PrepareContext(ctx, insertNode+nodeRow+strings.Repeat(", "+nodeRow, batch-1)); err != nil {
			return s.explain("write to", err)
		}
	}
	for i := 0; i < len(nodes); {
		stmt, count := many, batch
		// The rest of a batch is inserted one by one: each statement has a fixed number of rows.
		if len(nodes)-i < batch {
			stmt, count = tx.StmtContext(ctx, s.statements.node), 1
		}
		row := make([]any, 0, count*7)
		for j := i; j < i+count; j++ {
			n, root, err := s.checked(ctx, tx, nodes[j], roots)
			if err != nil {
				return err
			}
			if s.person != "" && n.By == tree.Person {
				n.By = tree.Named(s.person)
			}
			out[j] = n
			row = append(row, n.ID, n.Parent, root, n.Kind, n.By, n.At.UnixMilli(), string(n.Body))
		}
		res, err := stmt.ExecContext(ctx, row...)
		if err != nil {
			return s.explain("write to", err)
		}
		last, err := res.LastInsertId()
		if err != nil {
			return err
		}
		for j := range count { // rows of one statement are numbered in order, without a gap
			out[i+j].Seq = last - int64(count-1-j)
			if err := s.nameTexts(ctx, tx, out[i+j].Seq, out[i+j].Body); err != nil {
				return err
			}
		}
		i += count
	}
	return nil
}

// checked returns a node as it may be stored, and the root of its tree.
func (s *nodes) checked(ctx context.Context, tx *sql.Tx, n tree.Node, roots map[tree.ID]tree.ID) (_ tree.Node, root tree.ID, err error) {
	root = n.ID
	if n.Parent != "" {
		// Most parents were stored recently: in the same change, or by this process.
		known, ok := roots[n.Parent]
		if !ok {
			known, ok = s.roots.of(n.Parent)
		}
		if !ok {
			err := tx.StmtContext(ctx, s.statements.root).QueryRowContext(ctx, n.Parent).Scan(&known)
			if errors.Is(err, sql.ErrNoRows) {
				// If something in the store refers to the missing parent, the store is damaged; otherwise the caller made a mistake.
				if err := s.absent(ctx, n.Parent); errors.Is(err, ErrDamaged) {
					return n, "", err
				}
				return n, "", fmt.Errorf("append %s node: parent %s is not in the store", n.Kind, n.Parent)
			} else if err != nil {
				return n, "", s.explain("write to", err)
			}
			roots[n.Parent] = known
		}
		root = known
	}
	roots[n.ID] = root
	if !json.Valid(n.Body) {
		return n, "", fmt.Errorf("append %s node: its body is not JSON", n.Kind)
	}
	if s.clean != nil {
		if n.Body, err = cleanJSON(n.Body, s.clean); err != nil {
			return n, "", fmt.Errorf("append %s node: clean its body: %w", n.Kind, err)
		}
	}
	return n, root, nil
}

// nameTexts records the texts a node may name. It does not check whether they exist: a lookup in the table of long texts takes a hundred
// times as long as recording the name.
func (s *nodes) nameTexts(ctx context.Context, tx *sql.Tx, seq int64, body []byte) error {
	for h := range hashes(body) {
		if _, err := tx.StmtContext(ctx, s.statements.naming).ExecContext(ctx, h, seq); err != nil {
			return s.explain("write to", err)
		}
	}
	return nil
}
