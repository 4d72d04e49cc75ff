package ruling

// After is an event after the end of a debate. Exactly one of Followed, Shared and Run is set.
type After struct {
	Followed string `json:"followed,omitempty"` // the debate that continues it
	// Shared is a file that a person shared for the follow-up, relative to the project, also with lines: store/a.go:10-40.
	Shared  string `json:"shared,omitempty"`
	Run     string `json:"run,omitempty"`     // that executed the decision
	State   string `json:"state,omitempty"`   // of the run: done, failed, person, …
	Summary string `json:"summary,omitempty"` // in a sentence: how many steps, what failed
	Commit  string `json:"commit,omitempty"`
}

// Says describes the result of executing the decision in a line.
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

// Superseded records that a decision no longer holds. It is a node below the end of its room; the node's author and time say who
// decided so and when.
type Superseded struct {
	By     string `json:"by"`               // room of the decision that replaced it
	Reason string `json:"reason,omitempty"` // in a sentence
}

// Revisit records that a room debates again what an earlier one decided. It is a node below its root.
type Revisit struct {
	Room   string `json:"room"` // the earlier one
	Reason string `json:"reason,omitempty"`
}
