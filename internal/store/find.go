package store

import (
	"cmp"
	"context"
	"database/sql"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Indexed makes a node findable by words. A word of the title weighs more than one of the body. One without text is
// known, but never found.
// Only the words are kept, not the text: whoever shows a hit reads its node.
type Indexed struct {
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

// deepest is how many entries count that have a word, the newest ones, where not all words must be there: a word that more have
// tells little about an older one, and a search costs no more in a larger store.
const deepest = 200

// Search finds entries. Where all words must be there, those that have them in their title come first, then those that have
// whole words, each the newest first; else those with most of the words.
// Words are stemmed as English; letters of all scripts are words. No text or no limit finds nothing, which is no
// error.
func (s *index) Search(ctx context.Context, q Query) ([]Hit, error) {
	words := Words(q.Text)
	if len(words) == 0 || q.Limit <= 0 {
		return nil, nil
	}
	f := finder{s: s, q: q, limits: q.limits()}
	if q.Least > 0 && q.Least < len(words) {
		return f.some(ctx, words)
	}
	return f.all(ctx, words)
}

// finder is a search.
type finder struct {
	s      *index
	q      Query
	limits string // what hits must have beside words, as the index is asked for it
}

// term is how the index is asked for a word, which has no quotes.
func term(word string, title, whole bool) string {
	out := `"` + word + `"`
	if !whole {
		out += " *"
	}
	if title {
		out = "{title} : " + out
	}
	return out
}

// all finds what has all words, the best first, and stops when it has enough.
func (f *finder) all(ctx context.Context, words []string) (out []Hit, err error) {
	known := map[tree.ID]bool{}
	// The index cannot rank by place and wholeness at once without reading every match, so three questions are asked,
	// best first.
	for _, look := range []struct{ title, whole bool }{{true, true}, {false, true}, {false, false}} {
		if f.q.Titles && !(look.title && look.whole) {
			continue
		}
		var terms []string
		for _, w := range words {
			terms = append(terms, term(w, look.title, look.whole))
		}
		found, err := f.look(ctx, strings.Join(terms, " AND "), f.q.Limit)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			if !known[h.node] && len(out) < f.q.Limit {
				known[h.node] = true
				out = append(out, Hit{h.node, len(words)})
			}
		}
		if len(out) == f.q.Limit {
			break
		}
	}
	return out, nil
}

// some finds what has some of the words.
// Each word is asked for by itself: how many of them an entry has is counted here, of the newest entries only.
func (f *finder) some(ctx context.Context, words []string) ([]Hit, error) {
	type count struct {
		found
		words, whole int
	}
	counts := map[tree.ID]*count{}
	for _, whole := range []bool{true, false} {
		if !whole && f.q.Titles {
			break
		}
		for _, w := range words {
			found, err := f.look(ctx, term(w, f.q.Titles, whole), max(deepest, f.q.Limit))
			if err != nil {
				return nil, err
			}
			for _, p := range found {
				c := counts[p.node]
				if c == nil {
					c = &count{found: p}
					counts[p.node] = c
				}
				if whole {
					c.whole++
				}
				if !whole || f.q.Titles { // what has a whole word is found by its beginning, too
					c.words++
				}
			}
		}
	}
	var best []*count
	for _, c := range counts {
		if c.words = max(c.words, c.whole); c.words >= f.q.Least {
			best = append(best, c)
		}
	}
	slices.SortFunc(best, func(a, b *count) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.whole, a.whole), cmp.Compare(b.id, a.id))
	})
	var out []Hit
	for _, c := range best[:min(f.q.Limit, len(best))] {
		out = append(out, Hit{c.node, c.words})
	}
	return out, nil
}

// found is a row of the index: the newer it is, the larger its number.
type found struct {
	id   int64
	node tree.ID
}

// look finds the newest entries that match, at most so many.
func (f *finder) look(ctx context.Context, match string, most int) (out []found, _ error) {
	rows, err := f.s.found().QueryContext(ctx, `SELECT entry.id, entry.node FROM entry_words
		CROSS JOIN entry ON entry.id = entry_words.rowid
		WHERE entry_words MATCH ? ORDER BY entry_words.rowid DESC LIMIT ?`, "("+match+")"+f.limits, most)
	if err != nil {
		return nil, f.s.explain("search", err)
	}
	defer rows.Close()
	for rows.Next() {
		var p found
		if err := rows.Scan(&p.id, &p.node); err != nil {
			return nil, f.s.explain("search", err)
		}
		out = append(out, p)
	}
	return out, f.s.explain("search", rows.Err())
}

// mark is the word by which entries of a sort are found: a number behind a sign that no word of a text begins with.
func mark(sort byte, value string) string {
	// A hash, because a path or an id would be split into words. That two collide costs a hit too many, no more.
	h := fnv.New64a()
	h.Write([]byte{sort})
	h.Write([]byte(value))
	return "\uE000" + strconv.FormatUint(h.Sum64(), 10)
}

// unmarked takes signs for private use out of a text, which the index would take for letters.
func unmarked(r rune) rune {
	if unicode.Is(unicode.Co, r) {
		return ' '
	}
	return r
}

