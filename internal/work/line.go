package work

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/mutant"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Teller makes the lines that people see about a run or a queue, from its nodes in order.
type Teller struct {
	Nodes  []tree.Node  // so far
	Status Status       // at that point
	Queue  *queue.Queue // at that point; nil: it is a run's
	Body   any          // of the last node, decoded; nil: no kind of a run
	fold   Fold
}

// Hear applies a node and returns the line about it; empty: none.
func (t *Teller) Hear(n tree.Node) string {
	if t.Nodes = append(t.Nodes, n); len(t.Nodes) == 1 {
		if q, ok := queue.Read(t.Nodes); ok {
			t.Queue = &q
		}
	} else if t.Queue != nil {
		t.Queue.Take(n)
	}
	if t.Queue != nil {
		return t.Queue.Line(n)
	}
	t.Body = t.fold.Node(n)
	t.Status, _ = t.fold.Status()
	if b, ok := t.Body.(record.Begun); ok {
		return fmt.Sprintf("run %s: %s, from %.12s", t.Status.Frame.Run, count(len(t.Status.Tasks), "step"), b.Base.Commit)
	}
	return nodeLine(t.Body, t.Status.Plan)
}

// End says where a run stopped, and what to do next.
func (t *Teller) End() string {
	if t.Queue != nil {
		return t.Queue.End()
	}
	s := t.Status
	text := "run " + s.Frame.Run + ": " + s.merged()
	if because := s.Because(); because != "" {
		text += "\n" + because
	}
	for _, u := range s.Tasks {
		if s.State == u.State && (u.State == Person || u.State == Failed) {
			text += "\nstep " + u.ID + " (" + u.Title + "): " + u.Reasons()
		}
	}
	return text + "\n" + s.Advice()
}

// Advice are the commands that go on from where a run stopped, a line each.
func (s *Status) Advice() string {
	run := s.Frame.Run
	switch s.State {
	case Done:
		if s.Accepted() {
			return "see all of it: socrates work report " + run
		}
		return "review it: socrates work review " + run + "\naccept it: socrates work accept " + run
	case Person, Failed:
		return "inspect it: socrates work show " + run + "\nthen approve, retry or skip the step, and continue: socrates work resume " + run
	case Planned:
		if !s.Died {
			return "execute it: socrates execute " + run
		}
	}
	return "continue it: socrates work resume " + run
}

// merged describes the progress of a run in a few words.
func (s *Status) merged() string {
	state := string(s.State)
	switch {
	case s.Stopped != nil:
		state = "failed"
	case s.State == Open || s.Died: // no process executes it
		state = "stopped"
	case s.State == Person:
		state = "waits for you"
	}
	if len(s.Tasks) == 0 {
		return state
	}
	return fmt.Sprintf("%s, %d of %s merged", state, len(s.Merged()), count(len(s.Tasks), "step"))
}

// Recap describes the end of a run in Markdown: its state, a line for each step, and what to do next.
func (s *Status) Recap() string {
	text := s.merged()
	switch {
	case s.Stopped != nil:
		text += ": " + literal.Text(s.Stopped.Why)
	case s.Because() != "":
		text += ": " + literal.Text(s.Because())
	case s.Accepted():
		text += "; accepted (" + s.Taken.How + ")"
	case len(s.Merged()) > 0:
		text += "; the project does not have the changes until the run is accepted"
	}
	for i, u := range s.Tasks {
		if i == 0 {
			text += "\n"
		}
		text += "\n- step " + u.ID + ", " + literal.Text(u.Title) + ": " + u.State.Word(false)
		if why := u.Reasons(); why != "" && u.State != Done {
			text += ", " + literal.Text(why)
		}
	}
	return text + "\n\n- " + strings.ReplaceAll(s.Advice(), "\n", "\n- ")
}

