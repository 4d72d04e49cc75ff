package turns

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/tool"
)

// errUnasked refuses a program that would run without approval.
var errUnasked = errors.New("it would need approval")

// examined wraps a tool so that the project's own checks examine the files it changes. Their findings are part of the result.
func examined(w *turn, t tool.Tool) tool.Tool {
	if w.lib.wiring.Examine == nil || w.op.Bare || t.Effect != tool.Writes {
		return t
	}
	run := t.Run
	t.Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
		out, err := run(ctx, args, env)
		if err != nil || len(out.Wrote) == 0 {
			return out, err
		}
		found := w.lib.wiring.Examine(ctx, w.t.Dir, env.Session, out.Wrote, startUnasked(w, env.Session))
		// The change stays: the model is told the findings and may fix them.
		if found != "" {
			out.Text = strings.TrimRight(out.Text, "\n") + "\n" + found
			out.Show += "; checks found problems"
		}
		return out, nil
	}
	return t
}

// startUnasked starts a program without asking the person: it must run in a sandbox, rules and mode must allow it, and no text of
// strangers may be involved.
func startUnasked(w *turn, session *tool.Session) func(*exec.Cmd) (func() error, error) {
	return func(cmd *exec.Cmd) (func() error, error) {
		p := w.policy()
		if w.lib.wiring.Guard.Confine == nil || !p.Unasked(cmd) {
			return nil, errUnasked
		}
		w.steerWatch.Start(w.lib.wiring.Guard, p, consent.Unasked)
		return w.lib.wiring.Guard.Confine(p, session, nil, consent.Unasked, cmd)
	}
}
