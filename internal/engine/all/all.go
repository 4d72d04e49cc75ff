// Package all makes engines with every part: debates, evaluations, notes, conversations and their turns, runs of plans,
// queues and issue drafts. It knows every part, so that no part needs to know all others, and imports nothing that a
// part does not.
package all

import (
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/evals"
	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Wiring is what an engine needs from outside. Seat and Attended of Turns are taken from Rooms.
type Wiring struct {
	Rooms   rooms.Wiring
	Turns   turns.Wiring
	Files   conversation.Files
	Program evals.Program
	Runs    runs.Wiring
	// Began is called for each job when it begins, with the number of the last node its tree had before; it may be nil.
	Began func(root tree.ID, recorded int64)
}

// New makes an engine over an open store; see engine.New.
func New(s *store.Store, w Wiring) *engine.Engine {
	w.Turns.Seat, w.Turns.Attended = w.Rooms.Seat, w.Rooms.Attended
	// The order matters: a part looks up the libraries of those before it when it is made.
	return engine.New(s, w.Began, rooms.With(w.Rooms), evals.With(w.Program), notes.With(), conversation.With(w.Files), turns.With(w.Turns),
		runs.With(w.Runs), queues.With(), issues.With())
}
