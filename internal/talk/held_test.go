package talk_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A file in the context is shown again when it has changed, and once what showed it was summed up. What was shown stays, and that it is
// no longer there is said.
func TestHeld(t *testing.T) {
	path := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "calm"})}
	add := func(n tree.Node) tree.ID {
		n.Parent = path[len(path)-1].ID
		path = append(path, n)
		return n.ID
	}
	file := func(face string) tree.Node {
		return material.HandleKind.New("", "code", material.Handle{URI: "file:a.go", Face: face, SHA256: face, Held: true})
	}
	shown := func() string {
		var out strings.Builder
		for _, m := range view.Messages(path) {
			out.WriteString(m.Text() + "|")
		}
		return out.String()
	}
	add(margin.SetKind.New("", "person", margin.Set{Key: "file:a.go", Value: "shown"}))
	first := add(file("old text"))
	add(said("", "what is it?"))
	add(answered("", "old"))
	add(file("new text"))
	last := add(said("", "and now?"))
	if got := shown(); strings.Index(got, "old text") > strings.Index(got, "new text") || view.Held(path)["a.go"].SHA256 != "new text" {
		t.Errorf("%s", got)
	}
	add(material.SummaryKind.New("", "script", material.Summary{From: first, To: last, Text: "in short"}))
	if got := shown(); strings.Contains(got, "new text") || len(view.Held(path)) != 0 {
		t.Errorf("summed up: %s", got)
	}
	add(file("new text"))
	before := shown()
	add(margin.SetKind.New("", "person", margin.Set{Key: "file:a.go"}))
	gone := shown()
	if len(margin.Files(margin.Settings(path))) != 0 || !strings.HasPrefix(gone, strings.TrimSuffix(before, "|")) || !strings.Contains(gone, "no longer in the context") {
		t.Errorf("taken out: %s", gone)
	}
	add(margin.SetKind.New("", "person", margin.Set{Key: "file:a.go", Value: "shown"}))
	if got := shown(); !strings.HasPrefix(got, strings.TrimSuffix(gone, "|")) || !strings.Contains(got, "in the context again") {
		t.Errorf("and back: %s", got)
	}
}
