// Package memory defines what outlasts a conversation: notes, and which notes and earlier decisions a conversation was shown.
package memory

import "github.com/socrates-cli/socrates/internal/tree"

// NoteKind is a tree of its own; RecallKind is a node in a conversation, before the person's message.
const (
	NoteKind   tree.Kind[Note]     = "note"
	RecallKind tree.Kind[Recalled] = "recall"
)

// Note is a sentence that somebody saved for later conversations.
type Note struct {
	Number int     `json:"number"`
	Text   string  `json:"text"`
	Dir    string  `json:"dir,omitempty"`  // it applies there and below; empty: everywhere
	From   tree.ID `json:"from,omitempty"` // where in a conversation it was saved; empty: in none
}

// Recalled is what a model is shown of the memory, word for word and once.
type Recalled struct {
	Text  string    `json:"text"`
	Show  string    `json:"show"` // what it contains, in a line for a person
	Notes []tree.ID `json:"notes,omitempty"`
	Rooms []string  `json:"rooms,omitempty"` // debates whose decisions are shown
}

// Recall returns what a path has shown already, so that nothing is shown twice on one branch.
func Recall(path []tree.Node) (all Recalled) {
	for _, r := range RecallKind.All(path) {
		all.Notes, all.Rooms = append(all.Notes, r.Notes...), append(all.Rooms, r.Rooms...)
	}
	return all
}
