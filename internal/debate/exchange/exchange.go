// Package exchange holds the types that pass between a debate and its seats: the questions, the steps of a turn, and the
// replies.
package exchange

import (
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node.
const (
	AskKind      tree.Kind[Asked] = "ask"
	StepKind     tree.Kind[Step]  = "step"
	ReplyKind    tree.Kind[Reply] = "reply"
	AddendumKind tree.Kind[Reply] = "addendum" // a reply that came after the room had gone on
)

// Act is what a seat is asked for.
type Act string

// The acts; the last five are of strategies in which seats talk.
const (
	Propose  Act = "propose"
	Blind    Act = "blind"
	Verify   Act = "verify"
	Cross    Act = "cross"
	Talk     Act = "talk"   // a statement others will read
	Ballot   Act = "ballot" // a vote after talk
	Ready    Act = "ready"
	Moderate Act = "moderate" // how close versions are
	Guess    Act = "estimate"
)

// Asked is one question to one seat. Key names it inside the room, so that a resumed room finds its answer.
// It is on disk before the question is sent. Labels are the letters this seat was shown the options under.
type Asked struct {
	Key    string            `json:"key"`
	Seat   string            `json:"seat"`
	Act    Act               `json:"act"`
	Round  int               `json:"round"`
	System string            `json:"system"`           // blob
	Prompt string            `json:"prompt"`           // blob
	Labels map[string]string `json:"labels,omitempty"` // what the seat sees to what it means
	USD    float64           `json:"usd,omitempty"`    // reserved before the call
}

// Explores says whether the question belongs to a talk before the votes.
func (a Asked) Explores() bool {
	return a.Act == Talk || a.Act == Ready || a.Act == Guess
}

// Step is a step of a turn: a child of its Asked. It is a whole answer, recorded before its tools run or anything else
// is done about it; the results of those tools; an answer that cannot be used with the request for a better one; without
// messages, what a call took that was stopped with the program; or, in older records, calls with their results.
type Step struct {
	Messages []llm.Message `json:"messages"`
	Usage    cost.Usage    `json:"usage"`
	Model    string        `json:"model,omitempty"`   // that really answered
	Request  string        `json:"request,omitempty"` // the vendor's id of the call
	Program  string        `json:"program,omitempty"` // the vendor's program that answered
	Anew     bool          `json:"anew,omitempty"`    // what was lost was asked for once more after this
}

// Repair says whether it asks for a better answer: it ends with words of ours.
func (x Step) Repair() bool {
	n := len(x.Messages)
	return n > 0 && x.Messages[n-1].Role == llm.User && x.Messages[n-1].Text() != ""
}

// State is how a question to a seat ended.
type State string

// The states of a reply. Only Answered carries an answer that counts.
const (
	Answered State = "answered"
	Unusable State = "unusable" // it answered, but not in the asked form, also after one repair
	Broken   State = "failed"
	TimedOut State = "timeout"
	Late     State = "late" // the room went on without it
	NotAsked State = "not-asked"
	Stopped  State = "stopped" // a person ended the round
	Dropped  State = "dropped" // a person dropped the seat
	Wrote    State = "wrote"   // it changed the work tree
)

// Reply is what came back: a child of its Asked.
// A Reply is complete: whatever became of the question, there is one, unless the process ended or the room was
// stopped from outside.
type Reply struct {
	Key    string       `json:"key"`
	Seat   string       `json:"seat"`
	Act    Act          `json:"act"`
	Round  int          `json:"round"`
	State  State        `json:"state"`
	Kind   trouble.Kind `json:"kind,omitempty"`   // of a failure
	Reason string       `json:"reason,omitempty"` // one line
	Option string       `json:"option,omitempty"` // of an addendum: what it would have voted for
	Wrote  []string     `json:"wrote,omitempty"`  // what it changed in its copy of the project
	Text   string       `json:"text,omitempty"`   // blob; of a failure what had come so far
	Model  string       `json:"model,omitempty"`  // that really answered
	// Requests are the vendor's ids of the calls, and Program is its program that answered, as far as either was told.
	Requests []string   `json:"requests,omitempty"`
	Program  string     `json:"program,omitempty"`
	Usage    cost.Usage `json:"usage"`
	Calls    int        `json:"calls"` // model calls this reply took, repairs included
	// Lost is what calls took, beside Usage and Calls, that were cut when a process ended; a later one asked again.
	Lost cost.Usage `json:"lost,omitzero"`
	MS   int64      `json:"ms"`
}

// Took is all that was spent for a reply.
func (r Reply) Took() cost.Usage { return r.Usage.Add(r.Lost) }

// The kinds of failure that are the room's own.
const (
	BudgetKind trouble.Kind = "budget"  // the limits of money or tokens left no room to ask the seat
	NoCopyKind trouble.Kind = "no-copy" // it could not be given a copy of the project
)
