package cmd

import (
	"context"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// conduct carries out an op that runs a room, shows how it goes, and tells its result.
func (a *app) conduct(ctx context.Context, e *engine.Engine, op engine.Op, d *debateFlags) error {
	rec, err := newRecorder(a, d.record)
	if err != nil {
		return err
	}
	defer rec.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hooks, err := a.newTeller("debate")
	if err != nil {
		return err
	}
	root, err := e.Do(ctx, op)
	if err != nil {
		return err
	}
	var stopped atomic.Int32 // exit code of the signal that stopped us
	told := debateTeller{teller: hooks, since: e.Recorded(root)}
	defer func() { told.close(stopped.Load() != 0) }()
	defer a.Signals(ctx, e, root, &stopped, "Ending the round and deciding now. Press ctrl-C again at once to stop without a decision and resume later.\n")()
	if err := a.follow(ctx, e, root, rec, told.hear); err != nil && stopped.Load() == 0 {
		return err
	}
	if err := e.Wait(root); err != nil {
		return a.Stopped(err, int(stopped.Load()))
	}
	res, err := e.Result(ctx, root)
	if err != nil {
		return err
	}
	if err := rec.finish(res); err != nil {
		return err
	}
	err = a.deliver(res, d)
	a.tellRevisit(ctx, e, res)
	if lost := a.writeADR(ctx, e, res); err == nil {
		err = lost
	} else if lost != nil {
		a.Out.Warn(failure.Explain(lost).Message)
	}
	return err
}

// follow shows the news of a room until its job has ended. heard is given every node; it may be nil.
func (a *app) follow(ctx context.Context, e *engine.Engine, root tree.ID, rec *recorder, heard func(tree.Node)) error {
	view := newProgress(a)
	defer view.done()
	defer a.listen(ctx, e, view)()
	text := texts(ctx, e)
	for n, err := range e.Watch(ctx, root, 0) {
		if err != nil {
			return err
		}
		if n.Snapshot != nil {
			view.snapshot(*n.Snapshot)
			if err := rec.preparing(root, *n.Snapshot); err != nil {
				return err
			}
			continue
		}
		if f, ok := debate.FrameKind.Of(*n.Node); ok {
			a.Out.Room = f.Room
			if err := rec.begin(f); err != nil {
				return err
			}
		}
		if err := rec.node(text, *n.Node); err != nil {
			return err
		}
		view.node(*n.Node)
		if heard != nil {
			heard(*n.Node)
		}
		if n.Node.Kind == string(debate.EndKind) && n.Node.Seq > e.Recorded(root) {
			return nil // a room that had ended before has no job whose end could be waited for
		}
	}
	return nil
}

// gateFlag adds what says how a decision that asks a person ends.
func (d *debateFlags) gateFlag(c *cobra.Command) {
	c.Flags().StringVar(&d.gate, "gate", "person", "exit code where a person must decide: person (12) or any (0, or 11 if a seat is lost)")
}

// deliver writes the result to stdout and wherever else it was asked for.
func (a *app) deliver(res debate.Result, d *debateFlags) error {
	if d.explain {
		a.Out.Tell(verdict.Explain(res.Ledger(), res.Rules) + "\n")
	}
	if d.gate == "any" && res.ExitCode == failure.ExitPerson {
		if res.ExitCode = failure.ExitOK; res.Outcome == verdict.Degraded {
			res.ExitCode = failure.ExitDegraded
		}
	}
	err := a.tell(res)
	if d.out == "" {
		return err
	}
	if lost := out.WriteFile(d.out, a.Out.Clean(res.Decision)); lost != nil { // what was asked for and paid is on stdout all the same
		return failure.New(failure.ExitFailed, "file", lost.Error(), "the decision is saved; export it with: socrates debate export "+res.Room+" --out FILE")
	}
	return err
}
