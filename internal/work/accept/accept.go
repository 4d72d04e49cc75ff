// Package accept is what is recorded of a run's result on its way into the project. It is pure.
package accept

import "github.com/socrates-cli/socrates/internal/tree"

// The kinds of nodes.
const (
	BeginKind tree.Kind[Begun] = "work.bring"
	Kind      tree.Kind[Taken] = "work.accept"
)

// Begun is recorded before the project is touched: what is about to be brought in. A process that is killed then has left it without a
// Taken, and the next one finds out how far it came.
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
	Commit string `json:"commit"` // the head of the run's branch
	How    string `json:"how"`    // fast-forward, patch, or the branch that was made
	Branch string `json:"branch,omitempty"`
	URL    string `json:"url,omitempty"` // of the pull or merge request
}
