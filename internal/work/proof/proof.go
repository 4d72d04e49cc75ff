// Package proof decides whether a change does what its task asks. Code decides, from the files that changed and from what
// checks came to in clean clones; what the agent says of it does not count.
//
// Shape looks at files before anything runs; Judge at what the checks came to. Both are pure, and their Verdict has
// three ends: proved, failed (the agent is told why and may try again), or a person must look, because the change
// passes its checks by weakening them or leaves its bounds.
//
// A check counts for a change only if it would notice a mistake, so it also runs without it: at the base, and for a
// repair with the change's own tests on the old code. A check of the project that was red before is not held against
// anybody.
//
// Foresee says from the plan alone which steps cannot be proved by code, so that a person can change the plan before it
// is paid for.
package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// State is what a proof came to.
type State string

// The states.
const (
	Proved State = "proved"
	Failed State = "failed" // the agent is told, and may try again
	Person State = "person" // only a person may let it through
)

// Outcome is what a check came to at one tree.
// Code is the exit status; with Cut set the check has none. Output is kept as a text and is empty in a verdict that was
// read from a record.
type Outcome struct {
	Passed bool   `json:"passed"`
	Code   int    `json:"code"`
	Cut    string `json:"cut,omitempty"`   // why it did not run to its end
	Text   string `json:"text,omitempty"`  // hash of the end of what it printed
	Empty  bool   `json:"empty,omitempty"` // it was to run tests and ran none
	Output string `json:"-"`               // that text
}

// String is passed, that it ran no test, the reason it was cut off, or the status.
func (o Outcome) String() string {
	switch {
	case o.Passed && o.Empty:
		return "ran no test"
	case o.Passed:
		return "passed"
	case o.Cut != "":
		return o.Cut
	}
	return fmt.Sprintf("failed with status %d", o.Code)
}

// Ran is a check with what it came to.
type Ran struct {
	Command []string `json:"command"`
	Own     bool     `json:"own"`     // of the task, not of the project
	Base    Outcome  `json:"base"`    // before the change
	Without *Outcome `json:"without"` // with its tests and without the rest of it; nil: not needed
	After   Outcome  `json:"after"`
}

// New says whether the check shows something that was not true before.
func (r Ran) New() bool {
	return r.After.Passed && (!r.Base.Passed || r.Without != nil && !r.Without.Passed)
}

// Verdict is what a proof came to, and why.
type Verdict struct {
	State  State    `json:"state"`
	Why    []string `json:"why,omitempty"` // sentences
	Checks []Ran    `json:"checks,omitempty"`
}

// Shape judges the files that a task changed, before anything runs. Texts gives the patch of a file.
// edits are those between the base and the change. The worst finding is Person: code cannot know whether a deleted test
// was right to go.
func Shape(t plan.Task, edits []workspace.Edit, patch func(name string) (string, error)) (Verdict, error) {
	if len(edits) == 0 && len(t.Files) > 0 {
		return Verdict{State: Failed, Why: []string{"nothing was changed, although the task names " + names(t.Files)}}, nil
	}
	var why []string
	for _, e := range edits {
		how, ok := t.Allows(e.Name)
		switch {
		case !ok:
			why = append(why, fmt.Sprintf("it %s %s, which is not among the files of its step", verbs[e.How], e.Name))
		case e.How == "D" && how == plan.Change:
			why = append(why, "it deletes "+e.Name+", which its task is to change")
		case e.Mode == "120000":
			why = append(why, "it makes a link of "+e.Name)
		}
		weaker, err := weakens(e, patch)
		if err != nil {
			return Verdict{}, err
		}
		why = append(why, weaker...)
	}
	if len(why) > 0 {
		return Verdict{State: Person, Why: why}, nil
	}
	return Verdict{State: Proved}, nil
}

var verbs = map[string]string{"A": "adds", "D": "deletes", "M": "changes", "T": "changes the kind of"}

// names are files with commas between them.
func names(files []plan.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// Judge decides from what the checks of a change came to.
// A repair without a check of its own that fails without it is not proved, however green it is.
func Judge(t plan.Task, ran []Ran) Verdict {
	v := Verdict{State: Proved, Checks: ran}
	shown := false
	for _, r := range ran {
		name := strings.Join(r.Command, " ")
		shown = shown || r.Own && r.Without != nil && !r.Without.Passed && r.After.Passed
		switch {
		case r.After.Passed && r.After.Empty:
			v.Why = append(v.Why, name+" ran no test, so it shows nothing")
		case r.After.Passed:
		case !r.Own && !r.Base.Passed:
			v.Why = append(v.Why, name+" also fails without the change, so it does not count against it")
		default:
			v.State = Failed
			v.Why = append(v.Why, fmt.Sprintf("%s: %s", name, r.After))
		}
	}
	if v.State == Proved && !shows(ran) {
		v.State = Failed
		v.Why = append(v.Why, "no check of its own ran a test: add one that fails without the change")
	}
	if v.State == Proved && t.Fixes && !shown {
		v.State = Failed
		v.Why = append(v.Why, "it should fix a fault, but none of its own checks fails without it: add a test that does")
	}
	return v
}

// Output is what failed checks printed, cut to its end.
func (v Verdict) Output(most int) string {
	var b strings.Builder
	for _, r := range v.Checks {
		if r.After.Passed || !r.Own && !r.Base.Passed {
			continue
		}
		fmt.Fprintf(&b, "$ %s\n%s\n", strings.Join(r.Command, " "), strings.TrimRight(r.After.Output, "\n"))
	}
	out := []rune(b.String())
	if len(out) > most {
		return "…" + string(out[len(out)-most:])
	}
	return string(out)
}

// Tests are those of some edits that are tests or belong to them.
func Tests(edits []workspace.Edit) []workspace.Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e workspace.Edit) bool { return !isTest(e.Name) })
}
