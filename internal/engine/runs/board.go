package runs

import "github.com/socrates-cli/socrates/internal/work"

// ToDo is the column of the board in which queued prompts are, too.
const ToDo = "to do"

// Columns are those of the board, from left to right.
var Columns = []string{"refinement", ToDo, "in progress", "to verify", "done"}

// Column is where a run is on the board.
func (r Info) Column() string {
	switch {
	case r.Accepted:
		return "done"
	case r.State == work.Asked && !r.Running:
		return "refinement"
	case r.State == work.Planned && !r.Running:
		return ToDo
	case r.State == work.Done || r.State == work.Person || r.State == work.Failed:
		return "to verify"
	}
	return "in progress"
}
