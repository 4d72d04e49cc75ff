package teller

import (
	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Run reports a run of a plan that this process executes.
type Run struct{ Outside }

// NewRun reads the receivers from the settings.
func NewRun(a *call.Call) (*Run, error) {
	t, err := New(a, "run")
	return &Run{t}, err
}

// Hear is called with each committed node of a run in the order of the record, with its body as work.Body decodes it,
// and the state of the run at that node. A step that was given up because a person must decide is reported as Person,
// not as a failure.
func (t *Run) Hear(s work.Status, n tree.Node, body any) {
	switch v := body.(type) {
	case record.Begun:
		t.tell(event.RunStarted, s, n, "", nil)
	case record.Merged:
		t.tell(event.TaskDone, s, n, v.Task, nil)
	case record.Clash:
		t.tell(event.Conflict, s, n, v.Task, []string{v.String()})
	case record.GivenUp:
		name := event.TaskFailed
		if v.Person {
			name = event.Person
		}
		t.tell(name, s, n, v.Task, v.Why)
	case record.Ended:
		t.tell(event.RunDone, s, n, "", nil)
	}
}

// tell sends an event about a run, or about one step of it.
func (t *Run) tell(name event.Name, s work.Status, n tree.Node, step string, why []string) {
	d := event.Run{Run: s.Frame.Run, Title: t.short(s.Title()), Folder: t.a.Out.Clean(s.Frame.Dir), Step: step, Steps: len(s.Tasks),
		Done: len(s.Merged()), USD: s.Usage.USD}
	if task := s.Task(step); task != nil {
		d.StepTitle = t.short(task.Title)
	}
	for _, w := range why {
		d.Why = append(d.Why, t.short(w))
	}
	if name == event.RunDone {
		d.State = string(s.State)
	}
	t.out.Tell(event.Event{Name: name, ID: string(n.ID), At: n.At, Subject: s.Frame.Run, Data: d})
}
