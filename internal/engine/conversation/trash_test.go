package conversation_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// What earlier programs moved to the trash comes back: refs of these names, below nodes of the kind trash.
func TestOldTrash(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := all.New(s, all.Wiring{})
	defer e.Close()
	talked := talk.RootKind.New("", "person", talk.Root{Name: "one", Dir: "/p"})
	room := table.FrameKind.New("", "person", table.Frame{Room: "left-right-abcd", Question: "left or right?", Dir: "/p"})
	note := memory.NoteKind.New("", "person", memory.Note{Number: 3, Text: "okapi", Dir: "/p"})
	draft := issue.DraftKind.New("", "person", issue.Drafted{Number: 2, Dir: "/p", Title: "A title"})
	here := margin.SwitchKind.New(talked.ID, "person", margin.Switch{Branch: "main"})
	var refs []tree.Ref
	change := store.Change{Nodes: []tree.Node{talked, here, room, note, draft}}
	for name, id := range map[string]tree.ID{"tree/one": here.ID, "branch/one/main": talked.ID, "label/one/there": talked.ID,
		"room/left-right-abcd": room.ID, "superseded/left-right-abcd": room.ID, "memory/3": note.ID, "issue/2": draft.ID} {
		change.Moves = append(change.Moves, store.Move{Ref: name, To: id, Scope: "/p"})
		refs = append(refs, tree.Ref{Name: name, Head: id})
	}
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(t.Context(), "person", refs...); err != nil {
		t.Fatal(err)
	}
	for name, op := range map[string]engine.Op{"a conversation": conversation.Restore{Tree: "one"}, "a debate": rooms.Restore{Room: "left-right-abcd"},
		"a note": notes.TakeBack{Number: 3}, "a draft": issues.Restore{Number: 2}} {
		if _, err := e.Do(t.Context(), op); err != nil {
			t.Errorf("%s does not come back: %v", name, err)
		}
	}
	for _, r := range refs {
		if there, err := s.Ref(t.Context(), r.Name); err != nil || there.Head != r.Head {
			t.Errorf("%s came back as %v: %v", r.Name, there, err)
		}
	}
	left, err := s.Refs(context.Background(), store.TrashRefs, "")
	if err != nil || len(left) > 0 {
		t.Errorf("left in the trash: %v, %v", left, err)
	}
}
