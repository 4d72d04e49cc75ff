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

// Indexed makes a node findable by words. A word of the title weighs more than one of the body. A node without text
// counts as known to the index but is never found. Only the words are kept, not the text: to show a hit, read its node.
type Indexed struct {
	Node        tree.ID
	Scope       string // where it belongs: a path with slashes
	Title, Body string
}

// Query is a search.
type Query struct {
	Text   string // its Words are searched for: nothing in it is syntax
	Scope  string // entries in it and below; empty: all
	Titles bool   // search titles only, for whole words; otherwise prefixes match, too
	Least  int    // how many of the words an entry must have; 0: all
	Limit  int    // most hits
	// Kinds limits the search to nodes of these kinds; empty: all.
	Kinds []string
	Root  tree.ID // limits the search to this tree; empty: all
}

// Hit is an entry that was found.
type Hit struct {
	Node  tree.ID
	Words int // how many words of the query it has
}

// mostWords and mostLetters bound what one query can cost.
const mostWords, mostLetters = 64, 64

// Words splits a text into the words of an entry: letters and digits in lower case, each word once, in order. It
// returns 64 words at most. Two texts that differ only in diacritics or endings may still match each other.
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

// deepest is how many entries that have a word are counted, the newest first, in a search that does not need all words. A word that more
// entries have says little about an older one, and the limit keeps a search from costing more in a larger store.
const deepest = 200

// Search finds entries. If all words are needed, hits in titles come first, then hits of whole words, each the newest
// first; otherwise the entries with most of the words come first. Words are stemmed as English; letters of all scripts
// are words. Without a text or a limit it finds nothing, which is no error.
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

// finder is one search.
type finder struct {
	s      *index
	q      Query
	limits string // what hits must match besides the words, as part of the index query
}

// term returns the index query for a word, which contains no quotes.
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

// all finds entries with all words, the best first, and stops when it has enough.
func (f *finder) all(ctx context.Context, words []string) (out []Hit, err error) {
	known := map[tree.ID]bool{}
	// The index cannot rank by place and wholeness at once without reading every match, so three queries are made, best first.
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

// some finds entries with some of the words. Each word is a query of its own: how many words an entry has is counted
// here, among the newest entries only.
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
				if !whole || f.q.Titles { // a prefix query also finds entries with the whole word
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

// found is a row of the index; newer rows have larger numbers.
type found struct {
	id   int64
	node tree.ID
}

// look returns the newest entries that match, at most so many.
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

// mark is a word that limits a search to entries of a scope, kind or tree: a hash after a sign that no word of a text begins with.
func mark(sort byte, value string) string {
	// A hash, because the index would split a path or an id into words. A collision costs one hit too many, no more.
	h := fnv.New64a()
	h.Write([]byte{sort})
	h.Write([]byte(value))
	return "\uE000" + strconv.FormatUint(h.Sum64(), 10)
}

// unmarked replaces characters for private use, which the index would take for letters.
func unmarked(r rune) rune {
	if unicode.Is(unicode.Co, r) {
		return ' '
	}
	return r
}

// What a mark limits a search to.
const (
	markScope = 's' // a folder that an entry belongs to, or one of its parents
	markKind  = 'k' // the kind of its node
	markRoot  = 'r' // the tree of its node
)

// marks returns the marks of an entry.
func marks(e Indexed, kind string, root tree.ID) string {
	out := []string{mark(markKind, kind), mark(markRoot, string(root))}
	for scope := strings.TrimRight(e.Scope, "/"); scope != ""; {
		out = append(out, mark(markScope, scope))
		i := strings.LastIndexByte(scope, '/')
		scope = scope[:max(i, 0)]
	}
	return strings.Join(out, " ")
}

// limits returns the marks that hits must have.
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

// below returns the prefix of all paths in a scope, which ends in a slash.
func below(scope string) string {
	if scope = strings.TrimRight(scope, "/"); scope == "" {
		return ""
	}
	return scope + "/"
}

// found returns the database that has the entries.
func (s *file) found() *readers {
	if s.memory != nil {
		return s.memory
	}
	return s.reader
}

// Unknown returns the roots of trees that refs of a class, such as "room/", point into and that have no entry, the
// newest first, at most so many. Unless begun is set it omits trees that have only begun, whose ref points at the root.
func (s *index) Unknown(ctx context.Context, class string, begun bool, most int) ([]tree.ID, error) {
	// The plus keeps SQLite from using the index of the class, which contains all refs: few are unknown.
	query := `SELECT DISTINCT head.root FROM ref CROSS JOIN node AS head ON head.id = ref.head
		WHERE NOT ref.known AND +ref.class = ? AND (? OR head.root <> head.id) ORDER BY ref.born DESC LIMIT ?`
	if s.memory != nil { // the record of what is indexed is in memory, not in the store
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

// enter writes entries. An existing entry of the node is replaced. An entry has its node's number, so newer nodes are newer hits.
func (s *index) enter(ctx context.Context, tx *sql.Tx, rows []Indexed) error {
	if len(rows) == 0 {
		return nil
	}
	known := "UPDATE ref SET known = 1 WHERE NOT known AND born = (SELECT seq FROM node WHERE id = ? AND parent = '')"
	if s.writer == nil { // the store is read-only
		known = "SELECT ?"
	}
	var all [4]*sql.Stmt // an import has tens of thousands of entries
	for i, text := range []string{
		// Larger numbers are newer hits: the number is the node's own, however late it is indexed.
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
