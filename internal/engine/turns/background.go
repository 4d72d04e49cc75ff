package turns

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Background sends the command that runs in a conversation of this process to the background: its call ends, and the
// model reads further output as for any other job. It is refused if no command here can continue without its call.
type Background struct{ Tree string }

// Do implements engine.Op.
func (op Background) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	t, err := l.talks.Open(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	if !tool.BackgroundOf(l.session(t.Root)).Send() {
		return "", &engine.Refusal{Message: "no running command can be moved to the background",
			Hint: "a program's own tools cannot be moved"}
	}
	return t.Root, nil
}

// Jobs returns the background commands of a conversation in this process, including those that have ended. Programs that act as the model
// keep their jobs to themselves.
func (l *Library) Jobs(root tree.ID) []tool.Job {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d, ok := l.states[root]; ok {
		return tool.BackgroundOf(d.session).Jobs()
	}
	return nil
}
