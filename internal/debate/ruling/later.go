package ruling

// After is something that happens once a debate has ended. Either Followed, Shared or Run is set.
type After struct {
	Followed string `json:"followed,omitempty"` // the debate that goes on from it
	// Shared is a file that a person laid on the table for that one, relative to the project, also with lines: store/a.go:10-40.
	Shared  string `json:"shared,omitempty"`
	Run     string `json:"run,omitempty"`     // that carried the decision out
	State   string `json:"state,omitempty"`   // of the run: done, failed, person, …
	Summary string `json:"summary,omitempty"` // in a sentence: how many steps, what failed
	Commit  string `json:"commit,omitempty"`
}

// Says is what came of carrying it out, in a line.
func (a After) Says() string {
	line := "run " + a.Run + " is " + a.State
	if a.Summary != "" {
		line += ": " + a.Summary
	}
	if a.Commit != "" {
		line += " (commit " + a.Commit[:min(12, len(a.Commit))] + ")"
	}
	return line
}

// Superseded says that a decision no longer holds: a node below the end of its room, whose author and time are who
// said so and when.
type Superseded struct {
	By     string `json:"by"`               // room of the decision that took its place
	Reason string `json:"reason,omitempty"` // in a sentence
}

// Revisit says that a room debates again what an earlier one decided: a node below its root.
type Revisit struct {
	Room   string `json:"room"` // the earlier one
	Reason string `json:"reason,omitempty"`
}
