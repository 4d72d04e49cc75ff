package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Each of these queries finds its fault in one statement: between two, another process could create what was missing, or delete what
// referred to it.

// absent is the error for a node that was asked for and does not exist, or whose tree has lost its first node: damage if something in the
// store refers to it, else ErrNotFound.
func (s *nodes) absent(ctx context.Context, id tree.ID) error {
	faults, err := column(s.reader.QueryContext(ctx, `SELECT 'the first node of the tree of node ' || id || ' is missing'
		FROM node AS n WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM node WHERE id = n.root)
		UNION ALL SELECT 'the ref ' || name || ' points at node ' || head || ', which is missing'
		FROM ref WHERE head = ?1 AND NOT EXISTS (SELECT 1 FROM node WHERE id = ?1) LIMIT 1`, id))
	if err != nil {
		return s.explain("read", err)
	}
	if len(faults) > 0 {
		return s.Damage(faults[0])
	}
	return fmt.Errorf("node %s: %w", id, ErrNotFound)
}

// severed is the error for a node whose chain of parents does not reach the first node of its tree.
func (s *nodes) severed(ctx context.Context, n tree.Node) error {
	faults, err := column(s.reader.QueryContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM node WHERE id = n.parent)
		THEN 'node ' || id || ' has a wrong parent, ' || parent
		ELSE 'node ' || parent || ', the parent of ' || id || ', is missing' END FROM node AS n WHERE seq = ?`, n.Seq))
	if err != nil {
		return s.explain("read", err)
	}
	if len(faults) == 0 { // its tree was deleted in the meantime
		return fmt.Errorf("node %s: %w", n.ID, ErrNotFound)
	}
	return s.Damage(faults[0])
}

// Readable returns the damage if the body of a node is not a JSON object, judged by its first and last character only.
func (s *nodes) Readable(nodes []tree.Node) error {
	for _, n := range nodes {
		if body := bytes.TrimSpace(n.Body); len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
			return s.Damage(fmt.Sprintf("node %s cannot be read", n.ID))
		}
	}
	return nil
}

// Sound returns the damage if a node under root cannot be read.
func (s *nodes) Sound(ctx context.Context, root tree.ID) error {
	ids, err := column(s.reader.QueryContext(ctx, "SELECT id FROM node WHERE root = ? AND "+unreadable+" LIMIT 1", root))
	if err != nil || len(ids) == 0 {
		return s.explain("read", err)
	}
	return s.Damage(fmt.Sprintf("node %s cannot be read", ids[0]))
}

// Named is Blob for a text that a node names. Such a text was stored before the node, so if it is missing the store is damaged.
func (s *texts) Named(ctx context.Context, hash string) (string, error) {
	text, err := s.Blob(ctx, hash)
	if errors.Is(err, ErrNotFound) {
		err = s.Damage(fmt.Sprintf("the text %.12s is missing", hash))
	}
	return text, err
}

// Lost returns the damage if no ref of a class, such as "room/", leads to a tree that can be read. It is for callers whose list of the
// class is empty. what names the class in the error, and reads reports whether a tree can be read. Lost returns nil if the class has no
// ref, or only one that was created after the list was made.
func (s *refs) Lost(ctx context.Context, class, what string, reads func(Tip) bool) error {
	names, err := s.Names(ctx, class, 1)
	if err != nil || len(names) == 0 {
		return err
	}
	tip, err := s.Tip(ctx, names[0])
	switch {
	case errors.Is(err, ErrNotFound), err == nil && reads(tip): // deleted or created in the meantime
		return nil
	case err != nil && !errors.Is(err, ErrDamaged):
		return err
	}
	return s.Damage("none of the " + what + " can be read")
}

// Newest returns the name of the ref of a class, such as "room/", whose tree began last in scope and below (empty: anywhere), whether or
// not the tree can be read. The name is empty if there is none.
func (s *refs) Newest(ctx context.Context, class, scope string) (string, error) {
	names, err := column(s.reader.QueryContext(ctx, `SELECT name FROM ref WHERE class = ?
		AND substr(scope || '/', 1, length(?)) = ? ORDER BY born DESC, name LIMIT 1`, class, below(scope), below(scope)))
	if err != nil || len(names) == 0 {
		return "", s.explain("read", err)
	}
	return names[0], nil
}
