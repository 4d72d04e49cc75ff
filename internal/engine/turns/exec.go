package turns

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Exec runs a command as an agent would, through the same tool and gate, and adds its output to the conversation as a
// handle. It starts a job; a refusal is the job's error.
type Exec struct {
	Tree, Command string
	Mode          permission.Mode // empty: as set
}

// Do implements engine.Op.
func (op Exec) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	i := slices.IndexFunc(l.wiring.Tools, func(t tool.Tool) bool { return t.Name == "bash" })
	if i < 0 || strings.TrimSpace(op.Command) == "" {
		return "", &engine.Refusal{Message: "no command given", Hint: "for example: socrates tree exec \"git status\""}
	}
	t, unlock, err := l.talks.Lock(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	w, err := l.manualTurn(ctx, t, op.Mode)
	if err != nil {
		unlock()
		return t.Root, err
	}
	l.mu.Lock()
	// A command does not change the conditions of the last turn.
	if d := l.state(t.Root); d.turn.Tree == "" {
		d.turn = Conditions{Tree: t.Name, Dir: t.Dir, Mode: w.mode}
	}
	l.mu.Unlock()
	l.core.Start(ctx, t.Root, w.seq, func(ctx context.Context, j *engine.Job) error {
		defer unlock()
		defer l.core.Feed.Done(w.said)
		running, cancel := stoppable(ctx, j)
		defer cancel(nil)
		return w.exec(running, l.wiring.Tools[i], op.Command)
	})
	return t.Root, nil
}

// manualTurn is what a person does in a conversation with the tools of an agent: the mode applies, but no phase. There
// is no agent, so it has no model, no budget and only the tools its caller runs.
func (l *Library) manualTurn(ctx context.Context, t conversation.Tree, mode permission.Mode) (*turn, error) {
	path, err := l.store.Path(ctx, t.Head)
	if err != nil {
		return nil, err
	}
	w := l.turn(Say{Tree: t.Name}, t)
	w.steerWatch, w.said, w.settings, w.began = l.steerWatchOf(t.Root), tree.NewID(), margin.Settings(path), time.Now()
	w.mode = cmp.Or(mode, permission.Mode(w.settings["mode"]), permission.Balanced)
	w.seq, err = l.store.Version(ctx)
	return w, err
}

// exec runs a command and records the result. If it was not allowed, there is an error and no output.
func (w *turn) exec(ctx context.Context, bash tool.Tool, command string) error {
	call := llm.Call{ID: "exec", Name: bash.Name}
	call.Args, _ = json.Marshal(map[string]string{"command": command})
	out, err := bash.Run(ctx, call.Args, w.env(call, bash))
	if refused, ok := asRefused(err); ok {
		return refused
	}
	if u, ok := errors.AsType[*Unkept](err); ok {
		return u
	}
	uncancelled := context.WithoutCancel(ctx)
	whole := cmp.Or(out.Whole, out.Text)
	if err != nil {
		whole = "[failed: " + cmp.Or(context.Cause(ctx), err).Error() + "]\n"
	}
	hash, perr := w.lib.store.PutBlob(uncancelled, whole)
	if perr != nil {
		return perr
	}
	n := material.HandleKind.New("", "person", material.Handle{URI: bash.Name + ":" + string(w.said) + "/" + call.ID,
		Title: strings.TrimSpace(command), Face: handle.Face(whole), SHA256: hash, Bytes: int64(len(whole)), Blob: hash})
	n.ID = w.said
	nodes := []tree.Node{n}
	if w.files.takeChanged() {
		nodes = append(nodes, w.files.after(uncancelled)...)
	}
	return errors.Join(w.add(uncancelled, nodes...), w.keepFetched(nil), w.checkSteering(uncancelled), interruption(ctx))
}

// interruption returns an error if a person, or the end of the program, interrupted what ran.
func interruption(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), context.Canceled)
}
