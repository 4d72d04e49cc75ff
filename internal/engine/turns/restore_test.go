package turns_test

import (
	"crypto/sha1"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
)

// stored is where the snapshots of the office keep a content.
func (o *office) stored(content string) string {
	o.t.Helper()
	id := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
	var found string
	filepath.WalkDir(o.home, func(path string, d fs.DirEntry, err error) error {
		if filepath.Base(filepath.Dir(path))+filepath.Base(path) == id {
			found = path
		}
		return err
	})
	if found == "" {
		o.t.Fatalf("no object %s in %s", id, o.home)
	}
	return found
}

// An undo that ends in the middle loses neither what the agent wrote nor what a person changed since: undo goes on, redo leads back.
func TestUndoBrokenOff(t *testing.T) {
	for _, way := range []string{"redo", "undo", "nothing left"} {
		t.Run(way, func(t *testing.T) {
			o := newOffice(t, true)
			base := map[string]string{"a": "first\n", "b": "second\n", "c": "third\n"}
			for name, text := range base {
				if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o.say("for f in a b c; do echo agent $f > $f; done")
			if err := os.WriteFile(filepath.Join(o.dir, "a"), []byte("mine\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			lost := o.stored("second\n")
			if err := os.Rename(lost, lost+".away"); err != nil {
				t.Fatal(err)
			}
			if _, err := o.Do(t.Context(), conversation.Undo{Tree: "work"}); err == nil || o.files()["a"] != "first\n" || o.files()["b"] != "agent b\n" {
				t.Fatalf("the undo was not broken off: %v, %v", err, o.files())
			}
			if err := os.Rename(lost+".away", lost); err != nil {
				t.Fatal(err)
			}
			if way == "nothing left" { // somebody else made the files what the undo would have made them
				for name, text := range base {
					if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			if way != "redo" {
				o.do(conversation.Undo{Tree: "work"})
				if got := o.files(); fmt.Sprint(got) != fmt.Sprint(base) {
					t.Errorf("undo again: %v", got)
				}
			}
			if way == "undo" {
				o.do(conversation.Redo{Tree: "work"})
			}
			o.do(conversation.Redo{Tree: "work"})
			want := map[string]string{"a": "mine\n", "b": "agent b\n", "c": "agent c\n"}
			if got := o.files(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("redo: %v", got)
			}
			o.refuses(conversation.Redo{Tree: "work"}, "nothing to redo")
			o.do(conversation.Undo{Tree: "work"})
			if got := o.files(); fmt.Sprint(got) != fmt.Sprint(base) {
				t.Errorf("undo after all: %v", got)
			}
			o.refuses(conversation.Undo{Tree: "work"}, "nothing to undo")
		})
	}
}
