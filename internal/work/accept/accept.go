// Package accept is the record of accepting a run's result into the project. It is pure.
package accept

import "github.com/socrates-cli/socrates/internal/tree"

// The kinds of nodes.
const (
	BeginKind tree.Kind[Begun] = "work.bring"
	Kind      tree.Kind[Taken] = "work.accept"
)

// Begun is recorded before the project is touched: what is about to be brought in. A process that is killed then has left it without a
// Taken, and the next one finds out how far it came. Without a Commit it says that the one before failed, and that nothing is left of it.
type Begun struct {
	Commit  string `json:"commit"`            // that is brought: the run's branch, or one commit of it
	Head    string `json:"head"`              // of the run's branch
	Onto    string `json:"onto"`              // what the project was at
	How     string `json:"how"`               // in words
	Branch  string `json:"branch,omitempty"`  // that is made; empty: the one that is checked out moves
	Patch   bool   `json:"patch,omitempty"`   // files change, and nothing is committed
	Request bool   `json:"request,omitempty"` // a pull or merge request is opened
}

// Taken says that the result was brought into the project.
type Taken struct {
	Commit string `json:"commit"`       // the head of the run's branch
	How    string `json:"how"`          // fast-forward, patch, or the branch that was made
	At     string `json:"at,omitempty"` // the commit that the project got, if that is another one: of a squash, or a merge
	Branch string `json:"branch,omitempty"`
	URL    string `json:"url,omitempty"` // of the pull or merge request

	// Of the request: where it was opened, what its branch was at when we opened it, and how it was when it was last looked at.
	Address string `json:"address,omitempty"` // of the remote, without a login
	Pushed  string `json:"pushed,omitempty"`  // a commit
	State   State  `json:"state,omitempty"`
}

// State is how a request is. One that was closed is not accepted, so there is none for it.
type State string

// The states. A request whose branch somebody else has pushed to is Moved.
const (
	Open   State = "open"
	Moved  State = "moved"
	Merged State = "merged"
)
