package talk

import (
	"context"
	"errors"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// execution is a run of a plan that the conversation waits for.
type execution struct {
	root    tree.ID
	lines   work.Teller
	outside *teller.Run
}

// hear reports what a node of the run means.
func (r *execution) hear(c *chat, n tree.Node) {
	if line := r.lines.Hear(n); line != "" {
		c.view.put("2", "  "+line)
	}
	r.outside.Hear(r.lines.Status, n, r.lines.Body)
}

// execute executes a plan and shows its progress. Ctrl-C stops it, and work resume continues it. Nodes recorded
// before are not reported again: the run may have begun in another terminal.
func (c *chat) execute(ctx context.Context, op engine.Op) error {
	root, err := c.e.Do(ctx, op)
	if err != nil {
		return planned(op, err)
	}
	outside, err := teller.NewRun(c.a.Call)
	if err != nil {
		return err
	}
	defer outside.Close(false)
	all, err := c.e.Tree(ctx, root)
	if err != nil {
		return err
	}
	c.run = &execution{root: root, outside: outside}
	defer func() { c.run = nil }()
	for _, n := range all {
		if n.Seq <= c.e.Recorded(root) {
			c.run.lines.Hear(n)
		}
	}
	run := &scene.Run{}
	c.view.begin(run)
	c.view.status("executing…")
	if err := c.follow(ctx, op, root, run); err != nil {
		return err
	}
	c.view.clear()
	if err := c.e.Wait(root); err != nil && !errors.Is(err, context.Canceled) {
		return planned(op, err)
	}
	for line := range strings.Lines(slash.Here(c.run.lines.End())) {
		c.view.put("", line)
	}
	return nil
}

// planned says why a run failed. A plan that is wrong has an exit code of its own.
func planned(op engine.Op, err error) error {
	if _, wrong := errors.AsType[*runs.Wrong](err); wrong {
		line := ""
		if exec, ok := op.(runs.Execute); ok {
			line = "/exec " + exec.Named
		}
		why := failure.Explain(slash.Ended(line, err))
		return failure.New(failure.ExitTasks, "plan", why.Message, why.Hint)
	}
	return err
}