// count formats a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nodeLine returns the line about the body of a run's node. Kinds that people need not see have none.
func nodeLine(body any, p plan.Plan) string {
	switch v := body.(type) {
	case way.Refined:
		if v.Failed != "" {
			return "refine · request unchanged: " + v.Failed
		}
		return "refine · done: socrates tree show " + v.Talk
	case way.Analyzed:
		switch {
		case v.Text == "":
			return "analyze · debate " + v.Room + "; watch it: socrates debate show " + v.Room + " --follow"
		case v.Room != "":
			return fmt.Sprintf("analyze · decided by debate %s; the plan must answer %s", v.Room, count(len(v.Points), "point"))
		}
		return fmt.Sprintf("analyze · done: socrates tree show %s; the plan must answer %s", v.Talk, count(len(v.Points), "point"))
	case way.Planned:
		text := fmt.Sprintf("plan · version %d by %s: %s", v.Version, v.By, count(len(v.Plan.Tasks), "step"))
		for _, f := range proof.Foresee(v.Plan) {
			text += "; " + f.Why
		}
		return text
	case way.Passed:
		text := ""
		if v.Text != v.Was {
			text = string(v.Phase) + " · a hook changed the " + map[bool]string{true: "prompt", false: "result"}[v.In]
		}
		for _, w := range v.Warnings {
			text = strings.TrimPrefix(text+"\n"+string(v.Phase)+" · "+w, "\n")
		}
		return text
	case way.Stopped:
		return string(v.Phase) + " · failed: " + strings.TrimPrefix(v.Why, string(v.Phase)+": ")
	case record.Moved:
		text := fmt.Sprintf("moved onto %.12s: %s merged and checked there", v.Onto, count(len(v.Picks), "step"))
		for _, c := range v.Clashes {
			text += "; " + c.String()
		}
		return text
	case mutant.Tried:
		if v.Fate == mutant.Survived {
			return fmt.Sprintf("  · no check catches the fault at %s:%d: %s", v.File, v.Line, v.Change())
		}
	case record.Found:
		return "resumed: its process had died"
	case record.Order:
		return strings.TrimSpace("a person · " + v.Verb + " " + v.Task + " " + v.Executor)
	case record.Checked:
		return fmt.Sprintf("  · %s at %.8s: %s (%.1f s)", strings.Join(v.Command, " "), v.Tree, v.Outcome,
			(time.Duration(v.MS) * time.Millisecond).Seconds())
	}
	if task, text := taskLine(body, p); text != "" {
		return "step " + task + " · " + text
	}
	return ""
}

// taskLine returns the line about a task's node, and the task.
func taskLine(body any, p plan.Plan) (task, text string) {
	switch v := body.(type) {
	case record.Claim:
		t, _ := p.Task(v.Task)
		text := t.Title + " · " + v.Executor
		if v.Racer > 0 {
			text += fmt.Sprintf(" · racer %d of %d", v.Racer, v.Racers)
		} else if v.Attempt > 1 {
			text += fmt.Sprintf(" · attempt %d", v.Attempt)
		}
		return v.Task, text
	case record.Tried:
		if v.Failed != "" {
			return v.Task, "the agent failed: " + v.Failed
		}
	case record.Proven:
		switch why := strings.Join(v.Verdict.Why, "; "); v.Verdict.State {
		case proof.Proved:
			return v.Task, "proved"
		case proof.Person:
			return v.Task, "waits for a person: " + why
		default:
			return v.Task, "not proved: " + why
		}
	case objection.Review:
		text := fmt.Sprintf("reviewed by %s: %s", v.By, count(len(v.Objections), "objection"))
		for _, o := range v.Objections {
			text += map[bool]string{true: "; ", false: "; not in the change, so it does not count: "}[o.Found] + o.String()
		}
		return v.Task, text
	case choice.Look:
		if v.Best == 0 {
			return v.Task, fmt.Sprintf("compared by %s: %s", v.By, v.Failed)
		}
		return v.Task, fmt.Sprintf("compared by %s: attempt %d is best; %s", v.By, v.Best, v.Why)
	case choice.Choice:
		return v.Task, fmt.Sprintf("attempt %d of %s was chosen: %s", v.Best, count(len(v.Entrants), "racer"), v.Why)
	case record.Clash:
		return v.Task, "conflict: " + v.String()
	case record.Merged:
		return v.Task, fmt.Sprintf("merged as %.12s", v.Commit)
	case record.GivenUp:
		if !v.Person {
			return v.Task, "failed: " + strings.Join(v.Why, "; ")
		}
	}
	return "", ""
}
