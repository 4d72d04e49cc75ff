// Package accept is the record of accepting a run's result into the project. It is pure.
package accept

import "github.com/socrates-cli/socrates/internal/tree"

// The kinds of nodes.
const (
	BeginKind tree.Kind[Begun] = "work.bring"
	Kind      tree.Kind[Taken] = "work.accept"
)

// Begun is recorded before the project is touched: what is about to be accepted. If the process is then killed there
// is no Taken, and the next process finds out how far it got. Without a Commit it means that the previous attempt
// failed, and that nothing is left of it.
type Begun struct {
	Commit  string `json:"commit"`            // to accept: the run's branch, or one commit of it
	Head    string `json:"head"`              // of the run's branch
	Onto    string `json:"onto"`              // the project's commit at the time
	How     string `json:"how"`               // in words
	Branch  string `json:"branch,omitempty"`  // the new branch; empty: the current branch moves
	Patch   bool   `json:"patch,omitempty"`   // files change without a commit
	Request bool   `json:"request,omitempty"` // a pull or merge request is opened
}

// Taken means that the result was accepted into the project.
type Taken struct {
	Commit string `json:"commit"`       // the head of the run's branch
	How    string `json:"how"`          // fast-forward, patch, or the new branch
	At     string `json:"at,omitempty"` // the project's new commit, if it is another one: of a squash, or a merge
	Branch string `json:"branch,omitempty"`
	URL    string `json:"url,omitempty"` // of the pull or merge request

	// For a request: where it was opened, the commit of its branch when we opened it, and its state when last
	// checked.
	Address string `json:"address,omitempty"` // of the remote, without a login
	Pushed  string `json:"pushed,omitempty"`  // a commit
	State   State  `json:"state,omitempty"`
}

// State is the state of a request. A closed one is not accepted, so it has no state here.
type State string

// The states. Moved: somebody else has pushed to the request's branch.
const (
	Open   State = "open"
	Moved  State = "moved"
	Merged State = "merged"
)
