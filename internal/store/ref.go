package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Ref finds a ref by name. The error is ErrNotFound if there is none.
func (s *refs) Ref(ctx context.Context, name string) (tree.Ref, error) {
	r := tree.Ref{Name: name}
	var at int64
	err := s.reader.QueryRowContext(ctx, "SELECT head, at FROM ref WHERE name = ?", name).Scan(&r.Head, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	r.At = time.UnixMilli(at).UTC()
	return r, s.explain("read", err)
}

// Refs lists the refs whose names begin with prefix, by name. With a root, it lists those into its tree, and prefix
// must be a class, such as "tree/". It reads no node bodies.
func (s *refs) Refs(ctx context.Context, prefix string, root tree.ID) ([]tree.Ref, error) {
	q, args := "SELECT name, head, at FROM ref WHERE name >= ? AND name < ? ORDER BY name", []any{prefix, prefix + "\U0010FFFF"}
	if root != "" {
		q, args = "SELECT name, head, at FROM ref WHERE class = ? AND born = (SELECT seq FROM node WHERE id = ?) ORDER BY name",
			[]any{prefix, root}
	}
	rows, err := s.reader.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var out []tree.Ref
	for rows.Next() {
		var r tree.Ref
		var at int64
		if err := rows.Scan(&r.Name, &r.Head, &at); err != nil {
			return nil, s.explain("read", err)
		}
		r.At = time.UnixMilli(at).UTC()
		out = append(out, r)
	}
	return out, s.explain("read", rows.Err())
}

// Rename gives refs other names, all or none, if they still point where they did: names are the new ones, in the order
// of the refs. The error is ErrMoved if somebody else moved a ref in the meantime, or if a name is taken; then none is
// renamed.
func (s *refs) Rename(ctx context.Context, refs []tree.Ref, names []string) error {
	if err := s.Writable(); err != nil {
		return err
	}
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for i, r := range refs {
			if err := s.rename(ctx, tx, r.Name, r.Head, names[i], r.Head); err != nil {
				return err
			}
		}
		return nil
	})
}

// Tip is the tree under a ref: its first node, and the node the ref points at.
type Tip struct {
	Ref        tree.Ref
	Root, Head tree.Node
}

// Tips lists the trees under the refs whose names begin with prefix, the most recently moved first.
func (s *refs) Tips(ctx context.Context, prefix string) ([]Tip, error) {
	return s.tips(ctx, "r.name >= ? AND r.name < ? ORDER BY r.at DESC, r.name", prefix, prefix+"\U0010FFFF")
}

// rename gives a ref another name and head, if it still points at from and the name is free. A ref in the trash does not count as known:
// its tree is not found by words.
func (s *refs) rename(ctx context.Context, tx *sql.Tx, name string, from tree.ID, other string, to tree.ID) error {
	res, err := tx.ExecContext(ctx, "UPDATE OR IGNORE ref SET name = ?1, head = ?2, at = ?3, known = known AND ?1 NOT LIKE '"+TrashRefs+
		"%' WHERE name = ?4 AND head = ?5",
		other, to, time.Now().UnixMilli(), name, from)
	if err != nil {
		return s.explain("move "+name+" in", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("move %s: %w", name, ErrMoved), err)
	}
	return nil
}
