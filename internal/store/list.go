package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// ListQuery selects refs, the one whose tree began last first. The cost is proportional to what it returns. Class is
// required. At most one of Oldest and Moved may be set; with Moved, Before is ignored.
type ListQuery struct {
	Class  string // the part of their names up to the first slash: "room/"
	State  string // only refs with this state; empty: any
	Scope  string // only refs in this scope and below; empty: all
	Before int64  // only trees whose first node has a smaller number; 0: all
	Oldest bool   // the tree that began first comes first, and Before means after
	Moved  bool   // the ref that was moved last comes first
	Most   int    // how many; 0: all
}

// manyScopes is the number of scopes from which on querying each costs more than scanning all refs.
const manyScopes = 32

// List returns the trees that a query selects.
func (s *refs) List(ctx context.Context, f ListQuery) ([]Tip, error) {
	where, args := "r.class = ?", []any{f.Class}
	order := " ORDER BY r.born DESC, r.name"
	if f.State != "" {
		where, args = where+" AND r.state = ?", append(args, f.State)
	}
	switch {
	case f.Oldest:
		where, args, order = where+" AND r.born > ?", append(args, f.Before), " ORDER BY r.born, r.name"
	case f.Moved:
		order = " ORDER BY r.at DESC, r.name"
	case f.Before > 0:
		where, args = where+" AND r.born < ?", append(args, f.Before)
	}
	most := f.Most
	if most <= 0 {
		most = -1
	}
	if below(f.Scope) == "" {
		return s.tips(ctx, where+order+" LIMIT ?", append(args, most)...)
	}
	var scopes []string
	if f.State != "" {
		var err error
		if scopes, err = s.scopes(ctx, f.Class, f.State, f.Scope); err != nil {
			return nil, err
		}
	}
	// Without a state, or with too many scopes, the index by age is scanned and scopes are compared row by row.
	if f.State == "" || len(scopes) >= manyScopes {
		return s.tips(ctx, where+" AND substr(r.scope || '/', 1, length(?)) = ?"+order+" LIMIT ?",
			append(args, below(f.Scope), below(f.Scope), most)...)
	}
	var out []Tip // the newest of each scope, by index: the newest of all are among them
	for _, scope := range scopes {
		some, err := s.tips(ctx, where+" AND r.scope = ?"+order+" LIMIT ?", append(slices.Clip(args), scope, most)...)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, func(a, b Tip) int {
		if f.Oldest {
			a, b = b, a
		}
		return cmp.Compare(b.Root.Seq, a.Root.Seq)
	})
	if f.Most > 0 {
		out = out[:min(f.Most, len(out))]
	}
	return out, nil
}

// scopes returns scope and the scopes below it that contain refs of a class and state. Each is found by its own query,
// and the list ends at manyScopes.
func (s *refs) scopes(ctx context.Context, class, state, scope string) (out []string, err error) {
	under := below(scope)
	from, args := "r.scope = ?", []any{class, state, under[:len(under)-1]}
	for len(out) < manyScopes {
		found, err := column(s.reader.QueryContext(ctx, "SELECT r.scope FROM ref AS r WHERE r.class = ? AND r.state = ? AND "+from+
			" ORDER BY r.scope LIMIT 1", args...))
		if err != nil {
			return nil, s.explain("read", err)
		}
		next := under
		if len(found) > 0 {
			next = found[0]
			out = append(out, next)
		} else if len(args) > 3 {
			return out, nil
		}
		from, args = "r.scope > ? AND r.scope >= ? AND r.scope < ?", []any{class, state, next, under, under + "\U0010FFFF"}
	}
	return out, nil
}

// tips reads refs with the first node of their tree and the node they point at.
func (s *refs) tips(ctx context.Context, where string, args ...any) ([]Tip, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT r.name, r.head, r.at,
			h.seq, h.id, h.parent, h.kind, h.by, h.at, h.body, o.seq, o.id, o.parent, o.kind, o.by, o.at, o.body
		FROM ref AS r CROSS JOIN node AS h ON h.id = r.head CROSS JOIN node AS o ON o.id = h.root WHERE `+where, args...)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var out []Tip
	for rows.Next() {
		var t Tip
		var at int64
		head, root := row{node: &t.Head}, row{node: &t.Root}
		if err := rows.Scan(append(append([]any{&t.Ref.Name, &t.Ref.Head, &at}, head.fields()...), root.fields()...)...); err != nil {
			return nil, s.explain("read", err)
		}
		t.Ref.At = time.UnixMilli(at).UTC()
		head.fill()
		root.fill()
		out = append(out, t)
	}
	return out, s.explain("read", rows.Err())
}

// Tip returns the tree under one ref. The error is ErrNotFound if there is none.
func (s *refs) Tip(ctx context.Context, name string) (Tip, error) {
	all, err := s.tips(ctx, "r.name = ?", name)
	if err != nil {
		return Tip{}, err
	}
	if len(all) > 0 {
		return all[0], nil
	}
	// A ref whose nodes are missing yields no row, and must not look as if it did not exist.
	broken, err := column(s.reader.QueryContext(ctx, `SELECT name FROM ref AS r WHERE name = ?
		AND NOT EXISTS (SELECT 1 FROM node AS h CROSS JOIN node AS o ON o.id = h.root WHERE h.id = r.head)`, name))
	if err != nil {
		return Tip{}, s.explain("read", err)
	}
	if len(broken) > 0 {
		return Tip{}, s.Damage("the target of ref " + name + " is missing")
	}
	return Tip{}, fmt.Errorf("%s: %w", name, ErrNotFound)
}

// Names lists the refs whose names begin with prefix, sorted by name, at most so many.
func (s *refs) Names(ctx context.Context, prefix string, most int) ([]string, error) {
	names, err := column(s.reader.QueryContext(ctx, "SELECT name FROM ref WHERE name >= ? AND name < ? ORDER BY name LIMIT ?", prefix,
		prefix+"\U0010FFFF", most))
	return names, s.explain("read", err)
}
