package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// execute executes a plan and reports its progress. A cancel stops it; work resume continues it. Nodes recorded
// before are not reported: a resumed run would repeat its past.
func (s *session) execute(now *answering, op engine.Op) error {
	root, err := s.Engine.Do(s.ctx, op)
	if err != nil {
		return err
	}
	all, err := s.Engine.Tree(s.ctx, root)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	defer close(over)
	stop := engine.Stop{Root: root}
	go s.stopped(now, stop, stop, over)
	c := execution{session: s}
	for _, n := range all {
		if n.Seq <= s.Engine.Recorded(root) {
			c.lines.Nodes = append(c.lines.Nodes, n)
		}
	}
	for n, err := range s.Engine.Watch(context.WithoutCancel(s.ctx), root, s.Engine.Recorded(root)) {
		if err != nil {
			return err
		}
		if n.Node != nil {
			c.hear(*n.Node)
		}
	}
	err = s.Engine.Wait(root)
	if errors.Is(err, context.Canceled) && now.cancelled() { // who stops a run does not want it to go on by itself
		_, err = s.Engine.Do(context.WithoutCancel(s.ctx), runs.Hold{Run: c.lines.Status.Frame.Run})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	s.say(slash.Here(c.lines.End()) + "\n")
	return nil
}

// execution is a run of a plan as shown to an editor: its lines as thoughts, its tasks as the plan.
type execution struct {
	*session
	lines work.Teller
	known string // the plan that the editor knows
}

// hear reports what one node of the run changes: a line, and the plan if it changed.
func (c *execution) hear(n tree.Node) {
	if line := c.lines.Hear(n); line != "" {
		c.think(line)
	}
	u := planUpdate{Kind: "plan", Entries: []planEntry{}}
	for _, t := range c.lines.Status.Tasks {
		status := "pending"
		switch t.State {
		case work.Working:
			status = "in_progress"
		case work.Done, work.Skipped:
			status = "completed"
		}
		u.Entries = append(u.Entries, planEntry{t.Title, "medium", status})
	}
	if now := fmt.Sprint(u); now != c.known && len(u.Entries) > 0 {
		c.known = now
		c.update(u)
	}
}
