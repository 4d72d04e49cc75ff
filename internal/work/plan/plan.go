// Package plan is the one form of a plan: numbered tasks that depend on earlier ones, each with what it may change
// and the commands that prove it. A plan is read from the planner's plan.md, and all its faults are reported with
// their lines.
//
// Read turns text into a Plan and finds faults of form; Check finds faults against a project and a decision; Critical
// and Schedule say in which order steps should start and how long that would take. All of it is pure.
//
// Faults are sentences for the planner, who gets all of them at once with line numbers, because a model repairs all
// at once better than one by one. The plan that Read returns with faults is as complete as possible, so that Check
// can continue; a plan with faults is never executed.
package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Plan is what a run executes.
type Plan struct {
	Title    string     `json:"title"`
	Decision string     `json:"decision,omitempty"` // the debate behind it
	Approach string     `json:"approach,omitempty"`
	Tasks    []Task     `json:"tasks"`              // each depends on earlier ones only
	Declined []Declined `json:"declined,omitempty"` // points of the decision that no task answers
}

// Declined is a point of a decision that a plan leaves out.
type Declined struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Task is one change that can be proved by itself. ID is its position as a decimal number. With Race 0 and Executor
// empty the run decides.
type Task struct {
	ID       string   `json:"id"` // its number in the plan
	Title    string   `json:"title"`
	Brief    string   `json:"brief"` // the agent's whole instructions
	Files    []File   `json:"files"` // all files it may touch; empty: it changes nothing
	Needs    []string `json:"needs"` // ids of the tasks it depends on
	Checks   []Check  `json:"checks"`
	Done     string   `json:"done,omitempty"`      // what is true afterwards, in words
	Fixes    bool     `json:"fixes,omitempty"`     // it repairs a fault: a check must fail without it
	Size     Size     `json:"size"`                // how much work it is
	Executor string   `json:"executor,omitempty"`  // its executor; empty: the run decides
	Race     int      `json:"race,omitempty"`      // how many executors race; the best change is kept; 0: the run decides
	High     bool     `json:"high_risk,omitempty"` // another family reviews it before it is merged
	Claims   []string `json:"claims,omitempty"`    // of a decision, that it answers
	Line     int      `json:"line"`                // where it begins in the text
}

// File is a file that a task may touch.
type File struct {
	Name   string `json:"name"`
	Action Action `json:"action"`
}

// Action is what a task does to a file.
type Action string

// The actions.
const (
	Change Action = "change"
	New    Action = "new"
	Delete Action = "delete"
)

// Size is how much work a task is.
type Size string

// The sizes. The default is Medium.
const (
	Small  Size = "small"
	Medium Size = "medium"
	Large  Size = "large"
)

// Weight returns the size as a number: a medium task counts as three small ones, a large one as three medium ones.
func (s Size) Weight() int {
	return map[Size]int{Small: 1, Large: 9}[s] + 3*btoi(s != Small && s != Large)
}

// btoi returns 1 for true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Check is a condition that must hold once a task is done.
type Check struct {
	Command []string `json:"command,omitempty"` // empty: a person checks
	Shows   string   `json:"shows,omitempty"`   // what it must show, in words
	Line    int      `json:"line"`
}

// String returns the command as it is written in a plan.
func (c Check) String() string { return strings.Join(c.Command, " ") }

// Fault is a fault of a plan.
type Fault struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// String returns the fault with its line.
func (f Fault) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.Why) }

// Task finds a task by its number.
func (p Plan) Task(id string) (Task, bool) {
	i := slices.IndexFunc(p.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return p.Tasks[i], true
}

// Same reports whether two tasks are equal except for their lines in the text: everything an agent or a check sees of
// them counts.
func (t Task) Same(u Task) bool {
	bare := func(t Task) Task {
		t.Line, t.Checks = 0, slices.Clone(t.Checks)
		for i := range t.Checks {
			t.Checks[i].Line = 0
		}
		return t
	}
	return reflect.DeepEqual(bare(t), bare(u))
}

// Allows reports whether a task may touch a file, and how. A name that ends in a slash allows everything below that
// folder.
func (t Task) Allows(name string) (Action, bool) {
	for _, f := range t.Files {
		if f.Name == name || strings.HasSuffix(f.Name, "/") && strings.HasPrefix(name, f.Name) {
			return f.Action, true
		}
	}
	return "", false
}

// Critical returns the heaviest chain of work that begins with each task, by id: what should start first, by the
// usual rule of list scheduling.
func (p Plan) Critical() map[string]int {
	chain := map[string]int{}
	for _, t := range slices.Backward(p.Tasks) { // tasks that depend on it come later
		chain[t.ID] += t.Size.Weight()
		for _, need := range t.Needs {
			chain[need] = max(chain[need], chain[t.ID])
		}
	}
	return chain
}

// Overlaps reports whether two tasks touch the same file: they do not run at once.
func (t Task) Overlaps(u Task) bool {
	for _, f := range t.Files {
		if _, both := u.Allows(f.Name); both {
			return true
		}
		for _, g := range u.Files {
			if _, both := t.Allows(g.Name); both {
				return true
			}
		}
	}
	return false
}

// after returns every task that must be done before t, by id.
func (p Plan) after(t Task) map[string]bool {
	all := map[string]bool{}
	for left := slices.Clone(t.Needs); len(left) > 0; {
		need := left[len(left)-1]
		left = left[:len(left)-1]
		if all[need] {
			continue
		}
		all[need] = true
		if u, ok := p.Task(need); ok {
			left = append(left, u.Needs...)
		}
	}
	return all
}
