package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// ListQuery says which refs are listed, the one whose tree began last first. It costs what it returns.
// Class is required. At most one of Oldest and Moved may be set; with Moved, Before is ignored.
type ListQuery struct {
	Class  string // how their names begin, up to a slash: "room/"
	State  string // with this state only; empty: any
	Scope  string // of this scope and those below it; empty: all
	Before int64  // whose tree's first node has a smaller number; 0: all
	Oldest bool   // the one that began first comes first, and Before means after
	Moved  bool   // the one whose ref was moved last comes first
	Most   int    // how many; 0: all
}

// manyScopes is from how many scopes on it is dearer to go through each than through all there is.
const manyScopes = 32

// List returns the trees that a query is about.
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
	// Without a state, or in too many scopes, the index by age is walked and scopes are compared row by row.
	if f.State == "" || len(scopes) >= manyScopes {
		return s.tips(ctx, where+" AND substr(r.scope || '/', 1, length(?)) = ?"+order+" LIMIT ?",
			append(args, below(f.Scope), below(f.Scope), most)...)
	}
	var out []Tip // of each scope its newest, by index: what is among the newest of all is among those of its scope
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

// scopes are those at and below one in which there is something of a class and state, each looked up by itself; many of
// them are cut off.
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

// tips reads refs with the first node of their tree and the one they point at.
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

// Tip finds the tree under one ref. The error is ErrNotFound if there is none.
func (s *refs) Tip(ctx context.Context, name string) (Tip, error) {
	all, err := s.tips(ctx, "r.name = ?", name)
	if err != nil {
		return Tip{}, err
	}
	if len(all) > 0 {
		return all[0], nil
	}
	// A ref whose nodes are gone joins with nothing, and must not look as if there were none.
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

// Names lists refs whose names begin with prefix, in order of their names, at most so many.
func (s *refs) Names(ctx context.Context, prefix string, most int) ([]string, error) {
	names, err := column(s.reader.QueryContext(ctx, "SELECT name FROM ref WHERE name >= ? AND name < ? ORDER BY name LIMIT ?", prefix,
		prefix+"\U0010FFFF", most))
	return names, s.explain("read", err)
}
