// Package way is the way from a request to an executable plan: the phases of a run, and the record of each.
package way

import (
	"cmp"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// The kinds of nodes.
const (
	Kind        tree.Kind[Way]      = "work.way"
	RefineKind  tree.Kind[Refined]  = "work.refine"
	AnalyzeKind tree.Kind[Analyzed] = "work.analyze"
	PlanKind    tree.Kind[Planned]  = "work.plan"
	StopKind    tree.Kind[Stopped]  = "work.stop"
	PassKind    tree.Kind[Passed]   = "work.pass"
)

// Phase is a part of the way from a request to merged code.
type Phase string

// The phases, in their order.
const (
	Refine  Phase = "refine"
	Analyze Phase = "analyze"
	Plan    Phase = "plan"
	Execute Phase = "execute"
)

// Way says which phases a run goes through by itself, and how. The last one counts.
type Way struct {
	Phases []Phase  `json:"phases"`
	Single bool     `json:"single,omitempty"` // one model analyzes instead of a panel
	Model  string   `json:"model,omitempty"`  // refines, plans, and analyzes if alone; empty: the default one
	Effort string   `json:"effort,omitempty"`
	Panel  []string `json:"panel,omitempty"` // seats that analyze; empty: the default panel
	// MinSeats is how many seats of a panel must vote for its decision to count; of a smaller panel, all. 0: any one.
	MinSeats int            `json:"min_seats,omitempty"`
	Files    []string       `json:"files,omitempty"` // shown to the panel
	Allow    []string       `json:"allow,omitempty"` // commands that checks may run
	Options  record.Options `json:"options"`         // of its execution; the limits apply to all phases together
	// Manners say how single phases are done; Model and Effort, if given, apply to all.
	Manners map[Phase]Manner `json:"manners,omitempty"`
}

// Refined is the refined request.
type Refined struct {
	Text   string `json:"text"`             // hash
	Talk   string `json:"talk"`             // the conversation that refined it
	Failed string `json:"failed,omitempty"` // why it is the unchanged request
}

// Analyzed is how to fulfil the request: by a debate, or by one model.
type Analyzed struct {
	Room   string       `json:"room,omitempty"`
	Talk   string       `json:"talk,omitempty"`
	Paid   bool         `json:"paid,omitempty"` // the debate was started for this run
	Text   string       `json:"text,omitempty"` // hash; empty: not finished
	Points []plan.Point `json:"points"`         // what the plan must answer
}

// Stopped is a failed phase: the run waits there until it is resumed.
type Stopped struct {
	Phase Phase  `json:"phase"`
	Why   string `json:"why"`
	Few   bool   `json:"few,omitempty"` // too few seats of a panel voted: it debates again when the run is resumed
}

// Passed is a text after the person's hooks, on its way into or out of a phase. They do not see the same text twice.
type Passed struct {
	Phase    Phase    `json:"phase"`
	In       bool     `json:"in"`
	Was      string   `json:"was"`  // hash
	Text     string   `json:"text"` // hash; the same: they changed nothing
	Warnings []string `json:"warnings,omitempty"`
}

// Planned is a version of a run's plan. The last one counts.
type Planned struct {
	Version int          `json:"version"`
	Plan    plan.Plan    `json:"plan"`
	Text    string       `json:"text"` // hash of the plan as it was written
	Points  []plan.Point `json:"points,omitempty"`
	Allow   []string     `json:"allow,omitempty"` // commands that the person allowed its checks
	By      string       `json:"by"`              // its author: a file, or a conversation
}

// Manner is how one phase is done. Zero values leave the choice to its executor.
type Manner struct {
	Model   string        `json:"model,omitempty"` // of a phase with one model
	Effort  string        `json:"effort,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"`      // of one answer
	Idle    time.Duration `json:"idle_timeout,omitempty"` // how long it may be silent
	Deny    []string      `json:"deny_tools,omitempty"`
}

// Manner returns how a phase is done: its own settings, else those of all phases.
func (w Way) Manner(p Phase) Manner {
	m := w.Manners[p]
	m.Model, m.Effort = cmp.Or(w.Model, m.Model), cmp.Or(w.Effort, m.Effort)
	m.Timeout, m.Idle = cmp.Or(m.Timeout, w.Options.Timeout), cmp.Or(m.Idle, w.Options.Idle)
	return m
}

// Without returns the tools that agents of a phase may use: those of a list, or all if it is empty.
func (m Manner) Without(tools []string) []string {
	tools = slices.Clone(tools)
	for _, t := range m.Deny {
		tools = append(tools, "-"+t)
	}
	return tools
}
