package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

// checks are what must not be found in a sound store, each with what it means. Those of a whole look read every node.
var checks = []struct {
	whole       bool
	query, says string
}{
	{false, "SELECT ref.name FROM ref LEFT JOIN node ON node.id = ref.head WHERE node.id IS NULL", "ref %s points at a node that is missing"},
	{false, "SELECT ref.name FROM ref JOIN node ON node.id = ref.head LEFT JOIN node AS root ON root.id = node.root WHERE root.id IS NULL", "the tree of ref %s has lost its first node"},
	{true, "SELECT id FROM node WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM node AS up WHERE up.id = node.parent)", "the node above %s is missing"},
	{true, "SELECT id FROM node WHERE NOT json_valid(body)", "node %s cannot be read"},
}

// mostFaults is how many faults of one sort are named.
const mostFaults = 5

// Check looks for damage and returns what it finds, in sentences; none if the store is sound. Unless whole is set it leaves
// out what reads every node and text. If ctx ends first, its cause is the error and what was found so far is returned.
func (s *Store) Check(ctx context.Context, whole bool) (faults []string, err error) {
	add := func(says, query string) {
		if ctx.Err() != nil {
			return
		}
		found, err := s.strings(ctx, query)
		if err != nil && ctx.Err() == nil {
			faults = append(faults, err.Error())
		}
		for _, f := range found {
			if f != "ok" {
				faults = append(faults, fmt.Sprintf(says, f))
			}
		}
	}
	add("%s", fmt.Sprintf("PRAGMA quick_check(%d)", mostFaults))
	for _, c := range checks {
		if whole || !c.whole {
			add(c.says, c.query+fmt.Sprintf(" LIMIT %d", mostFaults))
		}
	}
	if whole && ctx.Err() == nil {
		changed, err := s.changedTexts(ctx)
		if err != nil && ctx.Err() == nil {
			changed = append(changed, err.Error())
		}
		faults = append(faults, changed...)
	}
	return faults, context.Cause(ctx)
}

func (s *Store) strings(ctx context.Context, query string) (out []string, err error) {
	rows, err := s.reader.DB.QueryContext(ctx, query)
	if err != nil {
		return nil, explain(s.path, "check", err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return out, explain(s.path, "check", err)
		}
		out = append(out, text)
	}
	return out, explain(s.path, "check", rows.Err())
}

// changedTexts names texts that are not what their hash says.
func (s *Store) changedTexts(ctx context.Context) (out []string, err error) {
	rows, err := s.reader.DB.QueryContext(ctx, "SELECT hash, data FROM blob")
	if err != nil {
		return nil, explain(s.path, "check", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() && len(out) < mostFaults {
		var hash string
		var data sql.RawBytes
		if err := rows.Scan(&hash, &data); err != nil {
			return out, explain(s.path, "check", err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
			out = append(out, fmt.Sprintf("the text %.12s was changed on disk", hash))
		}
	}
	return out, explain(s.path, "check", rows.Err())
}
