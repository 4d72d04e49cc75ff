// Package asking is what an agent asks the person, and what they answer.
package asking

import (
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// NeedKind asks the person; AnswerKind is what they say, a child of it. The conversation goes on below the question.
const (
	NeedKind   tree.Kind[Need]     = "need"
	AnswerKind tree.Kind[Answered] = "answered"
)

// Need is a question to the person: a tool's, or whether acts may happen.
// Either Question or Tool is set.
type Need struct {
	Question *tool.Question `json:"question,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Acts     []tool.Act     `json:"acts,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Parts    []Part         `json:"parts,omitempty"` // everything that would happen, each with why it is asked
}

// Part is one thing that would happen.
type Part struct {
	Text   string `json:"text"`
	Asked  bool   `json:"asked"` // it is this that needs asking
	Reason string `json:"reason"`
	Lost   string `json:"lost,omitempty"`   // what cannot be undone of it
	Leaves bool   `json:"leaves,omitempty"` // it reaches out of the project
	Sends  bool   `json:"sends,omitempty"`  // to other machines
	// Covers says what an answer for the session or the project would grant; empty: only this once can be allowed.
	Covers string `json:"covers,omitempty"`
	// Paths are files it is about that neither text nor reason names: what links and words lead to.
	Paths []string `json:"paths,omitempty"`
}

// Answered is what the person said.
type Answered struct {
	Choice string `json:"choice"`
	Reason string `json:"reason,omitempty"`
}
