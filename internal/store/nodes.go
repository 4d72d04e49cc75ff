package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// columns are the columns that row scans, in its order.
const columns = "seq, id, parent, kind, by, at, body"

// Path returns the nodes from the root to leaf. It costs the depth of the leaf, not the size of the store.
func (s *nodes) Path(ctx context.Context, leaf tree.ID) ([]tree.Node, error) {
	return s.End(ctx, leaf, math.MaxInt64)
}

// End returns the last nodes of the path to leaf: most of them, or the whole path if it is shorter. The cost is proportional to what it
// returns. A parent was committed before its child, so the query ends even if a damaged store has cycles.
func (s *nodes) End(ctx context.Context, leaf tree.ID, most int64) ([]tree.Node, error) {
	rows, err := s.reader.QueryContext(ctx, `WITH RECURSIVE up(seq, id, parent, root, kind, by, at, body, depth) AS (
		SELECT seq, id, parent, root, kind, by, at, body, 1 FROM node WHERE id = ?
		UNION ALL
		SELECT n.seq, n.id, n.parent, n.root, n.kind, n.by, n.at, n.body, depth + 1 FROM up CROSS JOIN node n ON n.id = up.parent
			WHERE depth < ? AND n.seq < up.seq AND up.parent <> ''
	) SELECT seq, id, CASE WHEN parent = '' AND id <> root THEN root ELSE parent END, kind, by, at, body FROM up
	ORDER BY depth DESC`, leaf, most)
	nodes, err := collect(rows, err)
	if err != nil {
		return nil, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return nil, s.absent(ctx, leaf)
	}
	// The query stopped before the root and before it had enough: a parent is missing, or is younger than its child.
	if nodes[0].Parent != "" && int64(len(nodes)) < most {
		return nil, s.severed(ctx, nodes[0])
	}
	return nodes, s.Readable(nodes)
}

// Tree returns every node under root, with root first, in order of commit: at least one.
func (s *nodes) Tree(ctx context.Context, root tree.ID) ([]tree.Node, error) {
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
func (s *nodes) First(ctx context.Context, root tree.ID, kind string) (tree.Node, error) {
	return s.one(ctx, root, kind, "")
}

// one reads the first or, with order " DESC", the last node of a kind. INDEXED BY is needed because the planner would
// rather scan all nodes of the kind in the whole store.
func (s *nodes) one(ctx context.Context, root tree.ID, kind, order string) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx,
		"SELECT "+columns+" FROM node"+indexed+" WHERE root = ? AND kind = ? ORDER BY seq"+order+" LIMIT 1", root, kind))
	if err != nil {
		return tree.Node{}, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, fmt.Errorf("%s node under %s: %w", kind, root, ErrNotFound)
	}
	return nodes[0], nil
}

// LastOf returns the node of a kind under root that was committed last. The error is ErrNotFound if there is none.
func (s *nodes) LastOf(ctx context.Context, root tree.ID, kind string) (tree.Node, error) {
	return s.one(ctx, root, kind, " DESC")
}

// Last returns the nodes under root that were committed last, at most so many, in order of commit, and the number of all nodes under root.
func (s *nodes) Last(ctx context.Context, root tree.ID, most int) (nodes []tree.Node, all int, err error) {
	if err = s.reader.QueryRowContext(ctx, "SELECT count(*) FROM node WHERE root = ?", root).Scan(&all); err == nil {
		nodes, err = collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE root = ? ORDER BY seq DESC LIMIT ?",
			root, most))
	}
	slices.Reverse(nodes)
	return nodes, all, s.explain("read", err)
}

// Latest returns the last nodes of one kind in the whole store, at most so many, the newest first.
func (s *nodes) Latest(ctx context.Context, kind string, most int) ([]tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE kind = ? ORDER BY seq DESC LIMIT ?", kind, most))
	if err != nil {
		return nil, s.explain("read", err)
	}
	return nodes, nil
}

// Kind returns the nodes of one kind committed after seq, in all trees, oldest first. It reads no others.
func (s *nodes) Kind(ctx context.Context, kind string, seq int64) ([]tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE kind = ? AND seq > ? ORDER BY seq", kind, seq))
	if err != nil {
		return nil, s.explain("read", err)
	}
	return nodes, nil
}

// Since yields the nodes committed after seq, oldest first; under root only, unless root is empty.
//
// It holds a connection while it yields. Nodes committed in the meantime are not included: call it again for those. The
// sequence ends at the first error.
func (s *nodes) Since(ctx context.Context, seq int64, root tree.ID) iter.Seq2[tree.Node, error] {
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
func (s *nodes) Version(ctx context.Context) (int64, error) {
	var v int64
	err := s.reader.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM node").Scan(&v)
	return v, s.explain("read", err)
}

// collect reads all rows. It takes the results of a query, error included, so that callers need one check.
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

// row is a node being read from the database.
type row struct {
	node *tree.Node
	at   int64
	body string
}

// fields are the targets that columns are scanned into; fill then completes the node.
func (r *row) fields() []any {
	n := r.node
	return []any{&n.Seq, &n.ID, &n.Parent, &n.Kind, &n.By, &r.at, &r.body}
}

func (r *row) fill() { r.node.At, r.node.Body = time.UnixMilli(r.at).UTC(), json.RawMessage(r.body) }

// Root returns the first node of the tree id belongs to.
func (s *nodes) Root(ctx context.Context, id tree.ID) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE id = (SELECT root FROM node WHERE id = ?)", id))
	if err != nil {
		return tree.Node{}, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, s.absent(ctx, id)
	}
	return nodes[0], nil
}

// Find returns the node whose id ends with suffix, if exactly one does.
//
// suffix needs at least four lower-case letters or digits. The error is ErrNotFound if none or more than one ends with it.
func (s *nodes) Find(ctx context.Context, root tree.ID, suffix string) (tree.Node, error) {
	if strings.Trim(suffix, "0123456789abcdefghijklmnopqrstuvwxyz") != "" || len(suffix) < 4 {
		return tree.Node{}, fmt.Errorf("node %q: an id needs at least four letters and digits: %w", suffix, ErrNotFound)
	}
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE root = ? AND id LIKE ?", root, "%"+suffix))
	if err != nil {
		return tree.Node{}, s.explain("read", err)
	}
	if len(nodes) != 1 {
		return tree.Node{}, fmt.Errorf("node %s: %d nodes have an id that ends so: %w", suffix, len(nodes), ErrNotFound)
	}
	return nodes[0], nil
}

// Any reports whether one of the ids is that of a node.
func (s *nodes) Any(ctx context.Context, ids []tree.ID) (known bool, err error) {
	list, err := json.Marshal(ids)
	if err == nil {
		err = s.reader.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM json_each(?) AS j CROSS JOIN node ON node.id = j.value)",
			string(list)).Scan(&known)
	}
	return known, s.explain("read", err)
}

// Node returns one node.
//
// The error is ErrNotFound if there is none, or damage if something in the store refers to it.
func (s *nodes) Node(ctx context.Context, id tree.ID) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE id = ?", id))
	if err != nil {
		return tree.Node{}, s.explain("read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, s.absent(ctx, id)
	}
	return nodes[0], nil
}
