package talk

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tree"
)

// A file in the context is shown as it was last, as long as it is set, and again once what showed it was summed up.
func TestHeld(t *testing.T) {
	path := []tree.Node{RootKind.New("", "person", Root{Name: "calm"})}
	add := func(n tree.Node) tree.ID {
		n.Parent = path[len(path)-1].ID
		path = append(path, n)
		return n.ID
	}
	file := func(face string) tree.Node {
		return HandleKind.New("", "code", Handle{URI: "file:a.go", Face: face, SHA256: face, Held: true})
	}
	shown := func() string {
		var out strings.Builder
		for _, m := range View(path) {
			out.WriteString(m.Text() + "|")
		}
		return out.String()
	}
	add(SetKind.New("", "person", Set{Key: "file:a.go", Value: "shown"}))
	first := add(file("old text"))
	add(said("", "what is it?"))
	add(answered("", "old"))
	add(file("new text"))
	last := add(said("", "and now?"))
	if got := shown(); strings.Contains(got, "old text") || strings.Count(got, "new text") != 1 || Held(path)["a.go"].SHA256 != "new text" {
		t.Errorf("%s", got)
	}
	add(SummaryKind.New("", "script", Summary{From: first, To: last, Text: "in short"}))
	if got := shown(); strings.Contains(got, "new text") || len(Held(path)) != 0 {
		t.Errorf("summed up: %s", got)
	}
	add(file("new text"))
	add(SetKind.New("", "person", Set{Key: "file:a.go"}))
	if got := shown(); strings.Contains(got, "text") || len(Files(Settings(path))) != 0 {
		t.Errorf("taken out: %s", got)
	}
}
