// Package proof decides whether a change does what its task asks. Code decides, from the changed files and the
// results of checks in clean clones; what the agent says about it does not count.
//
// Shape judges files before anything runs; Judge the results of the checks. Both are pure, and their Verdict has
// three states: proved, failed (the agent is told why and may try again), or a person must look, because the change
// passes its checks by weakening them or exceeds its limits.
//
// A check counts for a change only if it would notice a mistake, so it also runs without it: at the base, and for a
// repair with the change's own tests on the old code. A check of the project that was red before does not count
// against a step.
//
// Foresee says from the plan alone which steps cannot be proved by code, so that a person can change the plan before
// it is paid for.
package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// State is the result of a proof.
type State string

// The states.
const (
	Proved State = "proved"
	Failed State = "failed" // the agent is told, and may try again
	Person State = "person" // only a person may approve it
)

// Outcome is the result of a check at one tree. Code is the exit status; with Cut set the check has none. Output is
// stored as a text and is empty in a verdict that was read from a record.
type Outcome struct {
	Passed bool   `json:"passed"`
	Code   int    `json:"code"`
	Cut    string `json:"cut,omitempty"`   // why it did not finish
	Text   string `json:"text,omitempty"`  // hash of the end of its output
	Empty  bool   `json:"empty,omitempty"` // it should have run tests and ran none
	Output string `json:"-"`               // that text
}

// String returns passed, that it ran no test, the reason it was cut off, or the status.
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

// Ran is a check with its results.
type Ran struct {
	Command []string `json:"command"`
	Own     bool     `json:"own"`     // a check of the task, not of the project
	Base    Outcome  `json:"base"`    // before the change
	Without *Outcome `json:"without"` // with its tests and without the rest of it; nil: not needed
	After   Outcome  `json:"after"`
}

// New reports whether the check shows something that was not true before.
func (r Ran) New() bool {
	return r.After.Passed && (!r.Base.Passed || r.Without != nil && !r.Without.Passed)
}

// Verdict is the result of a proof, and why.
type Verdict struct {
	State  State    `json:"state"`
	Why    []string `json:"why,omitempty"` // sentences
	Checks []Ran    `json:"checks,omitempty"`
}

// Shape judges the files that a task changed, before anything runs. patch returns the patch of a file. edits are
// those between the base and the change. The worst finding is Person: code cannot know whether a test was rightly
// deleted.
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

// names joins files with commas.
func names(files []plan.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// Judge decides from the results of a change's checks. A repair without a check of its own that fails without it is
// not proved, even if everything is green.
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

// Output returns the output of failed checks, cut to its end.
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

// Tests returns the edits of tests and their files.
func Tests(edits []workspace.Edit) []workspace.Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e workspace.Edit) bool { return !isTest(e.Name) })
}
