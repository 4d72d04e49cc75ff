package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/tree"
)

// absent is the error of a node that is asked for and does not exist, or of which the first node of its tree does not: damage
// if something in the store leads to it.
func (s *nodes) absent(ctx context.Context, id tree.ID) error {
	there, err := column(s.reader.QueryContext(ctx, "SELECT id FROM node WHERE id = ?", id))
	if err != nil {
		return s.explain("read", err)
	}
	if len(there) > 0 {
		return s.Damage(fmt.Sprintf("the first node of the tree of node %s is missing", id))
	}
	names, err := column(s.reader.QueryContext(ctx, "SELECT name FROM ref WHERE head = ? LIMIT 1", id))
	if err != nil {
		return s.explain("read", err)
	}
	if len(names) > 0 {
		return s.Damage(fmt.Sprintf("the ref %s points at node %s, which is missing", names[0], id))
	}
	return fmt.Errorf("node %s: %w", id, ErrNotFound)
}

// severed is the error of a node from which no way leads up to the first node of its tree.
func (s *nodes) severed(ctx context.Context, n tree.Node) error {
	there, err := column(s.reader.QueryContext(ctx, "SELECT id FROM node WHERE id = ?", n.Parent))
	if err != nil {
		return s.explain("read", err)
	}
	if len(there) == 0 {
		return s.Damage(fmt.Sprintf("node %s, the parent of %s, is missing", n.Parent, n.ID))
	}
	return s.Damage(fmt.Sprintf("node %s has a wrong parent, %s", n.ID, n.Parent))
}

// Readable is nil if the bodies of nodes are JSON objects, as far as their first and last letter tell, and else the damage.
func (s *nodes) Readable(nodes []tree.Node) error {
	for _, n := range nodes {
		if body := bytes.TrimSpace(n.Body); len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
			return s.Damage(fmt.Sprintf("node %s cannot be read", n.ID))
		}
	}
	return nil
}

// Sound is nil if every node under root can be read, and else the damage.
func (s *nodes) Sound(ctx context.Context, root tree.ID) error {
	ids, err := column(s.reader.QueryContext(ctx, "SELECT id FROM node WHERE root = ? AND "+unreadable+" LIMIT 1", root))
	if err != nil || len(ids) == 0 {
		return s.explain("read", err)
	}
	return s.Damage(fmt.Sprintf("node %s cannot be read", ids[0]))
}

// Named is Blob for a text that a node names: it was stored before the node, so without it the store is damaged.
func (s *texts) Named(ctx context.Context, hash string) (string, error) {
	text, err := s.Blob(ctx, hash)
	if errors.Is(err, ErrNotFound) {
		err = s.Damage(fmt.Sprintf("the text %.12s is missing", hash))
	}
	return text, err
}

// Lost is nil if no ref is of a class, such as "room/"; else it is the damage that none of what they lead to, which what
// names, can be read.
func (s *refs) Lost(ctx context.Context, class, what string) error {
	names, err := s.Names(ctx, class, 1)
	if err != nil || len(names) == 0 {
		return err
	}
	return s.Damage("none of the " + what + " can be read")
}

// Newest is the name of the ref of a class, such as "room/", whose tree began last in a scope and those below it (empty: in
// all), whether or not that can be read; empty if there is none.
func (s *refs) Newest(ctx context.Context, class, scope string) (string, error) {
	names, err := column(s.reader.QueryContext(ctx, `SELECT name FROM ref WHERE class = ?
		AND substr(scope || '/', 1, length(?)) = ? ORDER BY born DESC, name LIMIT 1`, class, below(scope), below(scope)))
	if err != nil || len(names) == 0 {
		return "", s.explain("read", err)
	}
	return names[0], nil
}
