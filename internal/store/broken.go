package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/tree"
)

// A fault below is concluded from one statement: between two, another process may begin what was missing, or delete what led to it.

// absent is the error of a node that is asked for and does not exist, or of which the first node of its tree does not: damage
// if something in the store leads to it.
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

// severed is the error of a node from which no way leads up to the first node of its tree.
func (s *nodes) severed(ctx context.Context, n tree.Node) error {
	faults, err := column(s.reader.QueryContext(ctx, `SELECT CASE WHEN EXISTS (SELECT 1 FROM node WHERE id = n.parent)
		THEN 'node ' || id || ' has a wrong parent, ' || parent
		ELSE 'node ' || parent || ', the parent of ' || id || ', is missing' END FROM node AS n WHERE seq = ?`, n.Seq))
	if err != nil {
		return s.explain("read", err)
	}
	if len(faults) == 0 { // its tree was deleted meanwhile
		return fmt.Errorf("node %s: %w", n.ID, ErrNotFound)
	}
	return s.Damage(faults[0])
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

// Lost is the damage that none of what a class of refs leads to, such as "room/", can be read: for whoever lists it and finds nothing.
// What names it, and reads says whether one can be read. It is nil if there is no ref, or one that was not there when the list was made.
func (s *refs) Lost(ctx context.Context, class, what string, reads func(Tip) bool) error {
	names, err := s.Names(ctx, class, 1)
	if err != nil || len(names) == 0 {
		return err
	}
	tip, err := s.Tip(ctx, names[0])
	switch {
	case errors.Is(err, ErrNotFound), err == nil && reads(tip): // deleted or begun meanwhile
		return nil
	case err != nil && !errors.Is(err, ErrDamaged):
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
