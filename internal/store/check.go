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

// Shape is what callers that know the meaning of nodes tell Check about them.
type Shape struct {
	Firsts map[string]First // for trees under refs of a class, such as "room/"
	// Texts has, by kind, the JSON paths in a node's body that contain the hash of a text, or an object of hashes.
	Texts map[string][]string
}

// First describes the first node of a tree.
type First struct {
	Kind   string
	Filled []string // JSON paths in its body that are never empty
}

// check is a query that finds a kind of damage. If whole is set, it reads every node and runs only in a full check.
// query returns one column of names, each of which is formatted into says; no rows mean no damage.
type check struct {
	whole       bool
	query, says string
	args        []any
}

// body is the body of a node, or an empty object if it is not JSON.
const body = "CASE WHEN json_valid(node.body) THEN node.body ELSE '{}' END"

// unreadable is true for a node whose body is not a JSON object.
const unreadable = "CASE WHEN json_valid(body) THEN json_type(body) END IS NOT 'object'"

// checks apply to every store. A valid date is one that JSON can represent, of the years 0 to 9999.
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

// checks returns the checks that follow from the shape.
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

// mostFaults is how many faults of one kind are named.
const mostFaults = 5

// Check looks for damage and returns what it finds as sentences; none if the store is sound. Unless whole is set, it skips checks that
// read every node and text. If ctx ends first, the error is its cause, and the faults found so far are returned.
func (s *Store) Check(ctx context.Context, whole bool, shape Shape) (faults []string, err error) {
	faults, err = s.lost(ctx)
	torn := len(faults) > 0 // later checks that need a missing table fail, which is nothing new
	add := func(found []string, err error) {
		if faults = append(faults, found...); err != nil && ctx.Err() == nil && !(torn && errors.Is(err, ErrDamaged)) {
			faults = append(faults, err.Error())
		}
	}
	add(nil, err)
	pages := check{query: fmt.Sprintf("PRAGMA quick_check(%d)", mostFaults), says: "%s"}
	if whole { // this also compares the indexes with their tables
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

// faulty runs one check and returns what it finds as sentences.
func (s *Store) faulty(ctx context.Context, c check) (faults []string, err error) {
	names, err := column(s.reader.DB.QueryContext(ctx, c.query, c.args...))
	for _, name := range names {
		if name != "ok" {
			faults = append(faults, fmt.Sprintf(c.says, name))
		}
	}
	return faults, s.explain("check", err)
}

// changedTexts names the texts that do not match their hash.
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
