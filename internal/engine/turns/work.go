package turns

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tool"
)

// worked is the answer of a program that works in the project with its own tools. Each of its calls was let by the gate and is recorded
// like one of ours. What changed without a call is seen at the end: undo reverts it, too.
func (w *turn) worked(ctx context.Context) (llm.End, error) {
	kept := context.WithoutCancel(ctx)
	before, ok, err := w.files.snap(kept, "before")
	if err != nil {
		err = w.files.without(ctx, err)
	}
	if err != nil {
		return llm.End{}, err
	}
	w.lookout.Start(w.lib.wiring.Guard, w.policy(), consent.Unasked)
	end, err := w.finished(ctx)
	if !ok {
		return end, err
	}
	after, _, lost := w.files.snap(kept, "after")
	if lost != nil {
		return end, errors.Join(err, w.add(kept, unkept("cannot tell whether files changed: ", lost)))
	}
	was, _ := margin.SnapKind.Of(before)
	is, _ := margin.SnapKind.Of(after)
	// The state at the end is compared with the last one that a call of its own recorded: what is different came
	// without one: it is a step of its own.
	if w.files.known.Tree != "" {
		was = w.files.known
		was.Why = "before"
		before = margin.SnapKind.New("", "code", was)
	}
	if was.Tree != is.Tree {
		err = errors.Join(err, w.add(kept, before, after))
	}
	return end, err
}

// permits decides about a call of the program's own, as about one of ours. Nothing of it is seen while it runs, so that what is not known
// before is asked about.
func (w *turn) permits(ctx context.Context, c llm.Call) error {
	if !w.may(named(w.all(), c.Name)) {
		return fmt.Errorf("refused: %s is not available in the phase %s", c.Name, w.phase.Name)
	}
	gate := w.gate(c.ID)
	gate.Unseen = true
	if err := w.hooksPermit(ctx, gate, c); err != nil {
		return err
	}
	if p := w.policy(); len(p.Fetched) > 0 {
		w.fetching.mayCommit(w.t.Dir, c.Name, p)
	}
	acts := w.lib.wiring.Acts(w.t.Dir, c)
	if err := gate.Call(c.Name).Allow(ctx, acts...); err != nil {
		return err
	}
	// What it was let do is kept by the call, for the record of what came of it.
	w.deeds[c.ID] = acts
	w.publish("running", gistOf(c), "")
	return nil
}

// hooksPermit asks the hooks about a call of the program's own. It cannot be told other arguments.
func (w *turn) hooksPermit(ctx context.Context, gate *permission.Gate, c llm.Call) error {
	before, err := w.added.extension.Hooks.Before(ctx, hook.Call{Tool: c.Name, Args: c.Args})
	if err == nil {
		err = w.added.warn(ctx, before.Warnings)
	}
	switch {
	case err != nil:
		return err
	case before.Decision == hook.Deny:
		return fmt.Errorf("refused by the hook %s: %s", before.By, before.Reason)
	case before.Args != nil:
		return fmt.Errorf("refused: a hook wants other arguments: %s", before.Args)
	case before.Decision == hook.Ask:
		return gate.Insist(ctx, c.Name, c.Name+" "+string(c.Args),
			fmt.Sprintf("the hook %s requires approval: %s", before.By, before.Reason))
	}
	return nil
}

// recordDeed records what a call of the program's own came to, and the state of the files if it may have changed them. said is what
// the model said before it.
func (w *turn) recordDeed(ctx context.Context, d llm.Delta, said string, begun time.Time) error {
	kept := context.WithoutCancel(ctx)
	call, result := *d.Call, *d.Result
	s := talk.Show{Call: call.ID, Line: gistOf(call), MS: time.Since(begun).Milliseconds(), Failed: result.Failed}
	if result.Failed {
		s.Line = call.Name + ": " + strings.Join(strings.Fields(clean.Line(handle.Face(result.Text))), " ")
	}
	var derived []string
	for _, a := range w.deeds[call.ID] {
		if rel, err := filepath.Rel(w.t.Dir, a.Path); err == nil && a.Effect == tool.Writes && !result.Failed {
			s.Wrote, s.Diff = append(s.Wrote, filepath.ToSlash(rel)), s.Diff+a.Text
			derived = append(derived, a.Path)
		}
	}
	if !w.strangers() {
		derived = nil
	}
	if w.brought.Load() {
		w.saw()
	}
	x := talk.Exchange{Model: w.model.Info().ID, MS: s.MS, Shows: []talk.Show{s}}
	// A long output is a text of its own; the exchange shows its face.
	if face := handle.Face(result.Text); face != result.Text {
		hash, err := w.lib.store.PutBlob(kept, result.Text)
		if err != nil {
			return err
		}
		x.Whole, result.Text = map[string]string{call.ID: hash}, face
	}
	parts := []llm.Part{call}
	if said != "" {
		parts = []llm.Part{llm.Text{Text: said}, call}
	}
	x.Messages = []llm.Message{{Role: llm.Assistant, Parts: parts}, {Role: llm.User, Parts: []llm.Part{result}}}
	if err := w.exchanged(kept, x, derived); err != nil {
		return err
	}
	if w.did++; w.did >= toolCalls {
		return &trouble.Error{Kind: trouble.Refused, Message: "tool-call limit reached"}
	}
	return nil
}
