// Package material defines the material of a conversation besides its messages: handles, summaries, conclusions of other branches, and
// additions by a person.
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

// Summary is a view of the nodes from From to To, both on the path above it: a model is shown Text, and the person's
// messages word for word. Nothing is lost: the nodes stay.
type Summary struct {
	From tree.ID `json:"from"`
	To   tree.ID `json:"to"`
	Text string  `json:"text"`
	// Usage is the cost of writing it.
	Usage cost.Usage `json:"usage,omitzero"`
}

// Merged is the conclusion of another branch, a debate or a run, added to this conversation.
type Merged struct {
	From   tree.ID `json:"from"` // the head of that branch; for a debate or a run, its root
	Branch string  `json:"branch"`
	Text   string  `json:"text"`
	Debate bool    `json:"debate,omitempty"` // Branch is a debate: Text is its decision
	Run    bool    `json:"run,omitempty"`    // Branch is a run of a plan: Text says how it ended
}

// Handle refers to something stored elsewhere, with its hash when it was read. Face is what a model is shown, perhaps
// only a part; SHA256 and Bytes are of the whole.
type Handle struct {
	URI    string `json:"uri"`             // file:PATH, http(s)://…, bash:NODE/CALL
	Title  string `json:"title,omitempty"` // its name for people, for example the command; empty: its URI
	Face   string `json:"face"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Blob   string `json:"blob,omitempty"` // where the bytes are stored; empty: only the hash is
	// Held: it is a file in the context. A model is shown the newest handle of a file, as long as the file is set.
	Held bool `json:"held,omitempty"`
}

// Name is its name for people.
func (h Handle) Name() string {
	scheme, rest, _ := strings.Cut(h.URI, ":")
	if h.Title != "" {
		rest = h.Title
	}
	return scheme + ":" + rest
}

// AddKind is a text that was added to a conversation without asking a model.
const AddKind tree.Kind[Added] = "added"

// Added is a text outside of any turn: nothing answers it until the person continues.
type Added struct {
	Role string `json:"role"` // user, assistant or system
	Text string `json:"text"`
	From string `json:"from,omitempty"` // the program that added it, so that it counts as data; empty: the person did
	// Title names a text that our own program added for the model: the person sees it as context, not as their own message.
	Title string `json:"title,omitempty"`
}
