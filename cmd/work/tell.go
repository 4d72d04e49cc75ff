package work

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// runTeller reports the progress of a run on stderr, a line for each event, and to programs outside. It starts from
// what is recorded and is given each later node once, in order.
type runTeller struct {
	*commands
	run     string
	outside *teller.Run
	lines   work.Teller
}

// teller starts reporting; close ends it.
func (a *commands) teller(run string) (*runTeller, error) {
	outside, err := teller.NewRun(a.Call)
	return &runTeller{commands: a, run: run, outside: outside}, err
}

// close waits until all events are delivered.
func (t *runTeller) close() { t.outside.Close(t.EndedBy.Load() != 0) }

// The job itself reports what cannot be read, so errors end it silently.
func (t *runTeller) begin(ctx context.Context, e *engine.Engine) {
	root, s, err := t.status(ctx, e, t.run)
	if err != nil {
		return
	}
	// Only what is recorded already: later nodes come one by one.
	if all, err := e.Tree(ctx, root); err == nil {
		for _, n := range all {
			if n.Seq <= e.Recorded(root) {
				t.lines.Hear(n)
			}
		}
	}
	// The first line of a stream describes it; nodes that came before it were held back.
	if t.Out.Format == "stream-json" {
		start := t.StartLine(s.Frame.Dir)
		start.Mode, start.Models = s.Options().Mode, s.Options().Executors
		t.Out.Line(call.StreamLine{Head: t.Out.Head(), Type: "start", StartLine: start})
		t.Out.Release()
	}
	if s.Begun != nil {
		t.begun(s)
	}
}

// begun reports what a run starts with.
func (t *runTeller) begun(s work.Status) {
	// Agents could not tell why something does not build.
	for _, lack := range s.Begun.Base.Lacks {
		t.Out.Warn("workspaces lack " + lack)
	}
	t.say(fmt.Sprintf("run %s: %s, from %.12s", t.run, out.Count(len(s.Tasks), "step"), s.Begun.Base.Commit))
}

// stream writes a node as a line in stream-json.
func (a *commands) stream(n tree.Node) {
	if a.Out.Format == "stream-json" {
		a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: "node", Parent: n.Parent, Node: &n})
	}
}

// say writes a line for a person; an empty text is no line.
func (t *runTeller) say(text string) {
	if t.Out.Format == "text" && text != "" {
		t.Out.Tell(clean.Line(text) + "\n")
	}
}

// node reports what one node means, here and outside.
func (t *runTeller) node(n tree.Node) {
	line := t.lines.Hear(n)
	if _, ok := t.lines.Body.(record.Begun); ok {
		t.begun(t.lines.Status)
	} else {
		t.say(line)
	}
	t.outside.Hear(t.lines.Status, n, t.lines.Body)
}

// ended reports the result of a run, and returns its code. Every end names the next command, with the run and step
// filled in.
func (a *commands) ended(s work.Status) error {
	r := a.result(s)
	if a.Out.Format == "text" {
		a.table(s, false)
	} else if err := a.Out.Last(r); failure.Unread(err) != nil {
		return err
	}
	name := s.Frame.Run
	switch s.State {
	case work.Done:
		if a.Out.Format == "text" && s.Accepted() {
			a.Out.Tell("Accepted " + name + " as " + s.Taken.How + ".\n")
		} else if a.Out.Format == "text" {
			a.Out.Tell("Review it: socrates work review " + name + ". Accept it: socrates work accept " + name + "\n")
		}
		return nil
	case work.Person:
		id := first(s, work.Person)
		return failure.New(failure.ExitPerson, "person", "step "+id+" waits for a person",
			"inspect it: socrates work diff "+name+" "+id+"; then: socrates work approve "+name+" "+id+
				", or retry or skip; then: socrates work resume "+name)
	case work.Paused, work.Cancelled:
		why := ""
		if because := s.Because(); because != "" {
			why = ", because " + because
		}
		return failure.New(failure.ExitInterrupted, string(s.State), "run "+name+" is "+string(s.State)+why+"; everything so far is saved",
			"continue with: socrates work resume "+name)
	}
	id := first(s, work.Failed)
	return failure.New(failure.ExitTasks, "tasks", "step "+id+" failed: "+s.Task(id).Reasons(),
		"see what went wrong: socrates work logs "+name+" "+id+"; try again: socrates work retry "+name+" "+id+
			", then: socrates work resume "+name)
}

// first is the first step in a state, in the order of the plan.
func first(s work.Status, state work.State) string {
	for _, t := range s.Tasks {
		if t.State == state {
			return t.ID
		}
	}
	return ""
}

// result is the one object of a run.
type result struct {
	Type     string        `json:"type"`
	Run      string        `json:"run"`
	State    work.State    `json:"state"`
	Running  bool          `json:"running"` // a process executes it
	Died     bool          `json:"died"`    // its process ended in the middle of it
	Code     int           `json:"exit_code"`
	Title    string        `json:"title"`
	Base     string        `json:"base,omitempty"`
	Head     string        `json:"head,omitempty"`
	Tasks    []work.Task   `json:"tasks"`
	Checks   int           `json:"check_runs"`
	USD      float64       `json:"cost_usd"`
	Tokens   int           `json:"tokens"`
	Accepted *accept.Taken `json:"accepted,omitempty"`
}

// result returns a run for programs, with the exit code of the command.
func (a *commands) result(s work.Status) result {
	r := result{Type: "result", Run: s.Frame.Run, State: s.State, Died: s.Died, Title: s.Title(), Head: s.Head, Tasks: s.Tasks,
		Checks: s.Checks, USD: s.Usage.USD, Tokens: s.Usage.Total(), Accepted: s.Taken, Code: failure.ExitOK}
	if s.Begun != nil {
		r.Base = s.Begun.Base.Commit
	}
	switch s.State {
	case work.Failed:
		r.Code = failure.ExitTasks
	case work.Person:
		r.Code = failure.ExitPerson
	case work.Paused, work.Cancelled:
		r.Code = failure.ExitInterrupted
	}
	return r
}
