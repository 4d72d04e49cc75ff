// Package record has the kinds of a run's nodes and their bodies. It is pure.
//
// Bodies are written once and read by every later version, so fields are added and never change their meaning. A
// journal finds effects by their keys; the comments give the form of each. Hashes name texts of the store, never
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

// Frame is the constant data of a run.
type Frame struct {
	Run   string `json:"run"`             // its name
	Dir   string `json:"dir"`             // the project's folder
	Asked string `json:"asked,omitempty"` // the request
	Data  string `json:"data,omitempty"`  // hash of its attached data
}

// Options are frozen when a run begins.
type Options struct {
	Executors []string      `json:"executors"` // seats' specs: the next is tried when one has failed
	Checks    [][]string    `json:"checks"`    // of the project: every task must pass them
	Mode      string        `json:"mode"`      // permission mode of the agents
	Parallel  int           `json:"parallel"`  // tasks at once
	Retries   int           `json:"retries"`   // retries of a task per executor
	USD       float64       `json:"budget_usd,omitempty"`
	Tokens    int           `json:"max_tokens,omitempty"`
	Timeout   time.Duration `json:"timeout,omitempty"`      // of one try
	Check     time.Duration `json:"check_timeout"`          // of one check
	Idle      time.Duration `json:"idle_timeout,omitempty"` // how long an agent may be silent
	Changes   bool          `json:"with_changes,omitempty"`
	Review    string        `json:"review,omitempty"`      // the seat that reviews each proved change; empty: none
	Risky     string        `json:"risk_review,omitempty"` // the seat that reviews high-risk steps, if not all are reviewed
	Race      int           `json:"race,omitempty"`        // how many executors race for each task; below 2: no race
	Judge     string        `json:"judge,omitempty"`       // the seat that compares their results
	// Setup is what workspaces get besides their files, as approved by the person.
	Setup workspace.Setup `json:"setup,omitzero"`
}

// Usual returns the default options: what a laptop can handle, without limits on money, races and reviews.
func Usual() Options {
	return Options{Parallel: 2, Retries: 2, Timeout: time.Hour, Idle: 15 * time.Minute, Check: 10 * time.Minute}
}

// Begun freezes settings and commit.
type Begun struct {
	Key     string         `json:"key"`
	Options Options        `json:"options"`
	Base    workspace.Base `json:"base"`
	Space   string         `json:"space"` // the run's folder: agents' work there is hidden together with its project
}

// Claim gives a task to a worker. Its epoch counts the claims of the task, or of one racer: reports of an earlier
// worker are refused.
type Claim struct {
	Key      string `json:"key"` // TASK/EPOCH
	Task     string `json:"task"`
	Epoch    int    `json:"epoch"`
	Attempt  int    `json:"attempt"` // a workspace and a conversation; a claim may continue the one before
	Executor string `json:"executor"`
	Base     string `json:"base"`            // the commit its workspace begins with
	Told     string `json:"told,omitempty"`  // hash of the text added to the brief: why it is repeated
	Racer    int    `json:"racer,omitempty"` // in a race: which racer, from 1; attempts are numbered in their order
	Racers   int    `json:"racers,omitempty"`
}

// Tried is the result of a worker's try.
type Tried struct {
	Key     string     `json:"key"` // TASK/ATTEMPT/TRY
	Task    string     `json:"task"`
	Epoch   int        `json:"epoch"`
	Attempt int        `json:"attempt"`
	Try     int        `json:"try"`
	Commit  string     `json:"commit"`           // our commit of the workspace's files; the base: nothing was changed
	Failed  string     `json:"failed,omitempty"` // why the agent did not finish
	Away    bool       `json:"away,omitempty"`   // its model could not be reached
	Said    string     `json:"said,omitempty"`   // hash of its last message
	Usage   cost.Usage `json:"usage"`
	MS      int64      `json:"ms"`
	Refused []string   `json:"refused,omitempty"` // what the gate refused the agent
	Nested  string     `json:"nested,omitempty"`  // a repository that it created in its workspace
}

// Checked is the result of a command at a tree. A tree is checked only once.
type Checked struct {
	Key     string        `json:"key"`
	Tree    string        `json:"tree"`
	Command []string      `json:"command"`
	Outcome proof.Outcome `json:"outcome"`
	MS      int64         `json:"ms"`
}

// Proven is code's verdict on a try.
type Proven struct {
	Key     string        `json:"key"` // TASK/ATTEMPT/TRY
	Task    string        `json:"task"`
	Commit  string        `json:"commit"`
	Verdict proof.Verdict `json:"verdict"`
}

// Clash is a proved change that does not fit what was merged meanwhile.
type Clash struct {
	Key   string   `json:"key"` // TASK/ATTEMPT
	Task  string   `json:"task"`
	With  string   `json:"with"`            // the task it clashes with; empty: no single one
	Files []string `json:"files,omitempty"` // in conflict
	Check []string `json:"check,omitempty"` // green with each alone, red with both
	Text  string   `json:"text,omitempty"`  // hash of the check's output
	Kept  string   `json:"kept"`            // the commit that could not be merged
}

// Merged adds a task's change to the run's branch.
type Merged struct {
	Key     string `json:"key"` // the task
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	Change  string `json:"change"` // the commit that was proved
	Commit  string `json:"commit"` // on the branch
	Onto    string `json:"onto"`
}

// Moved puts the merged steps on top of another commit, the project's current one.
type Moved struct {
	Key     string   `json:"key"` // the commit
	From    string   `json:"from"`
	Onto    string   `json:"onto"`
	Head    string   `json:"head"`
	Picks   []Merged `json:"picks"`             // the merges there, checked again
	Clashes []Clash  `json:"clashes,omitempty"` // steps that clash with the new commits
	Texts   []string `json:"texts,omitempty"`   // hashes of the clashes' check outputs
	Again   []string `json:"again,omitempty"`   // steps to repeat: the clashing ones, and those that depend on them
}

// GivenUp means that no executor is left for a task, or that a person must look at it.
type GivenUp struct {
	Key    string   `json:"key"` // TASK/EPOCH
	Task   string   `json:"task"`
	Person bool     `json:"person"` // it is done, but only a person may approve it
	Commit string   `json:"commit,omitempty"`
	Why    []string `json:"why"`
}

// Order is a person's decision about a task, or with pause, cancel and resume about the run.
type Order struct {
	Verb     string `json:"verb"` // approve, retry, skip, reassign; pause, cancel, resume
	Task     string `json:"task,omitempty"`
	Commit   string `json:"commit,omitempty"`   // the approved commit
	Executor string `json:"executor,omitempty"` // the new executor
}

// Found means that a run continued by itself after its process had died.
type Found struct{}

// Ended is the state in which a run stopped.
type Ended struct {
	State string `json:"state"`
	Head  string `json:"head"` // of its branch
	Why   string `json:"why,omitempty"`
	Died  bool   `json:"died,omitempty"` // it is paused since its process died
}

// Conversation returns the name of an attempt's conversation and workspace.
func Conversation(run string, c Claim) string { return fmt.Sprintf("%s-%s-%d", run, c.Task, c.Attempt) }

// String describes a clash in words for a person and for the agent that tries again.
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
