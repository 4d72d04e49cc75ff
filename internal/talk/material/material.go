// Package material is the material of a conversation besides its messages: handles, summaries, conclusions of other branches,
// and additions by a person.
package material

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of nodes with material for a conversation.
const (
	SummaryKind tree.Kind[Summary] = "summary"
	MergeKind   tree.Kind[Merged]  = "merge"
	HandleKind  tree.Kind[Handle]  = "handle"
)

// Summary is a view of the nodes from From to To, both on the path above it: a model is shown Text, and what the person
// said word for word. Nothing is lost: the nodes stay.
type Summary struct {
	From tree.ID `json:"from"`
	To   tree.ID `json:"to"`
	Text string  `json:"text"`
	// Usage is what it took to write it.
	Usage cost.Usage `json:"usage,omitzero"`
}

// Merged brings back the conclusion of another branch, of a debate or of a run.
type Merged struct {
	From   tree.ID `json:"from"` // the head of that branch; of a debate or a run, its root
	Branch string  `json:"branch"`
	Text   string  `json:"text"`
	Debate bool    `json:"debate,omitempty"` // Branch is a debate: Text is its decision
	Run    bool    `json:"run,omitempty"`    // Branch is a run of a plan: Text says how it ended
}

// Handle refers to something that lies elsewhere, with the hash of what it was when it was looked at.
// Face is what a model is shown, which may be a part; SHA256 and Bytes are of the whole.
type Handle struct {
	URI    string `json:"uri"`             // file:PATH, http(s)://…, bash:NODE/CALL
	Title  string `json:"title,omitempty"` // what a person calls it, for example the command; empty: its URI
	Face   string `json:"face"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Blob   string `json:"blob,omitempty"` // where the bytes are kept; empty: only the hash is
	// Held: it stands for a file in the context. A model is shown the newest one of a file, as long as it is set.
	Held bool `json:"held,omitempty"`
}

// Name is what a person calls it.
func (h Handle) Name() string {
	scheme, rest, _ := strings.Cut(h.URI, ":")
	if h.Title != "" {
		rest = h.Title
	}
	return scheme + ":" + rest
}

// AddKind is what was put into a conversation without asking a model.
const AddKind tree.Kind[Added] = "added"

// Added is said by nobody in a turn: nothing answers it until the person goes on.
type Added struct {
	Role string `json:"role"` // user, assistant or system
	Text string `json:"text"`
	From string `json:"from,omitempty"` // the program that put it in, so that it is data; empty: the person did
	// Title names what our own program put in for the model: the person sees it as context, not as their words.
	Title string `json:"title,omitempty"`
}
