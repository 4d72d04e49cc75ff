package turns

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// base is the system prompt that a conversation began with. It stays the same, with the listed tools, whatever phase and mode follow:
// vendors cache the beginning of requests, and some refuse reasoning that followed another beginning.
type base struct{ talk.Brief }

// baseOf finds the base of a path; nil: there is none yet, or it is of the other kind.
func baseOf(path []tree.Node, bare bool) *base {
	for _, n := range slices.Backward(path) {
		if b, ok := talk.BriefKind.Of(n); ok {
			// A bare turn must not see what the project asks for, nor the other way round: it starts over.
			if b.Bare != bare {
				return nil
			}
			return &base{b}
		}
	}
	return nil
}

// offers reports whether the listed tools contain all that a turn may use.
func (b *base) offers(w *turn) bool {
	return !slices.ContainsFunc(w.allTools(), func(one tool.Tool) bool { return w.mayUse(one) && !one.In(b.Tools) })
}

// allTools returns all tools that exist.
func (w *turn) allTools() []tool.Tool {
	return append(slices.Clip(w.lib.wiring.Tools), w.added.extension.Tools...)
}

// mayUse reports whether phase and person allow a turn to use a tool. This decides, not the list of tools that the model sees: see base.
func (w *turn) mayUse(t tool.Tool) bool { return w.phase.Allows(t) && t.In(w.op.Only) }

// toolNamed returns the tool of a name; for an unknown name, a tool without an effect.
func toolNamed(all []tool.Tool, name string) tool.Tool {
	if i := slices.IndexFunc(all, func(t tool.Tool) bool { return t.Name == name }); i >= 0 {
		return all[i]
	}
	return tool.Tool{Spec: llm.Spec{Name: name}}
}

// offerTools lists the tools and uses the current system prompt, or has one written. Tools that this turn may not use stay listed and are
// refused.
func (w *turn) offerTools(ctx context.Context, b *base) error {
	list := w.op.Only
	if b != nil {
		list = b.Tools
	}
	var offered []tool.Tool
	for _, one := range w.allTools() {
		if !one.In(list) {
			continue
		}
		if offered = append(offered, one); !w.mayUse(one) {
			one = withheld(w, one)
		}
		w.tools = append(w.tools, w.hooked(examined(w, permission.Guarded(one, w.policy))))
	}
	// The text about phase and mode comes after the beginning, which stays.
	if b == nil || b.Phase != w.phase.Name || b.Mode != string(w.mode) {
		return w.brief(ctx, b, offered)
	}
	var err error
	w.shared = b.Shared
	w.system, err = w.lib.store.Named(ctx, b.Text)
	return err
}

// withheld returns the tool with a Run that refuses it in this phase.
func withheld(w *turn, t tool.Tool) tool.Tool {
	t.Run = func(context.Context, json.RawMessage, tool.Env) (tool.Output, error) {
		var others []string
		for _, one := range w.allTools() {
			if w.mayUse(one) {
				others = append(others, one.Name)
			}
		}
		return tool.Output{}, fmt.Errorf("refused: %s is not available here; the phase %s uses %s",
			t.Name, w.phase.Name, strings.Join(others, ", "))
	}
	return t
}

// brief writes the system prompt of a conversation or, if it has one, the text about the phase and mode from here on. The node is not
// added yet: it is recorded together with the message.
func (w *turn) brief(ctx context.Context, b *base, tools []tool.Tool) error {
	text, notes, err := w.lib.wiring.Brief(ctx, w.t.Dir, w.phase, w.mode, tools, w.op.Bare)
	if err != nil {
		return err
	}
	if w.readsOnly {
		notes = append(notes, w.spec+" is read-only: it can answer, plan and review, but changes no files in any mode: "+
			w.model.Info().OnlyReads()+"; for edits choose another model (socrates seats)")
	}
	now := talk.Brief{Phase: w.phase.Name, Mode: string(w.mode), Bare: w.op.Bare, Notes: notes, Tools: w.op.Only, Shared: len(text.Shared)}
	if b == nil {
		w.system = text.String()
		now.Text, err = w.lib.store.PutBlob(ctx, w.system)
	} else {
		now.Text, now.Tools, now.Shared = b.Text, b.Tools, b.Shared
		if now.Told = text.Mode; b.Phase != w.phase.Name {
			now.Told = text.Phase + text.Mode
		}
		now.Told = "[From here on, this replaces what was said about phase and mode]\n" + now.Told
		w.system, err = w.lib.store.Named(ctx, b.Text)
	}
	w.shared = now.Shared
	n := talk.BriefKind.New("", "code", now)
	w.newBrief = &n
	return err
}
