package turns

import (
	"cmp"
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Prompt is what a model is shown at a node. It is computed from the record and asks nobody. Tools are those the phase
// allows; hooks and servers may add some in a turn.
type Prompt struct {
	Node     tree.ID       `json:"node"`
	Model    string        `json:"model,omitempty"`
	Phase    string        `json:"phase"`
	Mode     string        `json:"mode"`
	System   string        `json:"system"` // empty: it is written when the next turn begins
	Tools    []string      `json:"tools"`
	Messages []llm.Message `json:"messages"`
	Tokens   int           `json:"tokens"` // estimated as a quarter of the bytes, including those of the tools
	Summed   int           `json:"summed"` // nodes that a summary replaces
}

// Prompt computes what a model is shown at a node.
func (l *Library) Prompt(ctx context.Context, t conversation.Tree, at tree.ID) (Prompt, error) {
	path, err := l.store.Path(ctx, at)
	if err != nil {
		return Prompt{}, err
	}
	set := margin.Settings(path)
	s := Prompt{Node: at, Model: set["model"], Phase: cmp.Or(set["phase"], "chat"), Mode: set["mode"], Tools: []string{},
		Messages: view.Messages(path)}
	for _, n := range slices.Backward(path) {
		if b, ok := talk.BriefKind.Of(n); ok {
			if s.System, err = l.store.Named(ctx, b.Text); err != nil {
				return s, err
			}
			s.Mode = cmp.Or(s.Mode, b.Mode)
			break
		}
	}
	if more := view.System(path); more != "" {
		if s.System != "" {
			s.System += "\n\n"
		}
		s.System += more
	}
	p, err := l.wiring.Phase(t.Dir, s.Phase)
	if err != nil {
		return s, err
	}
	s.Model = l.wiring.answeringSpec(s.Model, p)
	bytes := len(s.System) + bytesOf(s.Messages)
	for _, one := range l.wiring.Tools {
		if p.Allows(one) {
			s.Tools = append(s.Tools, one.Name)
			bytes += len(one.Name) + len(one.Doc) + len(one.Described().Schema)
		}
	}
	s.Tokens = bytes / 4
	for _, sum := range material.SummaryKind.All(path) {
		from := slices.IndexFunc(path, func(n tree.Node) bool { return n.ID == sum.From })
		to := slices.IndexFunc(path, func(n tree.Node) bool { return n.ID == sum.To })
		s.Summed = max(s.Summed, to-from+1)
	}
	return s, nil
}
