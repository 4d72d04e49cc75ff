// Package notes is the memory of an engine: what persons, or models at their word, keep for later conversations.
package notes

import (
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/memory"
)

// Library answers what is asked about notes.
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

// In is the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }
