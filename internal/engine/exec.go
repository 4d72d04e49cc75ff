package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Exec runs a command as an agent would, through the same tool and gate, and puts its output into the conversation as a
// handle. It starts a job, which ends with the error of a refusal.
type Exec struct {
	Tree, Command string
	Mode          permission.Mode // empty: as set
}

func (op Exec) do(ctx context.Context, e *Engine) (tree.ID, error) {
	i := slices.IndexFunc(e.wiring.Work.Tools, func(t tool.Tool) bool { return t.Name == "bash" })
	if i < 0 || strings.TrimSpace(op.Command) == "" {
		return "", &Refusal{Message: "no command given", Hint: "for example: socrates tree exec \"git status\""}
	}
	t, unlock, err := e.holdTree(ctx, op.Tree)
	if err != nil {
		return t.Root, err
	}
	w, err := e.hands(ctx, t, op.Mode)
	if err != nil {
		unlock()
		return t.Root, err
	}
	e.mu.Lock()
	if d := e.desk(t.Root); d.turn.Tree == "" {
		d.turn = Turn{Tree: t.Name, Dir: t.Dir, Mode: w.mode}
	}
	e.mu.Unlock()
	e.start(ctx, t.Root, w.seq, func(ctx context.Context, j *job) error {
		defer unlock()
		defer e.feed.Done(w.said)
		running, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stop := context.AfterFunc(asContext(j.stop, running), func() { cancel(errPerson) })
		defer stop()
		return w.exec(running, e.wiring.Work.Tools[i], op.Command)
	})
	return t.Root, nil
}

// hands is what a person does in a conversation with the tools of an agent: no phase holds, the mode does.
func (e *Engine) hands(ctx context.Context, t Tree, mode permission.Mode) (*turn, error) {
	path, err := e.store.Path(ctx, t.Head)
	if err != nil {
		return nil, err
	}
	w := &turn{e: e, op: Say{Tree: t.Name}, t: t, at: t.Head, lookout: e.lookoutOf(t.Root), said: tree.NewID(), set: talk.Settings(path), began: time.Now()}
	w.mode = cmp.Or(mode, permission.Mode(w.set["mode"]), permission.Balanced)
	w.seq, err = e.store.Version(ctx)
	return w, err
}

// exec runs a command and records what came of it. What was not allowed is an error and no output.
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
	kept := context.WithoutCancel(ctx)
	whole := cmp.Or(out.Whole, out.Text)
	if err != nil {
		whole = "[failed: " + cmp.Or(context.Cause(ctx), err).Error() + "]\n"
	}
	hash, perr := w.e.store.PutBlob(kept, whole)
	if perr != nil {
		return perr
	}
	n := talk.HandleKind.New("", "person", talk.Handle{URI: bash.Name + ":" + string(w.said) + "/" + call.ID, Title: strings.TrimSpace(command),
		Face: handle.Face(whole), SHA256: hash, Bytes: int64(len(whole)), Blob: hash})
	n.ID = w.said
	nodes := []tree.Node{n}
	if w.changed {
		nodes = append(nodes, w.after(kept)...)
	}
	return errors.Join(w.add(kept, nodes...), w.fetched(nil), w.steered(kept), broken(ctx))
}

// broken is an error if a person, or the end of the program, broke off what ran.
func broken(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), context.Canceled)
}
