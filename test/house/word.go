package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// meanings are the words of docs/words.md that a dozen packages could call something of theirs by, with the folders whose type of that
// name is what the page says. A layer has its own where it knows more of the same thing: of a seat the table knows what is recorded, the
// room its model, a worker what it offers, and the scene how it stands.
var meanings = map[string][]string{
	"seat":  {"internal/debate/table", "internal/debate", "internal/scene", "internal/fleet"},
	"turn":  {"internal/debate", "internal/scene", "internal/engine/turns", "internal/event"},
	"brief": {"internal/talk"},
	"desk":  {"internal/tui"},
	"place": {"internal/drift"},
	"kind":  {"internal/tree", "internal/llm/trouble"},
	"entry": {"internal/scene"},
}

// Meanings are the types, of tests too, that are called by such a word and are something else: those are named by what they are, as
// trust.ItemKind or lease.AuditLine.
func Meanings(files []Source) (found []string) {
	for _, s := range files {
		ast.Inspect(s.File, func(n ast.Node) bool {
			t, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			homes, ok := meanings[strings.ToLower(t.Name.Name)]
			if ok && !slices.Contains(homes, s.Folder()) {
				found = append(found, fmt.Sprintf("%s: %s has one meaning, see docs/words.md: name the type by what it is",
					s.At(t.Pos()), t.Name.Name))
			}
			return true
		})
	}
	return found
}
