package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// World is what a plan is held against.
type World struct {
	Exists  func(name string) bool       // a file, at the commit the run begins with
	Allowed func(command []string) error // says why a check may not run; nil: it may
	Project bool                         // the project has checks of its own, which every task must pass
	Claims  []string                     // of a decision: accepted ones, which the plan must answer
}

// leans are words by which a brief relies on a text its agent never sees.
var leans = pattern.Of(`(?i)\b(as (discussed|mentioned|described|said|noted|agreed)( (above|before|earlier|below))?|see (above|below)|` +
	`as before|like (last time|before)|the (previous|last|earlier) (step|task|conversation|discussion)|our (conversation|discussion)|` +
	`you know|same as (above|before|step [0-9]+))\b`)

// Check says what is wrong with a plan that could be read, in the order of its lines.
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
			fault(t.Line, `has no "do": its agent is told nothing else`)
		} else if said := leans().FindString(t.Brief); said != "" {
			fault(t.Line, "relies on a text its agent does not see: %q; write out what is meant", said)
		}
		p.files(t, w, fault)
		t.checks(w, fault)
	}
	for _, id := range w.Claims {
		if !slices.ContainsFunc(p.Tasks, func(t Task) bool { return slices.Contains(t.Claims, id) }) {
			faults = append(faults, Fault{1, fmt.Sprintf("no step answers the accepted claim %s; add it to a step's claims", id)})
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return a.Line - b.Line })
	return faults
}

// files says which files of a task cannot be what it takes them for, after the tasks it depends on.
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
		fault(t.Line, "has no check that code can run; write a command in backquotes")
	}
}
