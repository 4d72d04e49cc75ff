package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Shape is what is known of nodes by those who know what they mean.
type Shape struct {
	Firsts map[string]First // of the trees that refs of a class, such as "room/", point into
	// By the kind of a node: where in its body, as a JSON path, there is the hash of a text, or an object of such.
	Texts map[string][]string
}

// First is what the first node of a tree must be like.
type First struct {
	Kind   string
	Filled []string // JSON paths of what is never empty in its body
}

// check is what must not be found in a sound store, and what it means. Those of a whole look read every node.
// query returns one column of names that says is made of; none means that all is well.
type check struct {
	whole       bool
	query, says string
	args        []any
}

// body is a node's, to look into.
const body = "CASE WHEN json_valid(node.body) THEN node.body ELSE '{}' END"

// unreadable is what is true of a node whose body is not a JSON object.
const unreadable = "CASE WHEN json_valid(body) THEN json_type(body) END IS NOT 'object'"

// checks are those of every store. Dates are those that JSON can hold, of the years 0 to 9999.
var checks = []check{
	{query: "SELECT ref.name FROM ref LEFT JOIN node ON node.id = ref.head WHERE node.id IS NULL",
		says: "ref %s points at a node that is missing"},
	{query: "SELECT ref.name FROM ref JOIN node ON node.id = ref.head LEFT JOIN node AS root ON root.id = node.root WHERE root.id IS NULL",
		says: "the tree of ref %s has lost its first node"},
	{query: "SELECT seq FROM node WHERE id = ''", says: "node number %s has no id", whole: true},
	{query: "SELECT id FROM node WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM node AS up WHERE up.id = node.parent)",
		says: "the parent of node %s is missing", whole: true},
	{query: "SELECT node.id FROM node JOIN node AS up ON up.id = node.parent WHERE node.parent <> '' AND up.seq >= node.seq",
		says: "node %s is below itself, or was stored before its parent", whole: true},
	{query: "SELECT node.id FROM node LEFT JOIN node AS up ON up.id = node.parent WHERE node.root <> CASE WHEN node.parent = '' THEN " +
		"node.id ELSE up.root END", says: "node %s is in another tree than its parent", whole: true},
	{query: "SELECT id FROM node WHERE " + unreadable, says: "node %s cannot be read: its body is not a JSON object", whole: true},
	{query: "SELECT id FROM node WHERE at NOT BETWEEN -62167219200000 AND 253402300799999", says: "node %s has an impossible date",
		whole: true},
}

// checks are those of the shape.
func (h Shape) checks() (out []check) {
	for _, class := range slices.Sorted(maps.Keys(h.Firsts)) {
		first := h.Firsts[class]
		for _, c := range []string{class, TrashRefs + class} {
			join := " FROM ref JOIN node AS head ON head.id = ref.head JOIN node ON node.id = head.root WHERE ref.class = ? AND node.kind "
			out = append(out, check{query: "SELECT ref.name" + join + "<> ?", args: []any{c, first.Kind},
				says: "ref %s points into a tree of another kind"})
			for _, path := range first.Filled {
				out = append(out, check{query: "SELECT ref.name" + join + "= ? AND coalesce(json_extract(" +
					body + ", ?), '') IN ('', '[]', '{}')",
					args: []any{c, first.Kind, path}, says: "the first node of the tree of ref %s cannot be read: it lacks " +
						path[len("$."):]})
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(h.Texts)) {
		for _, path := range h.Texts[kind] {
			out = append(out, check{query: "SELECT DISTINCT substr(text.value, 1, 12) || ' of node ' || node.id FROM node, json_each(" +
				body + ", ?) AS text WHERE node.kind = ? AND text.type = 'text' AND text.value <> '' AND NOT EXISTS (SELECT 1 FROM blob " +
				"WHERE hash = text.value)",
				args: []any{path, kind}, says: "the text %s is missing", whole: true})
		}
	}
	return out
}

// mostFaults is how many faults of one sort are named.
const mostFaults = 5

// Check looks for damage and returns what it finds, in sentences; none if the store is sound. Unless whole is set it leaves
// out what reads every node and text. If ctx ends first, its cause is the error and what was found so far is returned.
func (s *Store) Check(ctx context.Context, whole bool, shape Shape) (faults []string, err error) {
	faults, err = s.lost(ctx)
	torn := len(faults) > 0 // what needs a table that is missing then fails, and says nothing new
	add := func(found []string, err error) {
		if faults = append(faults, found...); err != nil && ctx.Err() == nil && !(torn && errors.Is(err, ErrDamaged)) {
			faults = append(faults, err.Error())
		}
	}
	add(nil, err)
	pages := check{query: fmt.Sprintf("PRAGMA quick_check(%d)", mostFaults), says: "%s"}
	if whole { // which compares the indexes with their tables, too
		pages.query = fmt.Sprintf("PRAGMA integrity_check(%d)", mostFaults)
	}
	add(s.faulty(ctx, pages))
	for _, c := range slices.Concat(checks, shape.checks()) {
		if ctx.Err() == nil && (whole || !c.whole) {
			c.query += fmt.Sprintf(" LIMIT %d", mostFaults)
			add(s.faulty(ctx, c))
		}
	}
	if whole && ctx.Err() == nil {
		add(s.changedTexts(ctx))
	}
	return faults, context.Cause(ctx)
}

// faulty carries out one check and returns what it finds, in sentences.
func (s *Store) faulty(ctx context.Context, c check) (faults []string, err error) {
	names, err := column(s.reader.DB.QueryContext(ctx, c.query, c.args...))
	for _, name := range names {
		if name != "ok" {
			faults = append(faults, fmt.Sprintf(c.says, name))
		}
	}
	return faults, s.explain("check", err)
}

// changedTexts names texts that are not what their hash says.
func (s *texts) changedTexts(ctx context.Context) (out []string, err error) {
	rows, err := s.reader.DB.QueryContext(ctx, "SELECT hash, data FROM blob")
	if err != nil {
		return nil, s.explain("check", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() && len(out) < mostFaults {
		var hash string
		var data sql.RawBytes
		if err := rows.Scan(&hash, &data); err != nil {
			return out, s.explain("check", err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
			out = append(out, fmt.Sprintf("the text %.12s was changed on disk", hash))
		}
	}
	return out, s.explain("check", rows.Err())
}
