// Package teller notifies programs outside of what turns and debates of this process commit.
//
// The receivers are in the settings (events): commands and webhooks, each with the names of events it wants. A teller
// turns committed nodes into those events, in the order of the record, and passes them to internal/event, which
// delivers in the background and retries.
//
// Run, Room and Turn each know one kind of record; Jobs picks the right one for every job that a server or a screen
// starts. They belong to the goroutine that receives the nodes; Close waits until everything is delivered, or until
// the person presses ctrl-C.
//
// Texts in events are one line, at most 500 letters, and cleaned. An event that could not be delivered is reported on
// stderr and changes neither the work nor its exit code.
package teller

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Outside notifies programs outside of what is committed.
type Outside struct {
	a    *call.Call
	what string // the work it reports
	out  *event.Teller
}

// New reads the receivers from the settings. what names the work in the notice of Close: "Waiting for event
// notifications about this debate".
func New(a *call.Call, what string) (Outside, error) {
	hooks, err := a.EventHooks()
	return Outside{a, what, event.NewTeller(hooks, func(h event.Hook, e event.Event, err error) {
		a.Out.Tell(fmt.Sprintf("event %s: %s did not receive %s: %s\n", h.Name, h.Target(), e.Name, failure.Explain(err).Message))
	})}, err
}

// short makes a text of the record one short line.
func (t *Outside) short(text string) string {
	return out.Clip(clean.Line(t.a.Out.Clean(strings.TrimSpace(text))), 500)
}

// Close waits until everything is delivered, unless the person wants to leave: by ctrl-C now, or before (gone).
func (t *Outside) Close(gone bool) {
	ctx, end := t.a.Ended(context.Background())
	defer end()
	if gone {
		end()
	}
	notice := time.AfterFunc(time.Second, func() {
		if n := t.out.Open(); n > 0 {
			t.a.Out.Tell("Waiting for event notifications about this " + t.what + "; ctrl-C skips them.\n")
		}
	})
	defer notice.Stop()
	t.out.Close(ctx)
}

// Room reports a room from some place in its record on. A nil Room is not usable; a nil Turn is, for commands that
// tell nobody.
type Room struct {
	Outside
	since int64 // whoever recorded nodes up to here has reported them
}

// OfRoom reports a room from some place in its record on.
func (t Outside) OfRoom(since int64) Room { return Room{Outside: t, since: since} }

// ended returns the events of the end of a debate. A decision whose gate says that a person decides is no consensus,
// unless the person did or all seats agreed.
func ended(r *scene.Room) []event.Name {
	switch decision := r.End.Outcome.Decision(); {
	case r.End.Outcome == verdict.Ruled || decision && r.Verdict.Gate != "person":
		return []event.Name{event.Consensus, event.Ended}
	case decision && r.Verdict.Outcome == verdict.Decided:
		return []event.Name{event.Consensus, event.Person, event.Ended}
	}
	return []event.Name{event.Person, event.Ended}
}

// Hear is called with each committed node in the order of the record, its body, and the state of the debate at that
// node. Most nodes send nothing. Each event of an end has the id of its own node, because receivers drop events whose
// id they have seen.
func (t *Room) Hear(r *scene.Room, n tree.Node, body any) {
	if n.Seq <= t.since {
		return
	}
	var names []event.Name
	over := false
	switch body.(type) {
	case table.Frame:
		names = []event.Name{event.Started}
	case people.Need:
		names = []event.Name{event.Person}
	case ruling.End:
		names, over = ended(r), true
	}
	for _, name := range names {
		id := n.ID
		if over && name != event.Ended {
			id = r.Decided // committed together with the end; each event needs an id of its own
		}
		t.out.Tell(event.Event{Name: name, ID: string(id), At: n.At, Subject: r.Frame.Room, Data: t.data(r)})
	}
}

// data describes a debate for events: short, and without anything that seats said.
func (t *Room) data(r *scene.Room) event.Debate {
	asked, _ := motion.Split(r.Frame.Question)
	d := event.Debate{Room: r.Frame.Room, Question: t.short(asked), Folder: t.a.Out.Clean(r.Frame.Dir), Rehearsal: r.Frame.Rehearsal}
	if end := r.End; end != nil {
		d.Outcome, d.Winner, d.Score, d.ExitCode = string(end.Outcome), t.short(end.Winner), &end.Value, &end.ExitCode
	}
	return d
}

// Turns reports the turns of conversations that this process runs.
type Turns struct {
	Outside
	turn event.Turn
	run  *scene.Run
}

// NewTurn reads the receivers from the settings.
func NewTurn(a *call.Call) (*Turns, error) {
	t, err := New(a, "turn")
	return &Turns{Outside: t}, err
}

// Begin starts reporting a turn that has just begun and is shown in run. A nil teller tells nobody.
func (t *Turns) Begin(of turns.Conditions, run *scene.Run) {
	if t == nil {
		return
	}
	t.run = run
	t.turn = event.Turn{Tree: of.Tree, Folder: t.a.Out.Clean(of.Dir), Model: of.Model, Phase: of.Phase, Mode: string(of.Mode)}
}

// Hear is called with each committed node of the turn, in the order of the record, and its body, after run has
// applied it.
func (t *Turns) Hear(n tree.Node, body any) {
	if t == nil {
		return
	}
	t.turn.Said, t.turn.Calls = t.short(t.run.Said), t.run.Calls
	switch b := body.(type) {
	case asking.Need:
		asks := t.turn
		asks.Tool, asks.Why, asks.Asks = b.Tool, t.short(b.Reason), t.asked(b)
		t.tell(event.Permit, n.ID, n.At, asks)
	case talk.Reply:
		t.turn.State, t.turn.Reason, t.turn.Calls = string(b.State), t.short(b.Reason), b.Turns
		t.tell(event.TurnDone, n.ID, n.At, t.turn)
	}
}

// asked returns the lines a person is asked.
func (t *Turns) asked(need asking.Need) (list []string) {
	if need.Question != nil {
		return []string{t.short(need.Question.Text)}
	}
	for _, p := range need.Parts {
		if p.Asked {
			list = append(list, t.short(p.Text))
		}
	}
	return list
}

// tell sends an event about a turn, with its cost so far.
func (t *Turns) tell(name event.Name, id tree.ID, at time.Time, data event.Turn) {
	used := t.run.Usage()
	data.Tokens.In, data.Tokens.Out = used.Input+used.CacheRead+used.CacheWrite, used.Output
	data.USD, data.Known, data.Changed, data.Denied = t.run.USD, !t.run.Unknown, append([]string{}, t.run.Changed...), len(t.run.Denied)
	t.out.Tell(event.Event{Name: name, ID: string(id), At: at, Subject: data.Tree, Data: data})
}
