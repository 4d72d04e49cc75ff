package store

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"
)

// OpenReadOnly opens a store as one that may only be read, whoever runs the test.
func OpenReadOnly(t testing.TB, path string) *Store {
	t.Helper()
	s := of(&file{path: path})
	if err := s.openReadOnly(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// MakeVersion makes a store as the program of a version left it.
func MakeVersion(t testing.TB, path string, version int) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, wal))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, m := range append(migrations[:version:version], fmt.Sprintf("PRAGMA user_version = %d", version)) {
		if _, err := db.Exec(m); err != nil {
			t.Fatal(err)
		}
	}
}

// Versions is how many there are.
var Versions = len(migrations)

// ErrOpenReadOnly is why a store cannot be opened as one that may only be read.
func ErrOpenReadOnly(t testing.TB, path string) error {
	t.Helper()
	s := of(&file{path: path})
	err := s.openReadOnly(t.Context())
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return err
}

// Plans are how the database carries out every query that the store has prepared for reading, once all listings and a
// search were made.
func Plans(t testing.TB, s *Store) (out []string) {
	t.Helper()
	ctx := t.Context()
	for _, f := range []ListQuery{{Class: "room/", Most: 20}, {Class: "room/", Most: 20, Before: 9}, {Class: "room/", Most: 20, Oldest: true}, {Class: "room/", Most: 20, Moved: true},
		{Class: "room/", State: "decided", Most: 20}, {Class: "room/", State: "decided", Scope: "/p", Most: 20}} {
		if _, err := s.List(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.tips(ctx, "r.class = ? AND r.state = ? AND r.scope = ? ORDER BY r.born DESC, r.name LIMIT ?", "room/", "decided", "/p", 20); err != nil {
		t.Fatal(err)
	}
	for _, least := range []int{0, 1} {
		if _, err := s.Search(ctx, Query{Text: "two words", Scope: "/p", Kinds: []string{"room"}, Least: least, Limit: 20}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Unknown(ctx, "room/", false, 50); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.expired(ctx, time.Now(), 10); err != nil {
		t.Fatal(err)
	}
	s.reader.prepared.Range(func(text, _ any) bool {
		var rows *sql.Rows
		err := errors.New("not asked")
		for n := 0; err != nil && n < 10; n++ { // as many parameters as it takes
			rows, err = s.reader.DB.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text.(string), make([]any, n)...)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			out = append(out, detail+"\n\tof "+text.(string))
		}
		return true
	})
	return out
}

// Remembered is how many texts a queue remembers that wrote one an hour for so long.
func Remembered(hours int) int {
	q, now := &queue{}, time.Now()
	for n := range hours {
		hash := fmt.Sprint(n)
		q.add(hash, "text")
		q.wrote([]string{hash}, now.Add(time.Duration(n)*time.Hour))
	}
	return len(q.stored)
}
