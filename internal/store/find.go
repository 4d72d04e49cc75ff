package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Entry makes a node findable by words. A word of the title weighs more than one of the body. An entry without text is
// known, but never found.
type Entry struct {
	Node        tree.ID
	Scope       string // where it belongs: a path with slashes
	Title, Body string
}

// Query is a search.
type Query struct {
	Text   string // its Words are looked for: nothing in it is syntax
	Scope  string // entries of it and of what lies below it; empty: all
	Titles bool   // look in titles only, and for whole words; else a word is found by its beginning, too
	Least  int    // how many of the words an entry must have; 0: all
	Limit  int    // most hits
	// Kinds are those of the nodes that are looked for; empty: all.
	Kinds []string
	Root  tree.ID // nodes of this tree; empty: of all
}

// Hit is an entry that was found.
type Hit struct {
	Node  tree.ID
	Words int // how many of the query's it has
}

// mostWords and mostLetters bound what one query can cost.
const mostWords, mostLetters = 64, 64

// Words splits a text into what an entry is found by: its letters and digits in lower case, each word once, in order.
// It returns 64 words at most. Two texts that differ only in diacritics or endings may still be found by each other.
func Words(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		if r := []rune(word); len(r) > mostLetters {
			word = string(r[:mostLetters])
		}
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
		if len(out) == mostWords {
			break
		}
	}
	return out
}

// Search finds entries, those with most of the words first, then the ones in which they weigh most.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	words := Words(q.Text)
	if len(words) == 0 || q.Limit <= 0 {
		return nil, nil
	}
	var terms []string
	for _, w := range words { // they have no quotes
		if q.Titles {
			terms = append(terms, `{title} : "`+w+`"`)
		} else {
			terms = append(terms, `"`+w+`" *`)
		}
	}
	if q.Least <= 0 {
		q.Least = len(terms)
	}
	list, err := json.Marshal(terms)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	kinds, err := json.Marshal(append([]string{}, q.Kinds...))
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	rows, err := s.found().QueryContext(ctx, `SELECT entry.node, count(*) AS words FROM json_each(?1) AS term
		CROSS JOIN entry_text ON entry_text MATCH term.value JOIN entry ON entry.id = entry_text.rowid
		WHERE substr(entry.scope || '/', 1, length(?2)) = ?2
		AND (?5 = '[]' OR (SELECT kind FROM node WHERE node.id = entry.node) IN (SELECT value FROM json_each(?5)))
		AND (?6 = '' OR (SELECT root FROM node WHERE node.id = entry.node) = ?6)
		GROUP BY entry.id HAVING words >= ?3 ORDER BY words DESC, sum(entry_text.rank), entry.id DESC LIMIT ?4`,
		string(list), below(q.Scope), q.Least, q.Limit, string(kinds), q.Root)
	if err != nil {
		return nil, explain(s.path, "search", err)
	}
	defer rows.Close()
	var out []Hit
	for rows.Next() {
		var h Hit
		if err := rows.Scan(&h.Node, &h.Words); err != nil {
			return nil, explain(s.path, "search", err)
		}
		out = append(out, h)
	}
	return out, explain(s.path, "search", rows.Err())
}

// below is how the paths of a scope begin, once they end in a slash.
func below(scope string) string {
	if scope = strings.TrimRight(scope, "/"); scope == "" {
		return ""
	}
	return scope + "/"
}

// found is where entries lie.
func (s *Store) found() *readers {
	if s.apart != nil {
		return s.apart
	}
	return s.reader
}

// Unknown returns the roots of the trees that refs beginning with prefix point into and that have no entry. Trees that
// have only begun, so that the ref points at their root, are left out unless begun is set.
func (s *Store) Unknown(ctx context.Context, prefix string, begun bool) ([]tree.ID, error) {
	rows, err := s.found().QueryContext(ctx, `SELECT head.root FROM ref JOIN node AS head ON head.id = ref.head
		WHERE ref.name >= ? AND ref.name < ? AND (? OR head.root <> head.id)
		AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.node = head.root)`, prefix, prefix+"\U0010FFFF", begun)
	if err != nil {
		return nil, explain(s.path, "read", err)
	}
	defer rows.Close()
	var out []tree.ID
	for rows.Next() {
		var id tree.ID
		if err := rows.Scan(&id); err != nil {
			return nil, explain(s.path, "read", err)
		}
		out = append(out, id)
	}
	return out, explain(s.path, "read", rows.Err())
}

// enter writes entries.
func (s *Store) enter(ctx context.Context, tx *sql.Tx, entries []Entry) error {
	for _, e := range entries {
		if s.clean != nil {
			e.Scope, e.Title, e.Body = s.clean(e.Scope), s.clean(e.Title), s.clean(e.Body)
		}
		var id int64
		err := tx.QueryRowContext(ctx, `INSERT INTO entry (node, scope) VALUES (?, ?)
			ON CONFLICT (node) DO UPDATE SET scope = excluded.scope RETURNING id`, e.Node, e.Scope).Scan(&id)
		if err != nil {
			return explain(s.path, "write to", err)
		}
		for _, q := range []struct {
			text string
			args []any
		}{
			{"DELETE FROM entry_text WHERE rowid = ?", []any{id}},
			{"INSERT INTO entry_text (rowid, title, body) VALUES (?, ?, ?)", []any{id, e.Title, e.Body}},
		} {
			if _, err := tx.ExecContext(ctx, q.text, q.args...); err != nil {
				return explain(s.path, "write to", err)
			}
		}
	}
	return nil
}