// What a mark is of.
const (
	markScope = 's' // a folder that an entry belongs to, or one above
	markKind  = 'k' // of its node
	markRoot  = 'r' // of its node's tree
)

// marks are those of an entry.
func marks(e Indexed, kind string, root tree.ID) string {
	out := []string{mark(markKind, kind), mark(markRoot, string(root))}
	for scope := strings.TrimRight(e.Scope, "/"); scope != ""; {
		out = append(out, mark(markScope, scope))
		i := strings.LastIndexByte(scope, '/')
		scope = scope[:max(i, 0)]
	}
	return strings.Join(out, " ")
}

// limits are the marks that hits of a query must have.
func (q Query) limits() (out string) {
	if scope := below(q.Scope); scope != "" {
		out += " AND " + marked(mark(markScope, scope[:len(scope)-1]))
	}
	if q.Root != "" {
		out += " AND " + marked(mark(markRoot, string(q.Root)))
	}
	var kinds []string
	for _, k := range q.Kinds {
		kinds = append(kinds, marked(mark(markKind, k)))
	}
	if len(kinds) > 0 {
		out += " AND (" + strings.Join(kinds, " OR ") + ")"
	}
	return out
}

func marked(mark string) string { return `{marks} : "` + mark + `"` }

// below is how the paths of a scope begin, once they end in a slash.
func below(scope string) string {
	if scope = strings.TrimRight(scope, "/"); scope == "" {
		return ""
	}
	return scope + "/"
}

// found is where entries lie.
func (s *file) found() *readers {
	if s.memory != nil {
		return s.memory
	}
	return s.reader
}

// Unknown returns the roots of the trees that refs of a class, such as "room/", point into and that have no entry, the
// newest first, at most so many. Trees that have only begun, so that the ref points at their root, are left out unless
// begun is set.
func (s *index) Unknown(ctx context.Context, class string, begun bool, most int) ([]tree.ID, error) {
	// The plus keeps it from the index of the class, in which all are: few are not known.
	query := `SELECT DISTINCT head.root FROM ref CROSS JOIN node AS head ON head.id = ref.head
		WHERE NOT ref.known AND +ref.class = ? AND (? OR head.root <> head.id) ORDER BY ref.born DESC LIMIT ?`
	if s.memory != nil { // what is known lies in memory, and not in the store
		query = strings.Replace(query, "NOT ref.known", "NOT EXISTS (SELECT 1 FROM entry WHERE entry.node = head.root)", 1)
	}
	rows, err := s.found().QueryContext(ctx, query, class, begun, most)
	if err != nil {
		return nil, s.explain("read", err)
	}
	defer rows.Close()
	var out []tree.ID
	for rows.Next() {
		var id tree.ID
		if err := rows.Scan(&id); err != nil {
			return nil, s.explain("read", err)
		}
		out = append(out, id)
	}
	return out, s.explain("read", rows.Err())
}

// enter writes entries.
// What an entry was found by before is replaced. Its number is that of its node, so newer nodes are newer hits.
func (s *index) enter(ctx context.Context, tx *sql.Tx, rows []Indexed) error {
	if len(rows) == 0 {
		return nil
	}
	known := "UPDATE ref SET known = 1 WHERE NOT known AND born = (SELECT seq FROM node WHERE id = ? AND parent = '')"
	if s.writer == nil { // it may only be read
		known = "SELECT ?"
	}
	var all [4]*sql.Stmt // an import has tens of thousands of entries
	for i, text := range []string{
		// A hit is the newer the larger its number is: the node's own, however late it is indexed.
		`INSERT INTO entry (id, node) VALUES ((SELECT seq FROM node WHERE node.id = ?1), ?1) ON CONFLICT (node) DO UPDATE SET node = ?1
			RETURNING id, coalesce((SELECT kind FROM node WHERE node.id = ?1), ''),
			coalesce((SELECT root FROM node WHERE node.id = ?1), '')`,
		known, "DELETE FROM entry_words WHERE rowid = ?", "INSERT INTO entry_words (rowid, title, body, marks) VALUES (?, ?, ?, ?)",
	} {
		stmt, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return s.explain("write to", err)
		}
		defer stmt.Close()
		all[i] = stmt
	}
	for _, e := range rows {
		if s.clean != nil {
			e.Scope, e.Title, e.Body = s.clean(e.Scope), s.clean(e.Title), s.clean(e.Body)
		}
		e.Title, e.Body = strings.Map(unmarked, e.Title), strings.Map(unmarked, e.Body)
		var id int64
		var kind string
		var root tree.ID
		if err := all[0].QueryRowContext(ctx, e.Node).Scan(&id, &kind, &root); err != nil {
			return s.explain("write to", err)
		}
		for i, args := range [][]any{{e.Node}, {id}, {id, e.Title, e.Body, marks(e, kind, root)}} {
			if _, err := all[i+1].ExecContext(ctx, args...); err != nil {
				return s.explain("write to", err)
			}
		}
	}
	return nil
}
