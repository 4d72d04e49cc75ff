// Package trace explains how a change came about, from the record of its run: the decision and the claims it answers,
// the instructions, the checks that proved it, who approved it, and its cost. It is pure.
//
// Of gathers the record of one step; Marks parses the trailers by which a commit names its step; Note is the same for
// those who have the repository without the run. All of it is for people and programs that ask why a line is there.
package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Step is a step of a run with everything that led to it.
type Step struct {
	Run          string             `json:"run"`
	ID           string             `json:"step"`
	Title        string             `json:"title"`
	State        work.State         `json:"state"`
	Why          []string           `json:"why,omitempty"` // why it exists, or what code found
	Decision     string             `json:"decision,omitempty"`
	Claims       []plan.Point       `json:"claims,omitempty"`
	Plan         int                `json:"plan_version"`
	By           string             `json:"planned_by,omitempty"`
	Brief        string             `json:"brief"`
	Executor     string             `json:"executor,omitempty"`
	Models       []string           `json:"models,omitempty"` // that answered
	Attempt      int                `json:"attempt,omitempty"`
	Tries        int                `json:"tries,omitempty"`
	Conversation string             `json:"conversation,omitempty"`
	Race         *choice.Choice     `json:"race,omitempty"` // its race, and why this change was kept
	Checks       []proof.Ran        `json:"checks,omitempty"`
	Reviews      []objection.Review `json:"reviews,omitempty"`
	Person       []string           `json:"person,omitempty"` // a person's decisions about it
	Change       string             `json:"change,omitempty"` // the commit that was proved
	Commit       string             `json:"commit,omitempty"` // on the run's branch
	Usage        cost.Usage         `json:"usage"`
	MS           int64              `json:"ms"`
}

// Of returns a step of a run. Checks and reviews are those of the attempt that counts; the other attempts are in the
// record.
func Of(s work.Status, nodes []tree.Node, id string) (Step, bool) {
	t := s.Task(id)
	if t == nil {
		return Step{}, false
	}
	out := Step{Run: s.Frame.Run, ID: id, Title: t.Title, State: t.State, Why: t.Why, Brief: t.Brief, Executor: t.Executor,
		Attempt: t.Attempt, Change: t.Change, Commit: t.Commit, Usage: t.Usage, MS: t.MS, Claims: s.Answered(t.Task.Claims)}
	if s.Analyzed != nil {
		out.Decision = s.Analyzed.Room
	}
	if s.Plan.Decision != "" {
		out.Decision = s.Plan.Decision
	}
	if s.Planned != nil {
		out.Plan, out.By = s.Planned.Version, s.Planned.By
	}
	for _, n := range nodes {
		out.take(n)
	}
	if t.Claim != nil {
		out.Conversation = record.Conversation(out.Run, *t.Claim)
	}
	return out, true
}

// take folds a node about the step's last attempt.
func (s *Step) take(n tree.Node) {
	mine := fmt.Sprintf("%s/%d/", s.ID, s.Attempt)
	switch v := work.Body(n).(type) {
	case record.Tried:
		if v.Task == s.ID && v.Attempt == s.Attempt {
			s.Tries = v.Try
		}
	case record.Proven:
		if !strings.HasPrefix(v.Key, mine) {
			return
		}
		if s.Checks = v.Verdict.Checks; s.State == work.Done {
			s.Why = v.Verdict.Why
		}
	case objection.Review:
		if strings.HasPrefix(v.Key, mine) {
			s.Reviews = append(s.Reviews, v)
		}
	case choice.Choice:
		if v.Task == s.ID {
			s.Race = &v
		}
	case record.Order:
		if v.Task == s.ID {
			s.Person = append(s.Person, strings.TrimSpace(v.Verb+" "+v.Executor))
		}
	}
}

// Mark is the step that a commit's message names.
type Mark struct {
	Run      string `json:"run"`
	Step     string `json:"step"`
	Attempt  int    `json:"attempt"`
	Executor string `json:"executor"`
}

// Marks returns those of a message, in order. The commit of several steps may have several. Other trailers in between
// do not matter; a mark without a step is dropped.
func Marks(message string) (marks []Mark) {
	for line := range strings.Lines(message) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		if key == "Socrates-Run" {
			marks = append(marks, Mark{Run: value})
		}
		if len(marks) == 0 {
			continue
		}
		switch last := &marks[len(marks)-1]; key {
		case "Socrates-Task":
			last.Step = value
		case "Socrates-Attempt":
			last.Attempt, _ = strconv.Atoi(value) // invalid: 0
		case "Socrates-Executor":
			last.Executor = value
		}
	}
	return slices.DeleteFunc(marks, func(m Mark) bool { return m.Step == "" })
}
