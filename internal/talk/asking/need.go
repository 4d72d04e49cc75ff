// Package asking defines the questions of an agent to the person, and their answers.
package asking

import (
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// NeedKind is a question to the person; AnswerKind is their answer, a child of it. The conversation continues below the question.
const (
	NeedKind   tree.Kind[Need]     = "need"
	AnswerKind tree.Kind[Answered] = "answered"
)

// Need is a question to the person: from a tool, or whether acts may happen. Either Question or Tool is set.
type Need struct {
	Question *tool.Question `json:"question,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Acts     []tool.Act     `json:"acts,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Parts    []Part         `json:"parts,omitempty"` // everything that would happen, each part with the reason it needs approval
}

// Part is one thing that would happen.
type Part struct {
	Text   string `json:"text"`
	Asked  bool   `json:"asked"` // this part needs approval
	Reason string `json:"reason"`
	Lost   string `json:"lost,omitempty"`   // what of it cannot be undone
	Leaves bool   `json:"leaves,omitempty"` // it reaches out of the project
	Sends  bool   `json:"sends,omitempty"`  // to other machines
	// Covers says what an answer for the session or the project would grant; empty: it can only be allowed once.
	Covers string `json:"covers,omitempty"`
	// Paths are files it concerns that neither Text nor Reason names: targets of links and of arguments.
	Paths []string `json:"paths,omitempty"`
}

// Answered is the person's answer.
type Answered struct {
	Choice string `json:"choice"`
	Reason string `json:"reason,omitempty"`
}
