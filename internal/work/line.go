package work

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Teller makes what people are told of a run, or of a queue, while it goes on, from its nodes in their order.
type Teller struct {
	Nodes  []tree.Node  // so far
	Status Status       // by then
	Queue  *queue.Queue // by then; nil: it is a run's
	run    bool
	folded Status // Status before it is settled
}

// Hear takes a node in and returns the line about it; empty: nothing is told.
func (t *Teller) Hear(n tree.Node) string {
	if t.Nodes = append(t.Nodes, n); len(t.Nodes) == 1 {
		if q, ok := queue.Read(t.Nodes); ok {
			t.Queue = &q
		}
		t.folded, t.run = begin(n)
	} else if t.Queue != nil {
		t.Queue.Take(n)
	}
	if t.Queue != nil {
		return t.Queue.Line(n)
	}
	if t.run {
		t.folded.take(n)
		t.Status = t.folded
		t.Status.Tasks = slices.Clone(t.folded.Tasks)
		t.Status.settle()
	}
	if b, ok := record.BeginKind.Of(n); ok {
		return fmt.Sprintf("run %s: %s, from %.12s", t.Status.Frame.Run, count(len(t.Status.Tasks), "step"), b.Base.Commit)
	}
	return line(n, t.Status.Plan)
}

// End says where a run stopped, and what comes next.
// Each state ends in the command that goes on from it.
func (t *Teller) End() string {
	if t.Queue != nil {
		return t.Queue.End()
	}
	s := t.Status
	run := s.Frame.Run
	text := fmt.Sprintf("run %s: %s, %d of %s merged", run, s.State, len(s.Merged()), count(len(s.Tasks), "step"))
	switch s.State {
	case Done:
		return text + "\nreview it: socrates work diff " + run + "; accept it: socrates work accept " + run
	case Person, Failed:
		for _, u := range s.Tasks {
			if u.State == s.State {
				text += "\nstep " + u.ID + " (" + u.Title + "): " + u.Reasons()
			}
		}
		return text + "\ninspect it: socrates work show " + run +
			"; then approve, retry or skip the step and continue: socrates work resume " + run
	}
	if s.State == Planned {
		return text + "\ncarry it out: socrates execute " + run
	}
	return text + "\ncontinue it: socrates work resume " + run
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// line is what people are told of a node of a run, as it happens.
// Kinds that people need not hear of have no line.
func line(n tree.Node, p plan.Plan) string {
	if r, ok := way.RefineKind.Of(n); ok {
		if r.Failed != "" {
			return "refine · request stays as given: " + r.Failed
		}
		return "refine · done: socrates tree show " + r.Talk
	}
	if a, ok := way.AnalyzeKind.Of(n); ok {
		switch {
		case a.Text == "":
			return "analyze · debate " + a.Room + "; watch it: socrates debate show " + a.Room + " --follow"
		case a.Room != "":
			return fmt.Sprintf("analyze · decided by debate %s; the plan must answer %s", a.Room, count(len(a.Points), "point"))
		}
		return fmt.Sprintf("analyze · done: socrates tree show %s; the plan must answer %s", a.Talk, count(len(a.Points), "point"))
	}
	if v, ok := way.PlanKind.Of(n); ok {
		text := fmt.Sprintf("plan · version %d by %s: %s", v.Version, v.By, count(len(v.Plan.Tasks), "step"))
		for _, f := range proof.Foresee(v.Plan) {
			text += "; " + f.Why
		}
		return text
	}
	if f, ok := way.StopKind.Of(n); ok {
		return string(f.Phase) + " · failed: " + strings.TrimPrefix(f.Why, string(f.Phase)+": ")
	}
	return taskLine(n, p)
}

// taskLine is what people are told of a task.
func taskLine(n tree.Node, p plan.Plan) string {
	if c, ok := record.ClaimKind.Of(n); ok {
		t, _ := p.Task(c.Task)
		text := fmt.Sprintf("step %s · %s · %s", c.Task, t.Title, c.Executor)
		if c.Racer > 0 {
			text += fmt.Sprintf(" · racer %d of %d", c.Racer, c.Racers)
		} else if c.Attempt > 1 {
			text += fmt.Sprintf(" · attempt %d", c.Attempt)
		}
		return text
	}
	if r, ok := record.TryKind.Of(n); ok && r.Failed != "" {
		return "step " + r.Task + " · the agent failed: " + r.Failed
	}
	if c, ok := record.CheckKind.Of(n); ok {
		return fmt.Sprintf("  · %s at %.8s: %s (%.1f s)", strings.Join(c.Command, " "), c.Tree, c.Outcome,
			(time.Duration(c.MS) * time.Millisecond).Seconds())
	}
	if v, ok := record.ProofKind.Of(n); ok {
		switch v.Verdict.State {
		case proof.Proved:
			return "step " + v.Task + " · proved"
		case proof.Person:
			return "step " + v.Task + " · waits for a person: " + strings.Join(v.Verdict.Why, "; ")
		}
		return "step " + v.Task + " · not proved: " + strings.Join(v.Verdict.Why, "; ")
	}
	if v, ok := objection.Kind.Of(n); ok {
		text := fmt.Sprintf("step %s · reviewed by %s: %s", v.Task, v.By, count(len(v.Objections), "objection"))
		for _, o := range v.Objections {
			text += map[bool]string{true: "; ", false: "; not in the change, so it does not count: "}[o.Found] + o.String()
		}
		return text
	}
	if l, ok := choice.LookKind.Of(n); ok {
		if l.Best == 0 {
			return fmt.Sprintf("step %s · compared by %s: %s", l.Task, l.By, l.Failed)
		}
		return fmt.Sprintf("step %s · compared by %s: attempt %d is best; %s", l.Task, l.By, l.Best, l.Why)
	}
	if c, ok := choice.Kind.Of(n); ok {
		return fmt.Sprintf("step %s · attempt %d of %s was chosen: %s", c.Task, c.Best, count(len(c.Entrants), "racer"), c.Why)
	}
	if c, ok := record.ClashKind.Of(n); ok {
		return "step " + c.Task + " · conflict: " + c.String()
	}
	if m, ok := record.MergeKind.Of(n); ok {
		return fmt.Sprintf("step %s · merged as %.12s", m.Task, m.Commit)
	}
	if m, ok := record.MoveKind.Of(n); ok {
		text := fmt.Sprintf("moved onto %.12s: %s merged and checked there", m.Onto, count(len(m.Picks), "step"))
		for _, c := range m.Clashes {
			text += "; " + c.String()
		}
		return text
	}
	if w, ok := record.OrderKind.Of(n); ok {
		return strings.TrimSpace("a person · " + w.Verb + " " + w.Task + " " + w.Executor)
	}
	if g, ok := record.GiveUpKind.Of(n); ok && !g.Person {
		return "step " + g.Task + " · failed: " + strings.Join(g.Why, "; ")
	}
	return ""
}
