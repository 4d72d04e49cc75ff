package turns

import (
	"cmp"
	"context"
	"time"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recordExchange records an exchange, and the state of the files if a call may have changed them.
func (w *turn) recordExchange(ctx context.Context, step agent.Step, begun time.Time) error {
	uncancelled := context.WithoutCancel(ctx)
	derived := w.derivedFiles(step.Ran)
	// After the exchange: the next request then counts as having seen strangers' text, but this exchange's own calls do not.
	if w.broughtUntrusted.Load() { // all calls have ended
		w.taint()
	}
	messages, err := w.lib.storeAttachments(uncancelled, step.Exchange)
	if err != nil {
		return err
	}
	x := talk.Exchange{Messages: messages, Model: w.model.Info().ID, Usage: w.lastUsage, MS: time.Since(begun).Milliseconds()}
	for _, ran := range step.Ran {
		s := talk.Show{Call: ran.Call.ID, Line: ran.Output.Show, Diff: ran.Output.Diff, Wrote: ran.Output.Wrote,
			MS: ran.Took.Milliseconds(), Failed: ran.Err != nil}
		if ran.Err != nil {
			s.Line = ran.Call.Name + ": " + ran.Err.Error()
		}
		x.Shows = append(x.Shows, s)
		if ran.Output.Whole != "" {
			hash, err := w.lib.store.PutBlob(uncancelled, ran.Output.Whole)
			if err != nil {
				return err
			}
			if x.Whole == nil {
				x.Whole = map[string]string{}
			}
			x.Whole[ran.Call.ID] = hash
		}
	}
	return w.addExchange(uncancelled, x, derived)
}

// addExchange adds an exchange, and the state of the files if a call may have changed them. derived are files that may contain what
// strangers wrote.
func (w *turn) addExchange(uncancelled context.Context, x talk.Exchange, derived []string) error {
	nodes := []tree.Node{talk.ExchangeKind.New("", w.model.Info().ID, x)}
	if w.files.takeChanged() {
		nodes = append(nodes, w.files.after(uncancelled)...)
	}
	if err := w.add(uncancelled, nodes...); err != nil {
		return err
	}
	if err := w.keepFetched(derived); err != nil {
		return err
	}
	return w.checkSteering(uncancelled)
}

// env is the environment of a call, and what decides about it. It is made for one call of one tool; its gate records
// under the call's id. A task has its own session and asks through the person's turn.
func (w *turn) env(c llm.Call, one tool.Tool) tool.Env {
	gate := w.gate(c.ID)
	env := tool.Env{Dir: w.t.Dir, Call: c.ID, Inner: w.lib.wiring.inner(w.t.Dir), Session: cmp.Or(w.taskSession, w.lib.session(w.t.Root)),
		Script: &tool.Session{}, Keep: w.keep, Vars: w.op.Env,
		Out: func(text string) { w.publish(feed.Printing, gistOf(c), text) }}
	env.Waited = func() time.Duration { return time.Duration(w.waited.Load()) }
	// Without a person there is no Ask, and tools must do without.
	if w.lib.wiring.Attended {
		env.Ask = topTurn(w).question
	}
	env.Task = func(ctx context.Context, t tool.Task) (tool.Output, error) { return runTask(ctx, w, c.ID, t) }
	if folder := w.lib.wiring.SkillFolder; folder != nil {
		env.SkillFolder = func(ctx context.Context, file string) (string, bool) { return folder(ctx, w.t.Dir, file) }
	}
	p := w.policy()
	env.Hides, env.Held = p.Hides(), p.Confined
	if len(p.Fetched)+len(p.Abroad) > 0 {
		env.Outside = p.FromOutside
	}
	if len(p.Fetched) > 0 {
		w.fetching.mayCommit(w.t.Dir, one.Name, p)
	}
	pass := gate.Call(one.Name)
	env.Allow = pass.Allow
	if w.lib.wiring.Guard.Confine != nil {
		env.Start = w.confined(pass, env.Session, env.Script)
	}
	return env
}

// policy returns the current policy. It is computed for each call, because persons grant and change rules while a turn runs.
func (w *turn) policy() permission.Policy {
	p, err := w.lib.wiring.Guard.Policy(w.t.Dir, w.mode)
	if err != nil { // rules that cannot be read allow nothing
		return permission.Policy{Mode: permission.Plan}
	}
	for _, g := range w.lib.SessionGrants(w.t.Root) {
		p.Grants = append(p.Grants, g.Grant)
	}
	p.Only, p.Tainted = w.phase.Writes, w.isTainted()
	mode := permission.Mode(cmp.Or(w.settings["mode"], string(permission.Balanced)))
	if mode == permission.Balanced || mode == permission.Yolo {
		for _, glob := range w.phase.Writes { // the phase is stricter than the person's mode, except for the files it exists to write
			p.Rules = append(p.Rules, permission.Rule{Verdict: permission.Allow, Tool: "write", Pattern: glob})
		}
	}
	return p
}
