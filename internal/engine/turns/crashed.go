package turns

import (
	"cmp"
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// crashedCall returns the model that was asked at the end of a path, and the usage of the call whose end is not known.
// The usage is estimated from the request that must have been made.
func (w *turn) crashedCall(ctx context.Context, path []tree.Node) (model string, took cost.Usage) {
	set, info := margin.Settings(path), llm.Info{}
	if p, err := w.lib.wiring.Phase(w.t.Dir, cmp.Or(set["phase"], "chat")); err == nil {
		if m, err := w.lib.answeringModel(ctx, w.t.Root, w.lib.wiring.answeringSpec(set["model"], p)); err == nil {
			info = m.Info()
		}
	}
	req := llm.Request{Messages: view.Messages(path)}
	if briefs := talk.BriefKind.All(path); len(briefs) > 0 {
		req.System, _ = w.lib.store.Blob(ctx, briefs[len(briefs)-1].Text) // a lost one is not counted
	}
	return cmp.Or(info.ID, set["model"]), meter.Unfinished(info, req)
}

// Settle ends the last turn of a conversation if a crash interrupted it, for readers of the conversation before it continues.
// It is refused while a process is working on the conversation.
type Settle struct{ Tree string }

// Do implements engine.Op.
func (op Settle) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, unlock, err := l.talks.Lock(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	defer unlock()
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return t.Root, err
	}
	return t.Root, l.turn(Say{}, t).endCrashedTurn(ctx, path)
}

// endCrashedTurn records the end of a turn that a crash interrupted, so that the path has no open end. A complete answer
// is kept; calls without a result are recorded as cut off.
func (w *turn) endCrashedTurn(ctx context.Context, path []tree.Node) error {
	called, begun, crashed := cutOff(path)
	if !crashed {
		return nil
	}
	r, asked := talk.Reply{State: talk.Interrupted, Reason: "Socrates exited before there was an answer",
		Model: margin.Settings(path)["model"]}, true
	var nodes []tree.Node
	for _, n := range called {
		c, _ := talk.CalledKind.Of(n)
		if len(c.Message.Calls()) == 0 {
			r.Message, r.Answers, r.Usage, r.Reason = c.Message, c.Model, c.Usage, "Socrates exited before the turn ended"
			return w.add(ctx, append(nodes, talk.ReplyKind.New("", n.By, r))...)
		}
		nodes = append(nodes, talk.ExchangeKind.New("", n.By, c.Unfinished(begun)))
		asked = c.ByItself()
	}
	if asked {
		r.Answers, r.Usage = w.crashedCall(ctx, path)
	}
	return w.add(ctx, append(nodes, talk.ReplyKind.New("", "code", r))...)
}

// cutOff finds what the last turn of a path left open, if it has no end: answers without results, in their order, and the calls
// that were allowed to begin. A decision about a call is recorded before it changes anything; a task's work is on its own branch.
func cutOff(path []tree.Node) (called []tree.Node, begun map[string]bool, crashed bool) {
	done := map[string]int{} // number of recorded results, by the ids of their calls
	begun = map[string]bool{}
	for _, n := range slices.Backward(path) {
		if c, ok := talk.CalledKind.Of(n); ok {
			calls := c.Message.Calls()
			if len(calls) == 0 && !crashed || len(calls) > 0 && done[calls[0].ID] == 0 {
				called = append(called, n)
			}
			for _, call := range calls {
				done[call.ID]--
				begun[call.ID] = begun[call.ID] || call.Name == "task"
			}
			crashed = true
		} else if j, ok := talk.JudgeKind.Of(n); ok {
			begun[j.Call] = begun[j.Call] || j.Let()
		} else if x, ok := talk.ExchangeKind.Of(n); ok {
			for _, m := range x.Messages {
				for _, c := range m.Calls() {
					done[c.ID]++
				}
			}
			crashed = true
		} else if said, ok := talk.SayKind.Of(n); ok && said.Interjection != "" {
			crashed = true
		} else if ok || n.Kind == string(talk.ReplyKind) || n.Kind == string(talk.RootKind) {
			slices.Reverse(called)
			return called, begun, crashed || ok
		}
	}
	return nil, nil, false
}
