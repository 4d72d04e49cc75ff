package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Advance continues a run from where it is through its remaining phases: it refines, analyzes, plans and executes, as
// far as the run's way includes that and it is not done. Nothing is done twice. A run that was paused or cancelled is
// resumed, which is recorded.
type Advance struct {
	Run string
	Way *way.Way // the phases from now on; nil: as before
	// Feedback repeats a phase that is done, with a person's comment on its result.
	Feedback string
	Model    string // model that repeats it; empty: as before
	found    bool   // it continues by itself, because its process died
	// Talk is the conversation that starts or resumes the run, by its first node. It is told how the run ends, whichever process ends it.
	Talk tree.ID
}

// Do implements engine.Op.
func (op Advance) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, before, err := l.Status(ctx, op.Run)
	if err != nil {
		return root, err
	}
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	// Once the job has started it owns the lock; until then an error releases it. An order to stop from now on takes effect: only an
	// earlier stop is resumed by this.
	if err := l.advance(ctx, op, root, s, before.Held(), unlock); err != nil {
		unlock()
		return root, err
	}
	return root, nil
}

func (l *Library) advance(ctx context.Context, op Advance, root tree.ID, s work.Status, resumes bool, unlock func()) error {
	seq, err := l.store.Version(ctx)
	if err != nil {
		return err
	}
	if op.Way != nil {
		if err := l.setWay(ctx, &s, *op.Way); err != nil {
			return err
		}
	}
	if s.Ahead() == "" && op.Feedback == "" {
		return refuseIdle(op, s)
	}
	nodes, err := l.store.Tree(ctx, root)
	if err == nil {
		err = l.store.Readable(nodes)
	}
	if err != nil {
		return err
	}
	if err := onward(ctx, l, op, root, s, resumes); err != nil {
		return err
	}
	start(ctx, l, root, seq, unlock, func(ctx context.Context, paused func() bool) error {
		return l.runPhases(ctx, root, op, paused)
	})
	return nil
}

// start starts the job that executes a run under a person's orders. It unlocks the run, and tells the conversations that started it.
func start(ctx context.Context, l *Library, root tree.ID, seq int64, unlock func(), execute func(ctx context.Context,
	paused func() bool) error) {
	l.core.Start(ctx, root, seq, func(ctx context.Context, _ *engine.Job) error {
		defer unlock()
		err := l.withOrders(ctx, root, seq, execute)
		if lost := tellTalks(context.WithoutCancel(ctx), l, root); err == nil {
			err = lost
		}
		return err
	})
}

// onward records that a run is resumed and its way from now on. What is refused is not recorded: it would change how the run continues.
func onward(ctx context.Context, l *Library, op Advance, root tree.ID, s work.Status, resumes bool) error {
	var news []tree.Node
	if op.Talk != "" && !slices.Contains(s.Talks, op.Talk) {
		news = append(news, way.TalkKind.New(root, "person", way.Talk{Root: op.Talk}))
	}
	if resumes {
		news = append(news, record.OrderKind.New(root, "person", record.Order{Verb: "resume"}))
	}
	if op.found {
		news = append(news, record.FoundKind.New(root, "code", record.Found{}))
	}
	if op.Way != nil {
		news = append(news, way.Kind.New(root, "person", s.Way))
	}
	if len(news) == 0 {
		return nil
	}
	_, err := l.store.Append(ctx, news...)
	return err
}

// refuseIdle refuses to continue a run if nothing that is still to do was asked for.
func refuseIdle(op Advance, s work.Status) error {
	next := map[way.Phase]way.Phase{"": way.Refine, way.Refine: way.Analyze, way.Analyze: way.Plan, way.Plan: way.Execute}[s.Behind()]
	r := &engine.Refusal{Message: "run " + op.Run + " has not started", Hint: "continue it: socrates " + string(next) + " " + op.Run}
	if op.Way != nil && s.Behind() == way.Plan {
		r.Message = "run " + op.Run + " already has a plan"
		r.Hint = "execute it: socrates execute " + op.Run + "; or change it: socrates work replan " + op.Run + ` "WHAT TO CHANGE"`
	}
	return r
}

// setWay changes the way of a run from now on. What a run began with stays. Settle fills in options that are left open,
// so that a resumed run does not depend on later settings.
func (l *Library) setWay(ctx context.Context, s *work.Status, w way.Way) error {
	if s.Begun != nil {
		return &engine.Refusal{Message: "run " + s.Frame.Run + " has already started",
			Hint: "continue it: socrates work resume " + s.Frame.Run}
	}
	for _, p := range w.Phases {
		if p != way.Execute {
			continue
		}
		if err := l.wiring.Settle(ctx, s.Frame.Dir, &w.Options, s.Plan.Tasks); err != nil {
			return err
		}
	}
	s.Way = w
	return nil
}

