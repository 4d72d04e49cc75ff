// Package record is what is recorded of a run: the kinds of its nodes and their bodies. It is pure.
//
// Bodies are written once and read by every later version, so fields are added and never change their meaning. Keys are
// what a journal looks effects up by; the comments say what each is made of. Hashes name texts of the store, never
// contents.
package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// The kinds of a run's nodes. Its root is a Frame.
const (
	FrameKind  tree.Kind[Frame]   = "work"
	BeginKind  tree.Kind[Begun]   = "work.begin"
	ClaimKind  tree.Kind[Claim]   = "work.claim"
	TryKind    tree.Kind[Tried]   = "work.try"
	CheckKind  tree.Kind[Checked] = "work.check"
	ProofKind  tree.Kind[Proven]  = "work.proof"
	ClashKind  tree.Kind[Clash]   = "work.clash"
	MergeKind  tree.Kind[Merged]  = "work.merge"
	GiveUpKind tree.Kind[GivenUp] = "work.giveup"
	OrderKind  tree.Kind[Order]   = "work.word"
	EndKind    tree.Kind[Ended]   = "work.end"
	MoveKind   tree.Kind[Moved]   = "work.move"
	FoundKind  tree.Kind[Found]   = "work.found"
)

// Frame is what a run begins with and keeps.
type Frame struct {
	Run   string `json:"run"`             // its name
	Dir   string `json:"dir"`             // the project's folder
	Asked string `json:"asked,omitempty"` // what was wanted
	Data  string `json:"data,omitempty"`  // hash of what was given with it
}

// Options are frozen when a run begins.
type Options struct {
	Executors []string      `json:"executors"` // seats' specs: each is tried after the one before has failed
	Checks    [][]string    `json:"checks"`    // of the project: every task must pass them
	Mode      string        `json:"mode"`      // permission mode of the agents
	Parallel  int           `json:"parallel"`  // tasks at once
	Retries   int           `json:"retries"`   // how often an executor may try a task again
	USD       float64       `json:"budget_usd,omitempty"`
	Tokens    int           `json:"max_tokens,omitempty"`
	Timeout   time.Duration `json:"timeout,omitempty"`      // of one try
	Check     time.Duration `json:"check_timeout"`          // of one check
	Idle      time.Duration `json:"idle_timeout,omitempty"` // how long nothing may be heard of an agent
	Changes   bool          `json:"with_changes,omitempty"`
	Review    string        `json:"review,omitempty"`      // the seat that reviews each proved change; empty: nobody does
	Risky     string        `json:"risk_review,omitempty"` // the seat that reviews steps of high risk, where nobody reviews all
	Race      int           `json:"race,omitempty"`        // so many of the executors do each task at once; below 2: one does
	Judge     string        `json:"judge,omitempty"`       // the seat that compares what they bring
	// Setup is what workspaces get besides their files, as the person approved it.
	Setup workspace.Setup `json:"setup,omitzero"`
}

// Usual are options that nobody said anything about.
// They are what a laptop bears; money, races and reviews are off.
func Usual() Options {
	return Options{Parallel: 2, Retries: 2, Timeout: time.Hour, Idle: 15 * time.Minute, Check: 10 * time.Minute}
}

// Begun freezes settings and commit.
type Begun struct {
	Key     string         `json:"key"`
	Options Options        `json:"options"`
	Base    workspace.Base `json:"base"`
	Space   string         `json:"space"` // the run's folder: what agents do there is hidden with its project
}

// Claim gives a task to a worker. Its epoch counts the claims of the task, or of one racer: what an earlier worker reports is refused.
type Claim struct {
	Key      string `json:"key"` // TASK/EPOCH
	Task     string `json:"task"`
	Epoch    int    `json:"epoch"`
	Attempt  int    `json:"attempt"` // a workspace and a conversation; a claim may go on with the one before
	Executor string `json:"executor"`
	Base     string `json:"base"`            // the commit its workspace begins with
	Told     string `json:"told,omitempty"`  // hash of what is said besides the brief: why it is done again
	Racer    int    `json:"racer,omitempty"` // in a race: which one of them, from 1; attempts are numbered in their order
	Racers   int    `json:"racers,omitempty"`
}

