package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// World is what a plan is checked against. Exists and Allowed must be set. The zero values of the others mean a
// project without checks, decision and merged steps.
type World struct {
	Exists  func(name string) bool       // reports whether a file exists at the run's first commit
	Allowed func(command []string) error // returns why a check may not run; nil: it may
	Project bool                         // the project has its own checks, which every task must pass
	Points  []Point                      // of the decision being executed: each must be answered
	Merged  []Task                       // finished tasks: they keep their number and title
}

// Point is a part of a decision that a plan must answer, by a task's claims or by saying why it is left out.
type Point struct {
	ID   string `json:"id"`   // c3: a claim; f1: what would flip the decision
	Kind string `json:"kind"` // accepted claim, dissent, or what would flip it
	Text string `json:"text"`
}

// leans matches words by which a brief refers to a text its agent never sees: a model's own conversation.
var leans = pattern.Of(`(?i)\b(as (discussed|mentioned|described|said|noted|agreed)( (above|before|earlier|below))?|see (above|below)|` +
	`as before|like (last time|before)|the (previous|last|earlier) (step|task|conversation|discussion)|our (conversation|discussion)|` +
	`you know|same as (above|before|step [0-9]+))\b`)

// Check returns the faults of a plan that could be parsed, in the order of its lines. It expects a plan without
// faults of form.
func (p Plan) Check(w World) (faults []Fault) {
	if len(p.Tasks) == 0 {
		return []Fault{{1, "it has no steps; a step begins with a line such as: ### 1. Return the error of save"}}
	}
	titles := map[string]string{}
	for _, t := range p.Tasks {
		fault := func(line int, format string, args ...any) {
			faults = append(faults, Fault{line, "step " + t.ID + " " + fmt.Sprintf(format, args...)})
		}
		if t.Title == "" {
			fault(t.Line, "has no title")
		} else if other, twice := titles[t.Title]; twice {
			fault(t.Line, "has the title of step %s", other)
		}
		titles[t.Title] = t.ID
		if t.Brief == "" {
			fault(t.Line, `has no line "- do: …": its agent is told nothing else`)
		} else if said := leans().FindString(t.Brief); said != "" {
			fault(t.Line, "relies on a text its agent does not see: %q; write out what is meant", said)
		}
		if t.Race > 1 && t.Executor != "" {
			fault(t.Line, "is raced by %d but names one executor; remove one of the two lines", t.Race)
		}
		for _, id := range t.Claims {
			if len(w.Points) > 0 && !slices.ContainsFunc(w.Points, func(p Point) bool { return p.ID == id }) {
				fault(t.Line, "names %s in its claims, which the decision does not have", id)
			}
		}
		p.files(t, w, fault)
		t.checks(w, fault)
	}
	for _, done := range w.Merged {
		if t, ok := p.Task(done.ID); !ok || t.Title != done.Title {
			faults = append(faults, Fault{max(t.Line, 1),
				fmt.Sprintf("step %s (%s) is merged: it keeps its number and title", done.ID, done.Title)})
		}
	}
	for _, point := range w.Points {
		if !p.answers(point.ID) {
			faults = append(faults, Fault{1, fmt.Sprintf(
				`no step answers %s (%s); name it in the claims of a step, or under "Not in this plan" with the reason`, point.ID,
				point.Kind)})
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return a.Line - b.Line })
	return faults
}

// answers reports whether a task answers a point of the decision, or the plan says why none does.
func (p Plan) answers(id string) bool {
	return slices.ContainsFunc(p.Tasks, func(t Task) bool { return slices.Contains(t.Claims, id) }) ||
		slices.ContainsFunc(p.Declined, func(d Declined) bool { return d.ID == id && d.Why != "" })
}

// files reports files of a task that do not exist, or already do, after the tasks it depends on. A file added by an
// earlier step exists only for steps that depend on it: others may run before.
func (p Plan) files(t Task, w World, fault func(int, string, ...any)) {
	before := p.after(t)
	for _, f := range t.Files {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		exists := w.Exists(f.Name)
		for _, u := range p.Tasks {
			if how, ok := u.Allows(f.Name); ok && before[u.ID] && how != Change {
				exists = how == New
			}
		}
		switch {
		case f.Action != New && !exists:
			fault(t.Line, "is to %s %s, which does not exist; mark it new, or depend on the step that adds it", f.Action, f.Name)
		case f.Action == New && exists:
			fault(t.Line, "is to add %s, which exists; mark it change", f.Name)
		}
	}
}

// checks reports faults of a step's checks: one that may not run, or none at all if the project has none for all
// steps.
func (t Task) checks(w World, fault func(int, string, ...any)) {
	runs := 0
	for _, c := range t.Checks {
		if len(c.Command) == 0 {
			continue
		}
		runs++
		if err := w.Allowed(c.Command); err != nil {
			fault(c.Line, "has the check %q: %v", c, err)
		}
	}
	if runs == 0 && !w.Project {
		fault(t.Line, "has no check that code can run; write a line such as: - check: `go test ./...`")
	}
}