// Fits returns why a way does not work in a project: a model, seat or executor that does not exist, or cannot do its part. Nobody is asked
// anything, and nothing is recorded.
func (l *Library) Fits(ctx context.Context, dir string, w way.Way) (err error) {
	for _, p := range w.Phases {
		switch {
		case p == way.Execute:
			o := w.Options // a copy: it is settled again once the plan exists
			err = l.wiring.Settle(ctx, dir, &o, nil)
		case p == way.Analyze && !w.Single:
			_, err = l.wiring.Debate(ctx, dir, "How should this be done?", w)
		default:
			_, err = l.wiring.Model(ctx, w.Manner(p).Model)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runPhases runs one phase after the other; with feedback, it repeats the last one that is done. Each round reads the
// run again: a phase records what the next one begins with.
func (l *Library) runPhases(ctx context.Context, root tree.ID, op Advance, paused func() bool) error {
	for again := op.Feedback != ""; ; {
		nodes, err := l.store.Tree(ctx, root)
		if err != nil {
			return err
		}
		s, _ := work.Read(nodes)
		if s.Held() {
			return nil
		}
		if err := requireOwn(l, s, root); err != nil {
			return err
		}
		ph := &phase{Library: l, root: root, status: s, feedback: op.Feedback}
		if ph.budget, err = budgetOf(ctx, l, s, nodes); err != nil {
			return err
		}
		if op.Model != "" {
			ph.status.Way.Model = op.Model
		}
		next := s.Ahead()
		if again {
			next = s.Behind()
		}
		switch next {
		case way.Refine:
			err = ph.refine(ctx)
		case way.Analyze:
			err = ph.analyze(ctx)
		case way.Plan:
			err = ph.plan(ctx)
		case way.Execute:
			err = l.execute(ctx, root, s, ph, paused)
		default:
			return nil
		}
		if err != nil {
			return recordStop(ctx, l, root, next, err)
		}
		if again || next == way.Execute {
			return nil
		}
	}
}

// oneLine puts a reason that lists faults on separate lines onto one line.
var oneLine = strings.NewReplacer(":\n  ", ": ", "\n  ", "; ", "\n", " ").Replace

// recordStop records that a phase failed, and why, for people who are not watching.
func recordStop(ctx context.Context, l *Library, root tree.ID, p way.Phase, err error) error {
	// It was stopped from outside, which is not a failure of the phase.
	if context.Cause(ctx) != nil {
		return err
	}
	u, _ := errors.AsType[*Undecided](err)
	if p != way.Execute {
		err = fmt.Errorf("%s: %w", p, err)
	}
	stop := way.Stopped{Phase: p, Few: u != nil && u.Few, Why: oneLine(l.store.Clean(err.Error()))}
	_, aerr := l.store.Append(ctx, way.StopKind.New(root, "code", stop))
	if aerr != nil && !strings.Contains(err.Error(), aerr.Error()) { // a full disk is reported once
		return errors.Join(err, aerr)
	}
	return err
}

// execute executes the plan of a run, as far as possible.
func (l *Library) execute(ctx context.Context, root tree.ID, s work.Status, ph *phase, paused func() bool) error {
	if s.Planned == nil {
		return &engine.Refusal{Message: "run " + s.Frame.Run + " has no plan", Hint: "write one: socrates plan " + s.Frame.Run}
	}
	var space *workspace.Space
	if s.Begun == nil {
		text, err := l.store.Named(ctx, s.Planned.Text)
		if err != nil {
			return err
		}
		if _, _, err := l.read(ctx, s, text, s.Planned.By, s.Planned.Allow); err != nil {
			return err
		}
		if err := l.wiring.Settle(ctx, s.Frame.Dir, &s.Way.Options, s.Plan.Tasks); err != nil { // the plan may be newer than the way
			return err
		}
		o, m := s.Way.Options, s.Way.Manner(way.Execute)
		o.Timeout, o.Idle = m.Timeout, m.Idle
		if space, err = begin(ctx, l, root, s.Frame, o); err != nil {
			return err
		}
	} else {
		var err error
		if space, err = l.Space(ctx, s); err != nil {
			return err
		}
	}
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	return l.conduct(ctx, nodes, s.Way.Manner(way.Execute), space, ph.budget, paused)
}

// begin makes the folder of a run, then records that the run has started. In this order, because the next attempt
// removes a folder without a record, but a record without a folder could not be continued.
func begin(ctx context.Context, l *Library, root tree.ID, f record.Frame, o record.Options) (*workspace.Space, error) {
	folder, err := l.wiring.Folder()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(folder, f.Run)
	if err := scratch.RemoveAll(dir); err != nil { // the process that was creating it is gone, and nobody has worked in it
		return nil, err
	}
	space, base, err := workspace.Make(ctx, f.Dir, dir, o.Changes)
	if err != nil {
		return nil, &engine.Refusal{Message: err.Error(), Hint: "a run needs a git repository with a commit"}
	}
	if names := o.Setup.Unlike(ctx, space, base.Commit); len(names) > 0 {
		return nil, &engine.Refusal{Message: "the setup of workspaces runs " + strings.Join(names, ", ") +
			", which differs in the run's first commit from what you approved", Hint: "commit it, or start with --with-changes"}
	}
	if base.Lacks, err = space.Seed(ctx, f.Dir, o.Setup.Copy, base.Lacks); err != nil {
		return nil, err
	}
	_, err = l.store.Append(ctx, record.BeginKind.New(root, "person", record.Begun{Key: "begin", Options: o, Base: base, Space: dir}))
	return space, err
}

// lockRun locks a run and reads its state.
func (l *Library) lockRun(ctx context.Context, run string) (root tree.ID, s work.Status, unlock func(), err error) {
	if root, s, err = l.Status(ctx, run); err != nil {
		return root, s, nil, err
	}
	refused := &engine.Refusal{Message: "another process is executing run " + run, Hint: "see its progress: socrates work status " + run}
	if l.core.Ours("run-" + run) {
		refused.Message = "run " + run + " is being executed here"
	} else if by := l.By(run); by != "" {
		refused.Message += ": " + by
	}
	if unlock, err = l.core.Lock(ctx, "run-"+run, refused); err != nil {
		return root, s, nil, err
	}
	l.core.Sign("run-"+run, cmp.Or(l.wiring.Program, "socrates"))
	// Completing may itself record something; the second round reads it.
	for range 2 { // it may have continued in the meantime, and an interrupted acceptance is completed
		if root, s, err = l.Status(ctx, run); err == nil {
			err = finish(ctx, l, root, s)
		}
		if err != nil {
			unlock()
			return root, s, nil, err
		}
	}
	return root, s, unlock, nil
}
