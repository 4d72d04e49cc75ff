package runs

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// passHooks shows hooks the text going into a phase, or coming out of it, and returns the text they make of it. Their result is recorded,
// so that a resumed run tells its agents the same.
func passHooks(ctx context.Context, l *Library, root tree.ID, f record.Frame, p way.Phase, in bool, text string) (string, error) {
	if l.wiring.Hooks == nil || text == "" {
		return text, nil
	}
	set, err := l.wiring.Hooks(f.Dir, f.Run)
	if err != nil {
		return "", err
	}
	event := map[bool]hook.Event{true: hook.PhaseStart, false: hook.PhaseEnd}[in]
	if !set.Wants(event) {
		return text, nil
	}
	was, err := l.store.PutBlob(ctx, text)
	if err != nil {
		return "", err
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return "", err
	}
	for _, before := range way.PassKind.All(nodes) {
		if before.Phase == p && before.In == in && before.Was == was {
			return l.store.Named(ctx, before.Text)
		}
	}
	a, err := set.Rewrite(ctx, event, string(p), text)
	if err != nil {
		return "", err
	}
	if a.Decision == hook.Deny {
		return "", &engine.Refusal{Message: "refused by the hook " + a.By + ": " + a.Reason,
			Hint: "continue it: socrates work resume " + f.Run}
	}
	passed := way.Passed{Phase: p, In: in, Was: was, Warnings: a.Warnings}
	if passed.Text, err = l.store.PutBlob(ctx, a.Text); err != nil {
		return "", err
	}
	_, err = l.store.Append(ctx, way.PassKind.New(root, "code", passed))
	return a.Text, err
}
