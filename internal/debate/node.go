package debate

import (
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node a room is made of, in the order they usually come.
const (
	FrameKind    tree.Kind[Frame]           = "room"
	ContextKind  tree.Kind[Context]         = "context"
	OptionsKind  tree.Kind[Options]         = "options"
	AskKind      tree.Kind[Asked]           = "ask"
	StepKind     tree.Kind[Exchange]        = "step"
	ReplyKind    tree.Kind[Reply]           = "reply"
	AddendumKind tree.Kind[Reply]           = "addendum" // a reply that came after the room had gone on
	LedgerKind   tree.Kind[verdict.Ledger]  = "ledger"
	CheckKind    tree.Kind[verdict.Check]   = "check"
	NoteKind     tree.Kind[Note]            = "note"
	VerdictKind  tree.Kind[verdict.Verdict] = "verdict"
	DecisionKind tree.Kind[Document]        = "decision"
	EndKind      tree.Kind[End]             = "end"
	WordKind     tree.Kind[Word]            = "word"   // what a person said: a child of the root
	HeedKind     tree.Kind[Heed]            = "heed"   // what became of it: its child
	NeedKind     tree.Kind[Need]            = "person" // a person is needed
	// RevisitKind and SupersededKind tie a decision to the one before it: the first when the later room opens, the
	// second when it or a person says that the earlier one no longer holds.
	RevisitKind    tree.Kind[Revisit]    = "revisit"
	SupersededKind tree.Kind[Superseded] = "superseded"
	AfterKind      tree.Kind[After]      = "after" // what happens after the end: its child, and no part of the record
)

// Act is what a seat is asked for.
type Act string

// The acts.
const (
	Propose Act = "propose"
	Blind   Act = "blind"
	Verify  Act = "verify"
	Cross   Act = "cross"
)

// Context is the block every seat gets, byte for byte. Text is a blob.
type Context struct {
	Text   string   `json:"text"`
	SHA256 string   `json:"sha256"`
	Bytes  int      `json:"bytes"`
	Edited bool     `json:"edited,omitempty"`
	Files  []string `json:"files,omitempty"` // those the block shows, as they were named
	// History names the rooms whose decisions the block shows.
	History []string `json:"history,omitempty"`
}

// Options are the options as the panel settled them.
type Options struct {
	Options []verdict.Option `json:"options"`
	Origin  string           `json:"origin"`
}

// Asked is one question to one seat. Key names it inside the room, so that a resumed room finds its answer.
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

// explores says whether the question belongs to a talk before the votes.
func (a Asked) explores() bool { return a.Act == Talk || a.Act == Ready || a.Act == Guess }

// Exchange is a step of a turn: a child of its Asked. It is a whole answer, recorded before its tools run or anything else
// is done about it; the results of those tools; an answer that cannot be used with the request for a better one; without
// messages, what a call took that was stopped with the program; or, in older records, calls with their results.
type Exchange struct {
	Messages []llm.Message `json:"messages"`
	Usage    llm.Usage     `json:"usage"`
	Model    string        `json:"model,omitempty"`   // that really answered
	Request  string        `json:"request,omitempty"` // the vendor's id of the call
	Program  string        `json:"program,omitempty"` // the vendor's program that answered
	Anew     bool          `json:"anew,omitempty"`    // what was lost was asked for once more after this
}

// repair says whether it asks for a better answer: it ends with words of ours.
func (x Exchange) repair() bool {
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
type Reply struct {
	Key    string   `json:"key"`
	Seat   string   `json:"seat"`
	Act    Act      `json:"act"`
	Round  int      `json:"round"`
	State  State    `json:"state"`
	Kind   llm.Kind `json:"kind,omitempty"`   // of a failure
	Reason string   `json:"reason,omitempty"` // one line
	Option string   `json:"option,omitempty"` // of an addendum: what it would have voted for
	Wrote  []string `json:"wrote,omitempty"`  // what it changed in its copy of the project
	Text   string   `json:"text,omitempty"`   // blob; of a failure what had come so far
	Model  string   `json:"model,omitempty"`  // that really answered
	// Requests are the vendor's ids of the calls, and Program is its program that answered, as far as either was told.
	Requests []string  `json:"requests,omitempty"`
	Program  string    `json:"program,omitempty"`
	Usage    llm.Usage `json:"usage"`
	Calls    int       `json:"calls"` // model calls this reply took, repairs included
	// Lost is what calls took, beside Usage and Calls, that were cut when a process ended; a later one asked anew.
	Lost llm.Usage `json:"lost,omitzero"`
	MS   int64     `json:"ms"`
}

// Took is all that was spent for a reply.
func (r Reply) Took() llm.Usage { return r.Usage.Add(r.Lost) }

// Note is something a reader must know: a warning, or a person's doing.
type Note struct {
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

// Document is a text a person reads.
type Document struct {
	Markdown string `json:"markdown"`
}

// End closes a room, with what a list of rooms shows.
type End struct {
	ExitCode int             `json:"exit_code"`
	MS       int64           `json:"ms"`
	Outcome  verdict.Outcome `json:"outcome"`
	Winner   string          `json:"winner,omitempty"` // the option's text
	Value    float64         `json:"value"`
	Chance   float64         `json:"chance,omitempty"` // probability of the winner; 0: none was told, or it ended before that was recorded
	USD      float64         `json:"usd"`
	Source   llm.Source      `json:"source"`
	Least    bool            `json:"at_least,omitempty"` // USD is a lower bound: see CostResult
}

// Open says whether a person still has to decide, who confirms the answer or breaks a tie.
func (e End) Open() bool { return e.ExitCode == exitPerson || e.Outcome == verdict.Tie }
