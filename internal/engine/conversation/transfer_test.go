package conversation_test

import (
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
)

// A record holds a whole conversation: its nodes, and where its branches and labels point.
func TestRecord(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
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
	said, err := s.Append(t.Context(), talk.SayKind.New(root, "person", talk.Said{Text: "fix it"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Do(t.Context(), conversation.Branch{Tree: "one", Name: "other", At: string(said[0].ID), Stay: true}); err != nil {
		t.Fatal(err)
	}
	now, err := conversation.In(e).Open(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	r, err := conversation.In(e).Record(t.Context(), now)
	if err != nil || r.Name != "one" || len(r.Nodes) < 2 || r.Nodes[0].ID != root || r.Branches["other"] != said[0].ID {
		t.Errorf("%+v: %v", r, err)
	}
	now.Root = "nowhere"
	if r, err := conversation.In(e).Record(t.Context(), now); err == nil {
		t.Errorf("of a conversation that is not there: %+v", r)
	}
}
