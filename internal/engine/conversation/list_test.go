package conversation_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/store"
)

// Which conversation is meant in a folder is what was chosen there. If that cannot be read it is an error, not another conversation.
func TestLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := all.New(s, all.Wiring{})
	defer e.Close()
	l := conversation.In(e)
	if _, err := l.Last(t.Context(), "/p"); err == nil {
		t.Error("there is none, and one is meant")
	}
	for _, name := range []string{"one", "two"} {
		if _, err := e.Do(t.Context(), conversation.NewTree{Name: name, Dir: "/p"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Do(t.Context(), conversation.Use{Tree: "one", Dir: "/p"}); err != nil {
		t.Fatal(err)
	}
	if name, err := l.Last(t.Context(), "/p"); name != "one" || err != nil {
		t.Errorf("%q is meant: %v", name, err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DELETE FROM node WHERE kind = 'use'"); err != nil {
		t.Fatal(err)
	}
	if name, err := l.Last(t.Context(), "/p"); err == nil {
		t.Errorf("the choice is lost, and %q is meant", name)
	}
}
