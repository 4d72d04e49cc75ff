package store_test

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

//go:embed testdata/version1.sql
var version1 string

// released makes a store as the first released program did.
func released(t testing.TB, path string) {
	t.Helper()
	if _, err := raw(t, path).Exec(version1); err != nil {
		t.Fatal(err)
	}
}

// enter makes texts findable, each by a node of its own named like it is numbered.
func enter(t testing.TB, s *store.Store, rows ...store.Indexed) {
	t.Helper()
	if _, err := s.Commit(context.Background(), store.Change{Index: rows}); err != nil {
		t.Fatal(err)
	}
}

func search(t testing.TB, s *store.Store, q store.Query) string {
	t.Helper()
	hits, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, string(h.Node))
	}
	return strings.Join(ids, " ")
}

func TestSearch(t *testing.T) {
	s := fresh(t)
	enter(t, s,
		store.Indexed{Node: "pool", Scope: "/p", Title: "Should connections be pooled?", Body: "A pool waits. NOT and OR are words."},
		store.Indexed{Node: "cafe", Scope: "/p/sub", Title: "Café or Übung?", Body: "connections are said here only in passing"},
		store.Indexed{Node: "greek", Scope: "/p-evil", Title: "Ποιο κλειδί", Body: "東京 pool"},
		store.Indexed{Node: "mute", Scope: "/p"})
	for _, tc := range []struct {
		q    store.Query
		want string
	}{
		{store.Query{Text: "connection"}, "pool cafe"}, // the title weighs more
		{store.Query{Text: "CONNECT"}, "pool cafe"},
		{store.Query{Text: "cafe ubung"}, "cafe"},
		{store.Query{Text: "CAFÉ"}, "cafe"},
		{store.Query{Text: "cafe\u0301"}, "cafe"},
		{store.Query{Text: "ΚΛΕΙΔΊ"}, "greek"},
		{store.Query{Text: "東京"}, "greek"},
		{store.Query{Text: "pool passing"}, ""},
		{store.Query{Text: "pool passing connections", Least: 2}, "cafe pool"},
		{store.Query{Text: "passing", Titles: true}, ""},
		{store.Query{Text: "pooling", Titles: true}, "pool"},
		{store.Query{Text: "conn", Titles: true}, ""},
		{store.Query{Text: "pool", Scope: "/p"}, "pool"},
		{store.Query{Text: "connection", Scope: "/p/sub/"}, "cafe"},
		{store.Query{Text: "pool", Scope: "/"}, "pool greek"},
		{store.Query{Text: "pool", Scope: "/%"}, ""},
		{store.Query{Text: "NOT pool"}, "pool"},
		{store.Query{Text: `"pool" AND* (title:pool^)`}, ""}, // a word of it is "and", as data
		{store.Query{Text: `pool OR or`}, "pool"},
		{store.Query{}, ""},
		{store.Query{Text: " \x00\"'*-"}, ""},
	} {
		tc.q.Limit = 9
		if got := search(t, s, tc.q); got != tc.want {
			t.Errorf("%+v finds %q, want %q", tc.q, got, tc.want)
		}
	}
	if got := search(t, s, store.Query{Text: "pool", Limit: 1}); got != "pool" {
		t.Errorf("of two, the limit leaves %q", got)
	}
	enter(t, s, store.Indexed{Node: "pool", Scope: "/q", Title: "Something else"})
	if got := search(t, s, store.Query{Text: "pool", Limit: 9}) + "|" + search(t, s, store.Query{Text: "else", Scope: "/q", Limit: 9}); got != "greek|pool" {
		t.Errorf("a replaced entry: %q", got)
	}
}

// Newer nodes are found first, in whatever order they are indexed.
func TestTheNewestFirst(t *testing.T) {
	s := fresh(t)
	var roots []tree.Node
	for range 3 {
		roots = append(roots, add(t, s, node("", "root"))[0])
	}
	for _, n := range slices.Backward(roots) {
		enter(t, s, store.Indexed{Node: n.ID, Title: "\uE0A0main needle"})
	}
	want := fmt.Sprintf("%s %s", roots[2].ID, roots[1].ID)
	for _, text := range []string{"needle", "main"} {
		if got := search(t, s, store.Query{Text: text, Limit: 2}); got != want {
			t.Errorf("%s finds %q, want %q", text, got, want)
		}
	}
}

// An entry is there if and only if what was committed with it is.
func TestIndexBelongsToItsCommit(t *testing.T) {
	s := fresh(t)
	root := add(t, s, node("", "root"))[0]
	change := store.Change{Nodes: []tree.Node{node(root.ID, "leaf")}, Index: []store.Indexed{{Node: root.ID, Title: "needle"}},
		Moves: []store.Move{{Ref: "room/x", From: "elsewhere", To: root.ID}}}
	if _, err := s.Commit(t.Context(), change); err == nil {
		t.Fatal("a ref was moved from where it was not")
	}
	if got := search(t, s, store.Query{Text: "needle", Limit: 9}); got != "" || len(since(t, s, 0, "")) != 1 {
		t.Errorf("%q is left of a commit that failed", got)
	}
	change.Moves[0].From = ""
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, store.Query{Text: "needle", Limit: 9}); got != string(root.ID) {
		t.Errorf("found %q", got)
	}
}

func TestIndexIsCleaned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, func(text string) string { return strings.ReplaceAll(text, "hunter2", "[gone]") })
	enter(t, s, store.Indexed{Node: "a", Scope: "/hunter2", Title: "the password hunter2", Body: "hunter2"})
	if got := search(t, s, store.Query{Text: "hunter2", Limit: 9}); got != "" {
		t.Error("a secret is found")
	}
	if got := search(t, s, store.Query{Text: "password gone", Limit: 9}); got != "a" {
		t.Errorf("found %q", got)
	}
}

