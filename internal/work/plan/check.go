package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// World is what a plan is held against.
// Exists and Allowed must be set. The zero of the others is a project without checks, decision and merged steps.
type World struct {
	Exists  func(name string) bool       // a file, at the commit the run begins with
	Allowed func(command []string) error // says why a check may not run; nil: it may
	Project bool                         // the project has checks of its own, which every task must pass
	Points  []Point                      // of the decision it carries out: each must be answered
	Merged  []Task                       // what is done already: it keeps its number and title
}

// Point is a part of a decision that a plan must answer, by a task's claims or by saying why it is left alone.
type Point struct {
	ID   string `json:"id"`   // c3: a claim; f1: what would flip the decision
	Kind string `json:"kind"` // accepted claim, dissent, or what would flip it
	Text string `json:"text"`
}

// leans are words by which a brief relies on a text its agent never sees.
// Such words are how a model refers to its own conversation, which no agent has.
var leans = pattern.Of(`(?i)\b(as (discussed|mentioned|described|said|noted|agreed)( (above|before|earlier|below))?|see (above|below)|` +
	`as before|like (last time|before)|the (previous|last|earlier) (step|task|conversation|discussion)|our (conversation|discussion)|` +
	`you know|same as (above|before|step [0-9]+))\b`)

// Check says what is wrong with a plan that could be read, in the order of its lines.
// It expects a plan without faults of form.
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

// answers says whether a task answers a point of the decision, or the plan says why none does.
func (p Plan) answers(id string) bool {
	return slices.ContainsFunc(p.Tasks, func(t Task) bool { return slices.Contains(t.Claims, id) }) ||
		slices.ContainsFunc(p.Declined, func(d Declined) bool { return d.ID == id && d.Why != "" })
}

// files says which files of a task cannot be what it takes them for, after the tasks it depends on.
// A file that an earlier step adds exists for those that depend on that step, and for no others: they may run before
// it.
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

// checks finds faults of a step's checks: one that may not run, or none at all where the project has none for all
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
