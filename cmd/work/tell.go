package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// teller tells on stderr how a run goes, a line for each thing that happened.
type teller struct {
	*commands
	run   string
	plan  map[string]string // titles of steps
	tries map[string]int
}

func (t *teller) begin(ctx context.Context, e *engine.Engine) {
	t.plan, t.tries = map[string]string{}, map[string]int{}
	_, s, err := t.status(ctx, e, t.run)
	if err != nil {
		return
	}
	for _, task := range s.Tasks {
		t.plan[task.ID] = task.Title
	}
	if t.Out.Format == "stream-json" {
		start := t.StartLine(s.Frame.Dir)
		start.Mode, start.Models = s.Begun.Options.Mode, s.Begun.Options.Executors
		t.Out.Line(call.StreamLine{Head: t.Out.Head(), Type: "start", StartLine: start})
		t.Out.Release()
	}
	for _, lack := range s.Begun.Base.Lacks {
		t.Out.Warn("workspaces lack " + lack)
	}
	t.say(fmt.Sprintf("run %s: %s, from %.12s", t.run, out.Count(len(s.Tasks), "step"), s.Begun.Base.Commit))
}

// stream writes a node as a line where lines are wanted.
func (a *commands) stream(n tree.Node) {
	if a.Out.Format == "stream-json" {
		a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: "node", Parent: n.Parent, Node: &n})
	}
}

func (t *teller) say(text string) {
	if t.Out.Format == "text" {
		t.Out.Tell(clean.Line(text) + "\n")
	}
}

func (t *teller) node(n tree.Node) {
	if c, ok := record.ClaimKind.Of(n); ok {
		text := fmt.Sprintf("step %s · %s · %s", c.Task, t.plan[c.Task], c.Executor)
		if c.Attempt > 1 {
			text += fmt.Sprintf(" · attempt %d", c.Attempt)
		}
		t.say(text)
	}
	if c, ok := record.CheckKind.Of(n); ok {
		t.say(fmt.Sprintf("  · %s at %.8s: %s (%s)", strings.Join(c.Command, " "), c.Tree, c.Outcome,
			out.Seconds(time.Duration(c.MS)*time.Millisecond)))
	}
	if p, ok := record.ProofKind.Of(n); ok {
		switch p.Verdict.State {
		case proof.Proved:
			t.say("step " + p.Task + " · proved")
		case proof.Person:
			t.say("step " + p.Task + " · waits for a person: " + strings.Join(p.Verdict.Why, "; "))
		default:
			t.say("step " + p.Task + " · not proved: " + strings.Join(p.Verdict.Why, "; "))
		}
	}
	if c, ok := record.ClashKind.Of(n); ok {
		t.say("step " + c.Task + " · clash: " + c.String())
	}
	if m, ok := record.MergeKind.Of(n); ok {
		t.say(fmt.Sprintf("step %s · merged as %.12s", m.Task, m.Commit))
	}
	if g, ok := record.GiveUpKind.Of(n); ok && !g.Person {
		t.say("step " + g.Task + " · failed: " + strings.Join(g.Why, "; "))
	}
}

// ended tells what a run came to, and ends with its code.
func (a *commands) ended(s work.Status) error {
	r := a.result(s)
	if a.Out.Format == "text" {
		a.table(s)
	} else if err := a.Out.Last(r); failure.Unread(err) != nil {
		return err
	}
	name := s.Frame.Run
	switch s.State {
	case work.Done:
		if a.Out.Format == "text" {
			a.Out.Tell("Review it: socrates work diff " + name + ". Bring it into the project: socrates work accept " + name + "\n")
		}
		return nil
	case work.Person:
		id := first(s, work.Person)
		return failure.New(failure.ExitPerson, "person", "step "+id+" waits for a person",
			"look: socrates work diff "+name+" "+id+"; then: socrates work approve "+name+" "+id+
				", or retry or skip; then: socrates work resume "+name)
	}
	id := first(s, work.Failed)
	return failure.New(failure.ExitTasks, "tasks", "step "+id+" failed: "+s.Task(id).Reasons(),
		"see what was said: socrates work logs "+name+" "+id+"; try again: socrates work retry "+name+" "+id+
			", then: socrates work resume "+name)
}

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
	Code     int           `json:"exit_code"`
	Title    string        `json:"title"`
	Base     string        `json:"base,omitempty"`
	Head     string        `json:"head,omitempty"`
	Tasks    []work.Task   `json:"tasks"`
	Checks   int           `json:"check_runs"`
	USD      float64       `json:"cost_usd"`
	Tokens   int           `json:"tokens"`
	Accepted *record.Taken `json:"accepted,omitempty"`
}

func (a *commands) result(s work.Status) result {
	r := result{Type: "result", Run: s.Frame.Run, State: s.State, Title: s.Frame.Plan.Title, Head: s.Head, Tasks: s.Tasks, Checks: s.Checks,
		USD: s.Usage.USD, Tokens: s.Usage.Total(), Accepted: s.Taken, Code: failure.ExitOK}
	if s.Begun != nil {
		r.Base = s.Begun.Base.Commit
	}
	switch s.State {
	case work.Failed:
		r.Code = failure.ExitTasks
	case work.Person:
		r.Code = failure.ExitPerson
	}
	return r
}