// A store of the first released program is brought up to date, and says which of its trees have no entry.
func TestOlderStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	released(t, path)
	if _, err := raw(t, path).Exec(`INSERT INTO node (id, parent, root, kind, by, at, body) VALUES ('open', '', 'open', 'room', 'x', 0, '{}'),
		('done', '', 'done', 'room', 'x', 0, '{}'), ('end', 'done', 'done', 'end', 'x', 0, '{}');
		INSERT INTO ref (name, head, at) VALUES ('room/open', 'open', 0), ('room/done', 'end', 0), ('other/done', 'end', 0)`); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, nil)
	unknown, err := s.Unknown(t.Context(), "room/", false, 9)
	if err != nil || !slices.Equal(unknown, []tree.ID{"done"}) {
		t.Fatalf("unknown: %v, %v", unknown, err)
	}
	enter(t, s, store.Indexed{Node: "done", Title: "needle"})
	if unknown, err = s.Unknown(t.Context(), "room/", false, 9); err != nil || len(unknown) != 0 {
		t.Errorf("still unknown: %v, %v", unknown, err)
	}
	if got := search(t, s, store.Query{Text: "needle", Limit: 9}); got != "done" {
		t.Errorf("found %q", got)
	}
}

// Whatever is asked, it is words and never syntax; and a text is found by its own first words.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"", `"`, `" OR "`, "a*", "title:x", "NEAR(a b)", "a AND NOT", "\x00", "é\xff", "ﬁ Å 東京", "-x", "^", "{title} : a", "ı İ ß"} {
		f.Add(text)
	}
	s := fresh(f)
	f.Fuzz(func(t *testing.T, text string) {
		enter(t, s, store.Indexed{Node: "x", Scope: "/s", Title: text, Body: "needle"})
		for _, q := range []store.Query{{Text: text}, {Text: text, Titles: true}, {Text: text + " needle", Least: 1, Scope: text}} {
			q.Limit = 3
			if _, err := s.Search(context.Background(), q); err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
		}
		if got := search(t, s, store.Query{Text: text + " needle", Least: 1, Limit: 1}); got != "x" {
			t.Fatalf("%q is not found by itself", text)
		}
	})
}

// Every text is found by any of its words, however they are written, as long as they are of an alphabet.
func TestFoundByOwnWords(t *testing.T) {
	s := fresh(t)
	word := rapid.StringMatching(`[A-Za-zÀ-ÖØ-öø-ÿΑ-ΡΣ-Ωа-яА-Я0-9]{1,12}`)
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(word, 1, 20).Draw(rt, "words")
		enter(t, s, store.Indexed{Node: "x", Title: strings.Join(words, rapid.SampledFrom([]string{" ", "-", "?\n", "\""}).Draw(rt, "between"))})
		some := rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(rt, "some")
		for _, titles := range []bool{false, true} {
			if got := search(t, s, store.Query{Text: strings.ToUpper(strings.Join(some, " ")), Titles: titles, Limit: 1}); got != "x" {
				rt.Fatalf("%q in titles=%v is not found", some, titles)
			}
		}
	})
}

// BenchmarkSearch looks in 1,000 and 10,000 entries of about 2 kB, half of which have each word.
func BenchmarkSearch(b *testing.B) {
	for _, total := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("entries=%d", total), func(b *testing.B) {
			s := fresh(b)
			var all []store.Indexed
			for i := range total {
				title := fmt.Sprintf("Should the store keep connection %d or use pool %d for the cache?", i%7, i%11)
				all = append(all, store.Indexed{Node: tree.ID(fmt.Sprint(i)), Scope: fmt.Sprintf("/p/%d", i%2), Title: title,
					Body: strings.Repeat(fmt.Sprintf("claim %d about word%d and locks. ", i, i%100), 60)})
			}
			enter(b, s, all...)
			for b.Loop() {
				if hits, err := s.Search(context.Background(), store.Query{Text: "store connection pool cache 3", Scope: "/p/1", Titles: true, Least: 2, Limit: 50}); err != nil || len(hits) != 50 {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}

// A store of the first released program that may only be read is listed as if it had been brought up to date.
func TestOlderStoreReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	released(t, path)
	db := raw(t, path)
	if _, err := db.Exec(`INSERT INTO node (id, parent, root, kind, by, at, body) VALUES ('one', '', 'one', 'frame', 'x', 0, '{"dir": "/p/a/"}'),
		('two', '', 'two', 'frame', 'x', 0, '{"dir": "/q"}'), ('end', 'one', 'one', 'end', 'x', 0, '{"outcome": "decided"}');
		INSERT INTO ref (name, head, at) VALUES ('room/one', 'end', 0), ('room/two', 'two', 0)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		open func() *store.Store
	}{{"read only", func() *store.Store { return store.OpenReadOnly(t, path) }}, {"brought up to date", func() *store.Store { return open(t, path, nil) }}} {
		s := c.open()
		for want, query := range map[string]store.ListQuery{"two one": {Class: "room/"}, "one": {Class: "room/", State: "decided", Scope: "/p"}, "": {Class: "room/", State: "decided", Scope: "/p/ab"}} {
			tips, err := s.List(t.Context(), query)
			var got []string
			for _, tip := range tips {
				got = append(got, string(tip.Root.ID))
			}
			if strings.Join(got, " ") != want || err != nil {
				t.Errorf("%s: %+v lists %q, %v", c.name, query, got, err)
			}
		}
	}
}
