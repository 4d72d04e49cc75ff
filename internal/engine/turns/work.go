package turns

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
)

// answerInProject runs a program that works in the project with its own tools, and returns its answer. The gate allows each of its calls,
// which is recorded like one of ours. Changes made without a call are found at the end, as a step of their own: undo reverts them, too.
func (w *turn) answerInProject(ctx context.Context) (llm.End, error) {
	before, ok, err := w.files.snapOrGoOn(ctx)
	if err != nil {
		return llm.End{}, err
	}
	w.steerWatch.Start(w.lib.wiring.Guard, w.policy(), consent.Unasked)
	end, err := w.answerWithHooks(ctx)
	if !ok {
		return end, err
	}
	if _, failed := w.files.recordChanges(context.WithoutCancel(ctx), before); failed != nil {
		err = errors.Join(err, failed)
	}
	return end, err
}

// allowCall decides about a call of the program, as about one of ours. Nothing of it is seen while it runs, so what is not known in
// advance needs approval.
func (w *turn) allowCall(ctx context.Context, c llm.Call) error {
	if !w.mayUse(toolNamed(w.allTools(), c.Name)) {
		return fmt.Errorf("refused: %s is not available in the phase %s", c.Name, w.phase.Name)
	}
	// It is on disk before it may begin, like a call of ours: whoever continues after a crash must know of it.
	answer := llm.Message{Role: llm.Assistant, Parts: []llm.Part{c}}
	if said := w.saying.String(); said != "" && len(w.open) == 0 {
		answer.Parts = []llm.Part{llm.Text{Text: said}, c}
	}
	if err := w.recordAnswer(ctx, llm.End{Message: answer}, time.Now()); err != nil {
		return err
	}
	own := &ownCall{Call: c, at: time.Now()}
	w.open = append(w.open, own)
	gate := w.gate(c.ID)
	gate.Unseen = true
	if _, err := w.added.askHooks(ctx, gate, hook.Call{Tool: c.Name, Args: c.Args}, false); err != nil {
		return err
	}
	if p := w.policy(); len(p.Fetched) > 0 {
		w.fetching.mayCommit(w.t.Dir, c.Name, p)
	}
	acts := w.lib.wiring.Acts(w.t.Dir, c)
	if err := gate.Call(c.Name).Allow(ctx, acts...); err != nil {
		return err
	}
	own.acts, own.begun, own.at = acts, true, time.Now()
	w.publish("running", gistOf(c), w.saying.String())
	return nil
}

// ownCall is a program's own call, with the acts that were allowed.
type ownCall struct {
	llm.Call
	begun bool // it was allowed
	acts  []tool.Act
	at    time.Time
}

// recordCutOff records the open calls of an interrupted turn of the program: as not begun, or as cut off at an unknown point. The
// model's text before them belongs to the first of them, and is returned if there is none.
func recordCutOff(ctx context.Context, w *turn, why error, said string) (partial string, err error) {
	if cause := context.Cause(ctx); cause != nil {
		why = cause
	}
	_, reason, _ := classify(why)
	for len(w.open) > 0 && err == nil {
		c := w.open[0]
		r := llm.Result{ID: c.ID, Name: c.Name, Failed: true, Text: reason + " before it began"}
		if c.begun {
			r.Text = reason + ": how far it got is not known, so look before you repeat it"
		}
		err = w.recordOwnCall(ctx, llm.Delta{Call: &c.Call, Result: &r}, said, c.at)
		said = ""
	}
	return said, err
}

// recordOwnCall records the result of a program's own call, and the state of the files if it may have changed them. said is the model's
// text before it.
func (w *turn) recordOwnCall(ctx context.Context, d llm.Delta, said string, begun time.Time) error {
	uncancelled := context.WithoutCancel(ctx)
	call, result := *d.Call, *d.Result
	s := talk.Show{Call: call.ID, Line: gistOf(call), MS: time.Since(begun).Milliseconds(), Failed: result.Failed}
	if result.Failed {
		s.Line = call.Name + ": " + strings.Join(strings.Fields(clean.Line(handle.Face(result.Text))), " ")
	}
	var derived []string
	var acts []tool.Act
	if i := slices.IndexFunc(w.open, func(o *ownCall) bool { return o.ID == call.ID }); i >= 0 {
		acts = w.open[i].acts
		w.open = slices.Delete(w.open, i, i+1)
	}
	for _, a := range acts {
		if rel, err := filepath.Rel(w.t.Dir, a.Path); err == nil && a.Effect == tool.Writes && !result.Failed {
			s.Wrote, s.Diff = append(s.Wrote, filepath.ToSlash(rel)), s.Diff+a.Text
			derived = append(derived, a.Path)
		}
	}
	if !w.isTainted() {
		derived = nil
	}
	if w.broughtUntrusted.Load() {
		w.taint()
	}
	x := talk.Exchange{Model: w.model.Info().ID, MS: s.MS, Shows: []talk.Show{s}}
	// A long output is stored as a text of its own; the exchange has its short form.
	if face := handle.Face(result.Text); face != result.Text {
		hash, err := w.lib.store.PutBlob(uncancelled, result.Text)
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
	if err := w.addExchange(uncancelled, x, derived); err != nil {
		return err
	}
	if w.ownCalls++; w.ownCalls >= toolCalls {
		return &trouble.Error{Kind: trouble.Refused, Message: "tool-call limit reached"}
	}
	return nil
}
