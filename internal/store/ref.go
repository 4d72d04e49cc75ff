package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Ref finds a ref by name. The error is ErrNotFound if there is none.
func (s *Store) Ref(ctx context.Context, name string) (tree.Ref, error) {
	r := tree.Ref{Name: name}
	var at int64
	err := s.reader.QueryRowContext(ctx, "SELECT head, at FROM ref WHERE name = ?", name).Scan(&r.Head, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	r.At = time.UnixMilli(at).UTC()
	return r, err
}

// Refs lists the refs whose names begin with prefix, the most recently moved first.
func (s *Store) Refs(ctx context.Context, prefix string) ([]tree.Ref, error) {
	rows, err := s.reader.QueryContext(ctx, "SELECT name, head, at FROM ref WHERE name >= ? AND name < ? ORDER BY at DESC, name",
		prefix, prefix+"\U0010FFFF")
	if err != nil {
		return nil, explain(s.path, "read", err)
	}
	defer rows.Close()
	var out []tree.Ref
	for rows.Next() {
		var r tree.Ref
		var at int64
		if err := rows.Scan(&r.Name, &r.Head, &at); err != nil {
			return nil, explain(s.path, "read", err)
		}
		r.At = time.UnixMilli(at).UTC()
		out = append(out, r)
	}
	return out, rows.Err()
}

// Root returns the first node of the tree id belongs to.
func (s *Store) Root(ctx context.Context, id tree.ID) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE id = (SELECT root FROM node WHERE id = ?)", id))
	if err != nil {
		return tree.Node{}, explain(s.path, "read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, fmt.Errorf("node %s: %w", id, ErrNotFound)
	}
	return nodes[0], nil
}

// Find returns the node whose id ends with suffix, if exactly one does.
func (s *Store) Find(ctx context.Context, root tree.ID, suffix string) (tree.Node, error) {
	if strings.Trim(suffix, "0123456789abcdefghijklmnopqrstuvwxyz") != "" || len(suffix) < 4 {
		return tree.Node{}, fmt.Errorf("node %q: an id has letters and digits, four at least: %w", suffix, ErrNotFound)
	}
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE root = ? AND id LIKE ?", root, "%"+suffix))
	if err != nil {
		return tree.Node{}, explain(s.path, "read", err)
	}
	if len(nodes) != 1 {
		return tree.Node{}, fmt.Errorf("node %s: %d nodes end like that: %w", suffix, len(nodes), ErrNotFound)
	}
	return nodes[0], nil
}

// Node returns one node.
func (s *Store) Node(ctx context.Context, id tree.ID) (tree.Node, error) {
	nodes, err := collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE id = ?", id))
	if err != nil {
		return tree.Node{}, explain(s.path, "read", err)
	}
	if len(nodes) == 0 {
		return tree.Node{}, fmt.Errorf("node %s: %w", id, ErrNotFound)
	}
	return nodes[0], nil
}
