// Package ruling is the result of a debate: the ledger and its checks, the verdict, the document and the end, and later events
// such as confirmation and outcome.
//
// Ledger and check nodes are the record: a replay must give the same ones. Verdict, decision and end are computed from it, and
// recorded so that lists and people need not compute; anyone who distrusts them can recompute them. Later events (files shared for a
// follow-up debate, runs, what replaced it) are nodes below the end and not part of the record.
package ruling

import (
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node.
const (
	LedgerKind   tree.Kind[verdict.Ledger]  = "ledger"
	CheckKind    tree.Kind[verdict.Check]   = "check"
	NoteKind     tree.Kind[Note]            = "note"
	VerdictKind  tree.Kind[verdict.Verdict] = "verdict"
	DecisionKind tree.Kind[Document]        = "decision"
	EndKind      tree.Kind[End]             = "end"
	// RevisitKind and SupersededKind link a decision to an earlier one: the first when the later room opens, the second when it or a
	// person says that the earlier one no longer holds.
	RevisitKind    tree.Kind[Revisit]    = "revisit"
	SupersededKind tree.Kind[Superseded] = "superseded"
	AfterKind      tree.Kind[After]      = "after" // an event after the end: its child, not part of the record
)

// Note is something a reader must know: a warning, or what a person did.
type Note struct {
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

// Document is a text a person reads.
type Document struct {
	Markdown string `json:"markdown"`
}

// End closes a room, with what a list of rooms shows. There is one, but a person's choice or veto after the end adds another.
type End struct {
	ExitCode int             `json:"exit_code"`
	MS       int64           `json:"ms"`
	Outcome  verdict.Outcome `json:"outcome"`
	Winner   string          `json:"winner,omitempty"` // the option's text
	Value    float64         `json:"value"`
	Chance   float64         `json:"chance,omitempty"`  // probability of the winner; 0: none shown, or older than this field
	Blocked  []string        `json:"blocked,omitempty"` // the objections that block it; old records lack them
	USD      float64         `json:"usd"`
	Source   cost.Source     `json:"source"`
	Least    bool            `json:"at_least,omitempty"` // USD is a lower bound: see CostResult
}

// Open reports whether a person still has to decide: confirm the answer or break a tie.
func (e End) Open() bool { return e.ExitCode == ExitPerson || e.Outcome == verdict.Tie }

// ExitPerson is the exit code of a debate that asks a person.
const ExitPerson = 12