// Tried is what a worker brought.
type Tried struct {
	Key     string     `json:"key"` // TASK/ATTEMPT/TRY
	Task    string     `json:"task"`
	Epoch   int        `json:"epoch"`
	Attempt int        `json:"attempt"`
	Try     int        `json:"try"`
	Commit  string     `json:"commit"`           // made by us of the files in the workspace; the base: nothing was changed
	Failed  string     `json:"failed,omitempty"` // why the agent did not come to an end
	Away    bool       `json:"away,omitempty"`   // its model could not be reached
	Said    string     `json:"said,omitempty"`   // hash of its last words
	Usage   cost.Usage `json:"usage"`
	MS      int64      `json:"ms"`
	Refused []string   `json:"refused,omitempty"` // what the gate did not let the agent do
	Nested  string     `json:"nested,omitempty"`  // a repository it made in its workspace
}

// Checked is what a command came to at a tree. A tree that was checked is not checked again.
type Checked struct {
	Key     string        `json:"key"`
	Tree    string        `json:"tree"`
	Command []string      `json:"command"`
	Outcome proof.Outcome `json:"outcome"`
	MS      int64         `json:"ms"`
}

// Proven is what code found of a try.
type Proven struct {
	Key     string        `json:"key"` // TASK/ATTEMPT/TRY
	Task    string        `json:"task"`
	Commit  string        `json:"commit"`
	Verdict proof.Verdict `json:"verdict"`
}

// Clash says that a change that is proved alone does not go together with what was merged meanwhile.
type Clash struct {
	Key   string   `json:"key"` // TASK/ATTEMPT
	Task  string   `json:"task"`
	With  string   `json:"with"`            // the task it clashes with; empty: none alone
	Files []string `json:"files,omitempty"` // in conflict
	Check []string `json:"check,omitempty"` // green with each alone, red with both
	Text  string   `json:"text,omitempty"`  // hash of what the check printed
	Kept  string   `json:"kept"`            // the commit that could not be merged
}

// Merged puts a task's change on the run's branch.
type Merged struct {
	Key     string `json:"key"` // the task
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	Change  string `json:"change"` // the commit that was proved
	Commit  string `json:"commit"` // on the branch
	Onto    string `json:"onto"`
}

// Moved puts what is merged on top of another commit, which the project is at by now.
type Moved struct {
	Key     string   `json:"key"` // the commit
	From    string   `json:"from"`
	Onto    string   `json:"onto"`
	Head    string   `json:"head"`
	Picks   []Merged `json:"picks"`             // what stands there now, checked again
	Clashes []Clash  `json:"clashes,omitempty"` // what does not go together with what came meanwhile
	Texts   []string `json:"texts,omitempty"`   // hashes of what checks of the clashes printed
	Again   []string `json:"again,omitempty"`   // steps that are to be done again: those, and what depends on them
}

// GivenUp says that nobody is left to do a task, or that a person must look at it.
type GivenUp struct {
	Key    string   `json:"key"` // TASK/EPOCH
	Task   string   `json:"task"`
	Person bool     `json:"person"` // it is done, but only a person may let it through
	Commit string   `json:"commit,omitempty"`
	Why    []string `json:"why"`
}

// Order is a person's decision about a task, or with pause, cancel and resume about the run.
type Order struct {
	Verb     string `json:"verb"` // approve, retry, skip, reassign; pause, cancel, resume
	Task     string `json:"task,omitempty"`
	Commit   string `json:"commit,omitempty"`   // what was approved
	Executor string `json:"executor,omitempty"` // whom it was given to
}

// Found is a run that went on by itself, because its process had died.
type Found struct{}

// Ended is where a run stopped.
type Ended struct {
	State string `json:"state"`
	Head  string `json:"head"` // of its branch
	Why   string `json:"why,omitempty"`
	Died  bool   `json:"died,omitempty"` // it is paused since its process died
}

// Conversation is the name of the conversation in which an attempt of a run is made, and of its workspace.
func Conversation(run string, c Claim) string { return fmt.Sprintf("%s-%s-%d", run, c.Task, c.Attempt) }

// String says what came together, in words for a person and for the agent that tries again.
func (c Clash) String() string {
	with := "the changes merged meanwhile"
	if c.With != "" {
		with = "step " + c.With
	}
	if len(c.Files) > 0 {
		if c.With != "" {
			return fmt.Sprintf("steps %s and %s change the same lines of %s", c.Task, c.With, strings.Join(c.Files, ", "))
		}
		return fmt.Sprintf("step %s and %s change the same lines of %s", c.Task, with, strings.Join(c.Files, ", "))
	}
	return fmt.Sprintf("step %s passes alone, but fails together with %s: %s", c.Task, with, strings.Join(c.Check, " "))
}
