// Package notes is the memory of an engine: notes that persons, or models at their request, save for later conversations.
//
// A note is a tree of one node under the ref memory/NUMBER. It is a text of at most 4 KiB that applies in a folder and
// those below it, or everywhere, and it never changes: a wrong note is forgotten and another one saved. A number is not
// reused while its old note is in the trash. Notes are found by their words like everything else; package turns decides
// when a model is shown some, and shows them as history and not as instructions.
package notes

import (
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/memory"
)

// Library answers queries about notes.
type Library struct {
	core  *engine.Core
	store *store.Store
}

// With adds notes to an engine.
func With() func(*engine.Engine, *engine.Core) engine.Part {
	return func(_ *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store}, Shape: store.Shape{
			Firsts: map[string]store.First{noteRefs: {Kind: string(memory.NoteKind), Filled: []string{"$.text"}}},
		}}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }
