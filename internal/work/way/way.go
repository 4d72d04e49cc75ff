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

// Phase is a part of the way from what is wanted to merged code.
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
	Model  string   `json:"model,omitempty"`  // refines, plans, and analyzes if it is alone; empty: the usual one
	Effort string   `json:"effort,omitempty"`
	Panel  []string `json:"panel,omitempty"` // seats that analyze; empty: the usual ones
	// MinSeats of a panel must vote for its decision to count; of a smaller panel, all. 0: any one.
	MinSeats int            `json:"min_seats,omitempty"`
	Files    []string       `json:"files,omitempty"` // shown to the panel
	Allow    []string       `json:"allow,omitempty"` // commands that checks may run
	Options  record.Options `json:"options"`         // of its execution; the limits hold for all phases together
	// Manners say how single phases are done; Model and Effort, if they are given, hold for all.
	Manners map[Phase]Manner `json:"manners,omitempty"`
}

// Refined is what was asked, made clear.
type Refined struct {
	Text   string `json:"text"`             // hash
	Talk   string `json:"talk"`             // the conversation in which it was done
	Failed string `json:"failed,omitempty"` // why it is what was asked, unchanged
}

// Analyzed is how to do what was asked: by a debate, or by one model.
type Analyzed struct {
	Room   string       `json:"room,omitempty"`
	Talk   string       `json:"talk,omitempty"`
	Paid   bool         `json:"paid,omitempty"` // the debate was held for this run
	Text   string       `json:"text,omitempty"` // hash; empty: it is not at its end
	Points []plan.Point `json:"points"`         // what the plan must answer
}

// Stopped is a phase that came to nothing: the run waits there until it is resumed.
type Stopped struct {
	Phase Phase  `json:"phase"`
	Why   string `json:"why"`
	Few   bool   `json:"few,omitempty"` // too few seats of a panel voted: it debates once more when the run is resumed
}

// Passed is what the person's hooks made of a text on its way into a phase, or out of it. A text that they saw is not shown to them again.
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
	Allow   []string     `json:"allow,omitempty"` // commands that the person let its checks run
	By      string       `json:"by"`              // who wrote it: a file, or a conversation
}

// Manner is how the agents of one phase do it. Zero values leave it to whoever does it.
type Manner struct {
	Model   string        `json:"model,omitempty"` // of a phase that one model does
	Effort  string        `json:"effort,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"`      // of one answer
	Idle    time.Duration `json:"idle_timeout,omitempty"` // how long nothing may be heard of it
	Deny    []string      `json:"deny_tools,omitempty"`
}

// Manner is how a phase is done: as was said of it alone, unless it was said of all of them.
func (w Way) Manner(p Phase) Manner {
	m := w.Manners[p]
	m.Model, m.Effort = cmp.Or(w.Model, m.Model), cmp.Or(w.Effort, m.Effort)
	m.Timeout, m.Idle = cmp.Or(m.Timeout, w.Options.Timeout), cmp.Or(m.Idle, w.Options.Idle)
	return m
}

// Without are the tools of a phase that its agents may use: those of a list, or all if it is empty.
func (m Manner) Without(tools []string) []string {
	tools = slices.Clone(tools)
	for _, t := range m.Deny {
		tools = append(tools, "-"+t)
	}
	return tools
}
