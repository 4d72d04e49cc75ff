// Package teller tells programs outside of what turns and debates of this process commit.
package teller

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Outside tells the outside of what is committed.
type Outside struct {
	a    *call.Call
	what string // it is told of
	out  *event.Teller
}

// New reads whom to tell.
func New(a *call.Call, what string) (Outside, error) {
	hooks, err := a.EventHooks()
	return Outside{a, what, event.NewTeller(hooks, func(h event.Hook, e event.Event, err error) {
		a.Out.Tell(fmt.Sprintf("event %s: %s did not receive %s: %s\n", h.Name, h.Target(), e.Name, failure.Explain(err).Message))
	})}, err
}

// short is a text of the record in one line that is not long.
func (t *Outside) short(text string) string {
	return out.Clip(clean.Line(t.a.Out.Clean(strings.TrimSpace(text))), 500)
}

// Close waits until everybody has heard, but not for those who want to go: ctrl-C, or gone already.
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

// Room tells of a room from some place in its record on.
type Room struct {
	Outside
	since   int64 // nodes up to here were told by whoever recorded them
	data    event.Debate
	verdict tree.ID
	gate    string // of the verdict
	agreed  bool   // all seats voted for its winner
}

// OfRoom tells of a room from some place in its record on.
func (t Outside) OfRoom(since int64) Room { return Room{Outside: t, since: since} }

// outside is what those outside are told of a node: nothing of most. A decision whose gate says that a person decides
// is no consensus, unless the person did or all seats agreed.
func outside(n tree.Node, gate string, agreed bool) []event.Name {
	switch n.Kind {
	case string(debate.FrameKind):
		return []event.Name{event.Started}
	case string(debate.NeedKind):
		return []event.Name{event.Person}
	case string(debate.EndKind):
		if end, _ := debate.EndKind.Of(n); end.Outcome == verdict.Ruled || end.Outcome.Decision() && gate != "person" {
			return []event.Name{event.Consensus, event.Ended}
		} else if agreed && end.Outcome.Decision() {
			return []event.Name{event.Consensus, event.Person, event.Ended}
		}
		return []event.Name{event.Person, event.Ended}
	}
	return nil
}

// Hear takes in one committed node, in the order of the record.
func (t *Room) Hear(n tree.Node) {
	switch n.Kind {
	case string(debate.FrameKind):
		f, _ := debate.FrameKind.Of(n)
		asked, _ := debate.SplitData(f.Question)
		t.data = event.Debate{Room: f.Room, Question: t.short(asked), Folder: t.a.Out.Clean(f.Dir), Rehearsal: f.Rehearsal}
	case string(debate.VerdictKind):
		t.verdict = n.ID
		v, _ := debate.VerdictKind.Of(n)
		t.gate, t.agreed = v.Gate, v.Outcome == verdict.Decided
	case string(debate.EndKind):
		end, _ := debate.EndKind.Of(n)
		t.data.Outcome, t.data.Winner, t.data.Score, t.data.ExitCode = string(end.Outcome), t.short(end.Winner), &end.Value, &end.ExitCode
	}
	if n.Seq <= t.since {
		return
	}
	for _, name := range outside(n, t.gate, t.agreed) {
		id := n.ID
		if n.Kind == string(debate.EndKind) && name != event.Ended {
			id = t.verdict // committed together with the end; each event needs an id of its own
		}
		t.out.Tell(event.Event{Name: name, ID: string(id), At: n.At, Subject: t.data.Room, Data: t.data})
	}
}

// Turn tells of the turns of conversations that this process runs.
type Turn struct {
	Outside
	turn event.Turn
	sum  turn.Result
}

// NewTurn reads whom to tell.
func NewTurn(a *call.Call) (*Turn, error) {
	t, err := New(a, "turn")
	return &Turn{Outside: t}, err
}

// Begin turns to a turn that has just begun. A nil teller tells nobody.
func (t *Turn) Begin(of turns.Turn) {
	if t == nil {
		return
	}
	t.sum = turn.NewResult(of.Tree)
	t.turn = event.Turn{Tree: of.Tree, Folder: t.a.Out.Clean(of.Dir), Model: of.Model, Phase: of.Phase, Mode: string(of.Mode)}
}

// Hear takes in one committed node of the turn, in the order of the record.
func (t *Turn) Hear(n tree.Node) {
	if t == nil {
		return
	}
	t.sum.Take(n)
	switch n.Kind {
	case string(talk.SayKind):
		s, _ := talk.SayKind.Of(n)
		t.turn.Said = t.short(s.Text)
	case string(talk.ExchangeKind):
		t.turn.Calls++
	case string(talk.NeedKind):
		need, _ := talk.NeedKind.Of(n)
		asks := t.turn
		asks.Tool, asks.Why, asks.Asks = need.Tool, t.short(need.Reason), t.asked(need)
		t.tell(event.Permit, n.ID, n.At, asks)
	case string(talk.ReplyKind):
		r, _ := talk.ReplyKind.Of(n)
		t.turn.State, t.turn.Reason, t.turn.Calls = string(r.State), t.short(r.Reason), r.Turns
		if t.turn.Phase == "executor" && r.State == talk.Done {
			t.tell(event.Executed, n.Parent, n.At, t.turn) // each event needs an id of its own
		}
		t.tell(event.TurnDone, n.ID, n.At, t.turn)
	}
}

// asked is what a person is asked, line by line.
func (t *Turn) asked(need talk.Need) (list []string) {
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

func (t *Turn) tell(name event.Name, id tree.ID, at time.Time, data event.Turn) {
	for _, u := range t.sum.Usage {
		data.Tokens.In += u.Input + u.CacheRead + u.CacheWrite
		data.Tokens.Out += u.Output
	}
	data.USD, data.Known, data.Changed, data.Denied = t.sum.USD, t.sum.Known, append([]string{}, t.sum.Changed...), len(t.sum.Denied)
	t.out.Tell(event.Event{Name: name, ID: string(id), At: at, Subject: data.Tree, Data: data})
}
