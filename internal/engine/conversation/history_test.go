package conversation_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
)

// The history of a folder is what was typed there, the newest first and a text once. What cannot be read of it is an error: a
// history that silently lacks a conversation looks complete.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := all.New(s, all.Wiring{})
	defer e.Close()
	root, err := e.Do(t.Context(), conversation.NewTree{Name: "one", Dir: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), talk.SayKind.New(root, "person", talk.Said{Text: "fix it"})); err != nil {
		t.Fatal(err)
	}
	for dir, text := range map[string]string{"/p": "/status", "/elsewhere": "/model"} {
		if _, err := e.Do(t.Context(), conversation.Typed{Dir: dir, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	typed, err := conversation.In(e).History(t.Context(), "/p", 10)
	if err != nil || len(typed) != 2 || typed[0].Text != "/status" || typed[1].Text != "fix it" || typed[1].In != "one" {
		t.Errorf("typed %+v: %v", typed, err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA foreign_keys = OFF; DELETE FROM node WHERE id = ?", root); err != nil {
		t.Fatal(err)
	}
	if typed, err := conversation.In(e).History(t.Context(), "/p", 10); err == nil {
		t.Errorf("the root of a conversation is lost, and the history is %+v", typed)
	}
}
