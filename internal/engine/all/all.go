// Package all makes engines that have everything: debates, evaluations, notes, conversations and their turns, runs of
// plans, queues and drafts of issues. It knows every part, so that no part needs to know all others, and imports
// nothing that a part does not.
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

// Wiring is what an engine is given from outside. Seat and Attended of Turns are those of Rooms.
type Wiring struct {
	Rooms   rooms.Wiring
	Turns   turns.Wiring
	Files   conversation.Files
	Program evals.Program
	Runs    runs.Wiring
	// Began is told of each job as it begins, with the number of the last node its tree had before; nil: nobody is.
	Began func(root tree.ID, recorded int64)
}

// New makes an engine over an open store; see engine.New.
func New(s *store.Store, w Wiring) *engine.Engine {
	w.Turns.Seat, w.Turns.Attended = w.Rooms.Seat, w.Rooms.Attended
	// The order matters: a part looks for the libraries of those before it as it is made.
	return engine.New(s, w.Began, rooms.With(w.Rooms), evals.With(w.Program), notes.With(), conversation.With(w.Files), turns.With(w.Turns),
		runs.With(w.Runs), queues.With(), issues.With())
}
