// Package exchange has the types that pass between a debate and its seats: questions, steps of a turn, and replies.
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
	AddendumKind tree.Kind[Reply] = "addendum" // a reply that arrived after the room had moved on
)

// Act is the kind of question a seat is asked.
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

// Asked is one question to one seat. Key names it inside the room, so that a resumed room finds its answer. It is on disk before the
// question is sent. Labels are the letters under which this seat was shown the options.
type Asked struct {
	Key    string            `json:"key"`
	Seat   string            `json:"seat"`
	Act    Act               `json:"act"`
	Round  int               `json:"round"`
	System string            `json:"system"`           // blob
	Prompt string            `json:"prompt"`           // blob
	Labels map[string]string `json:"labels,omitempty"` // from what the seat sees to what it means
	USD    float64           `json:"usd,omitempty"`    // reserved before the call
}

// Explores reports whether the question belongs to a talk before the votes.
func (a Asked) Explores() bool {
	return a.Act == Talk || a.Act == Ready || a.Act == Guess
}

// Step is a step of a turn: a child of its Asked. It is one of: a whole answer, recorded before its tools run or it is used; the
// results of those tools; an unusable answer with the request for a better one; without messages, the cost of a call that was stopped
// with the program; in older records, calls with their results.
type Step struct {
	Messages []llm.Message `json:"messages"`
	Usage    cost.Usage    `json:"usage"`
	Model    string        `json:"model,omitempty"`   // that really answered
	Request  string        `json:"request,omitempty"` // the vendor's id of the call
	Program  string        `json:"program,omitempty"` // the vendor's program that answered
	Anew     bool          `json:"anew,omitempty"`    // what was lost was asked for again after this
}

// Repair reports whether the step asks for a better answer: it ends with a text of ours.
func (x Step) Repair() bool {
	n := len(x.Messages)
	return n > 0 && x.Messages[n-1].Role == llm.User && x.Messages[n-1].Text() != ""
}

// State is how a question to a seat ended.
type State string

// The states of a reply. Only Answered carries an answer that counts.
const (
	Answered State = "answered"
	Unusable State = "unusable" // it answered, but not in the requested form, even after one repair
	Broken   State = "failed"
	TimedOut State = "timeout"
	Late     State = "late" // the room moved on without it
	NotAsked State = "not-asked"
	Stopped  State = "stopped" // a person ended the round
	Dropped  State = "dropped" // a person dropped the seat
	Wrote    State = "wrote"   // it changed the work tree
)

// Reply is the result of a question: a child of its Asked. Every question gets one, whatever happened, unless the process ended or
// the room was stopped from outside.
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
	Text   string       `json:"text,omitempty"`   // blob; of a failure the part that arrived
	Model  string       `json:"model,omitempty"`  // that really answered
	// Requests are the vendor's ids of the calls, and Program is the vendor's program that answered, as far as known.
	Requests []string   `json:"requests,omitempty"`
	Program  string     `json:"program,omitempty"`
	Usage    cost.Usage `json:"usage"`
	Calls    int        `json:"calls"` // model calls this reply took, repairs included
	// Lost is the usage, beyond Usage and Calls, of calls that were cut off when a process ended; a later one asked again.
	Lost cost.Usage `json:"lost,omitzero"`
	MS   int64      `json:"ms"`
}

// Took returns everything spent on a reply.
func (r Reply) Took() cost.Usage { return r.Usage.Add(r.Lost) }

// Kinds of failure that only a room has.
const (
	BudgetKind trouble.Kind = "budget"  // the limits on money or tokens did not allow asking the seat
	NoCopyKind trouble.Kind = "no-copy" // it could not be given a copy of the project
)
