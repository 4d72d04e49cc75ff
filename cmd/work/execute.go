package work

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// newExecute returns the command execute. It exits with 0 once every step is merged, 9 if one failed or the plan is
// invalid, 12 if one waits for a person, 130 if it was stopped; the run's branch then has what was merged so far.
func newExecute(a *commands) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{Use: "execute [RUN | plan.md | -]", Short: "Execute a plan: each step proved, then merged",
		Long: `An agent does each step of the plan in its own clone. When the agent stops, code takes the files as
they are and runs the step's checks and those of --check in a clean clone: first at the commit
before the step, then with the change. A failure goes back to the agent. A step that changes files
it does not name, or that deletes, skips or weakens tests, waits for your approval. Proved steps
are merged as they finish; each merge is checked before it lands.

The project does not change until you run socrates work accept. Continue a run that was stopped or
killed with socrates work resume. Settings are frozen when a run begins.

Without a name, the most recent plan not yet started is executed. With --from DEBATE or --from
TREE:NODE, a plan is written first. The smallest plan.md:

  # Plan: Repair add
  ## Steps
  ### 1. Make add add
  - files: add.sh (change)
  - do: Make add in add.sh return the sum.
  - check: ` + "`sh test.sh`" + `

docs/work.md describes the form in full.`,
		Example: `  socrates execute plan.md --check "go test ./..."
  socrates execute --executor anthropic:mid --executor openai:big --parallel 4
  socrates execute --from retry-or-not-1a2b --allow-check "go test ./..."
  socrates execute --dry-run plan.md`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.complete,
		RunE: func(c *cobra.Command, args []string) error { return a.execute(c.Context(), f, args) }}
	s := c.Flags()
	s.StringVar(&f.name, "name", "", "`name` of the run")
	s.StringVar(&f.from, "from", "", "plan and execute this `debate`, run or conversation node (TREE:NODE)")
	f.one(c, "plans, with --from")
	f.proofs(c)
	f.execution(c)
	f.limits(c)
	f.request.flags(c)
	s.BoolVar(&f.dry, "dry-run", false, "show order and schedule, start nothing")
	return c
}

// --seat would be ignored without --from, so it is refused there.
func (a *commands) execute(ctx context.Context, f *flags, args []string) error {
	if err := cmp.Or(f.sound(way.Execute), f.request.sound()); err != nil {
		return err
	}
	if err := usual(a, f); err != nil {
		return err
	}
	if f.from == "" && len(f.seats) > 0 {
		return failure.Usage("--seat names the model that plans, but the plan is already written",
			"choose who does the steps with --executor")
	}
	if f.from != "" && len(args) > 0 {
		return failure.Usage("--from and an argument both name what to execute", "use one of them")
	}
	ctx, end := a.Ended(ctx)
	defer end()
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	run, s, err := a.chosen(ctx, e, f, args)
	if err != nil {
		return err
	}
	if f.dry {
		settings := foreseenSettings(f.way)
		return a.schedule(s.Plan, f.way.Options.Parallel, &settings)
	}
	return a.conduct(ctx, e, runs.Advance{Run: run, Way: &f.way}, &f.request)
}

// chosen returns the run to execute: an existing one, or one made of a text, a debate or a node. A dry run stores
// nothing, and its status has the plan alone.
func (a *commands) chosen(ctx context.Context, e *engine.Engine, f *flags, args []string) (run string, s work.Status, err error) {
	dir, err := a.project()
	if err != nil {
		return "", s, err
	}
	arg := ""
	if len(args) == 1 {
		arg = args[0]
	}
	if f.from != "" {
		begin := runs.Begin{Dir: dir, Name: f.name}
		if arg, err = a.from(ctx, e, f.from, &begin); err != nil {
			return "", s, err
		}
		// Writing the plan would ask a model, which a dry run must not.
		if arg == "" && f.dry {
			return "", s, failure.Usage("no plan to show yet", "write it first: socrates plan --from "+f.from)
		}
		if arg == "" {
			f.way.Phases = []way.Phase{way.Plan, way.Execute}
			run, err = a.begin(ctx, e, f, begin)
			return run, s, err
		}
	}
	text, by, ok, err := a.file(arg)
	switch {
	case err != nil:
		return "", s, err
	// The plan is parsed and its checks are checked, but it is not stored.
	case ok && f.dry:
		s.Plan, _, err = runs.In(e).Read(ctx, dir, text, by, f.way.Allow, f.checks)
		return "", s, told(err)
	case ok:
		root, err := e.Do(ctx, runs.Plan{Dir: dir, Name: f.name, Text: text, By: by, Allow: f.way.Allow, Checks: f.checks,
			Options: &f.way.Options})
		if err != nil {
			return "", s, told(err)
		}
		run, err = nameOf(ctx, e, root)
		return run, s, err
	case f.name != "":
		return "", s, failure.Usage("--name names a new run, but this plan already belongs to one", "leave it out")
	}
	if arg == "" {
		if arg, err = a.ready(ctx, e, dir, way.Execute); err != nil {
			return "", s, err
		}
	}
	s, err = a.kept(ctx, e, arg, dir)
	return s.Frame.Run, s, err
}

// told gives errors of runs their exit codes. Other errors pass unchanged.
func told(err error) error {
	if w, ok := errors.AsType[*runs.Wrong](err); ok {
		hint := ""
		if w.Talk != "" {
			hint = "read the conversation: socrates tree show " + w.Talk + "; have it written again: socrates work resume" +
				"; to allow other checks, plan again: socrates plan … --allow-check"
		}
		return failure.New(failure.ExitTasks, "plan", w.Error(), hint)
	}
	if f, ok := errors.AsType[*runs.Undecided](err); ok && f.Few {
		return failure.New(failure.ExitNone, "panel", f.Error(),
			"debate again: socrates work resume; or decide: socrates decisions overrule "+f.Room+" OPTION")
	}
	if u, ok := errors.AsType[*runs.Undecided](err); ok {
		return failure.New(failure.ExitPerson, "person", u.Error(), "decide: socrates decisions overrule "+u.Room+
			" OPTION; then: socrates work resume")
	}
	return err
}

// advance continues a run and shows its progress.
func (a *commands) advance(ctx context.Context, e *engine.Engine, op runs.Advance) (work.Status, error) {
	return advance(ctx, a, e, op.Run, op)
}

// advance runs a job of a run, and shows its progress. The signal that ends the job ends the watch as well; Wait
// returns why it ended. The status is read after that, with a context that the signal has not ended.
func advance(ctx context.Context, a *commands, e *engine.Engine, run string, op engine.Op) (work.Status, error) {
	root, err := e.Do(ctx, op)
	if err != nil {
		return work.Status{}, told(err)
	}
	// From here on each line of the stream names the run.
	a.Out.Room = run
	t, err := a.teller(run)
	if err != nil {
		return work.Status{}, err
	}
	defer t.close()
	t.begin(ctx, e)
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			break // its context ended, and with it the job's
		}
		if n.Node != nil {
			a.stream(*n.Node)
			t.node(*n.Node)
		}
	}
	if err := e.Wait(root); err != nil {
		if errors.Is(err, context.Canceled) {
			// Who pressed ctrl+c does not want it to restart by itself; an error that it is stopped already does not
			// matter.
			if a.EndedBy.Load() == failure.ExitInterrupted {
				_, err = e.Do(context.WithoutCancel(ctx), runs.Hold{Run: run})
				_ = err
			}
			return work.Status{}, failure.New(failure.ExitInterrupted, "interrupted", "stopped; everything so far is saved",
				"continue with: socrates work resume "+run)
		}
		return work.Status{}, told(err)
	}
	_, s, err := a.status(context.WithoutCancel(ctx), e, run)
	return s, err
}

// newRebase returns the command rebase, for a project that has moved on. Only steps that conflict, and those that
// depend on them, are repeated and cost again; it exits as execute does.
func newRebase(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "rebase [RUN]", Short: "Rebase the result onto the project's newest commit and recheck it",
		Long: `If the project has moved on since the run began, put each merged step on top of its newest commit,
in order, and check it again there. A step that conflicts with the new commits is done again, and
so are the steps that depend on it; the agents see the earlier change. The project is not changed.`}
	call.Unattended(c)
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		ctx, end := a.Ended(ctx)
		defer end()
		s, err := advance(ctx, a, e, name, runs.Rebase{Run: name})
		if err != nil {
			return err
		}
		return a.ended(s)
	})
}

// conduct continues a run and prints its result. If a run ended before its execution, for example because a debate
// left the decision to a person, it prints the last finished phase. r opens a request for a complete result; nil:
// none.
func (a *commands) conduct(ctx context.Context, e *engine.Engine, op runs.Advance, r *request) error {
	s, err := a.advance(ctx, e, op)
	if err != nil {
		return err
	}
	if s.Begun == nil && !s.Held() {
		return a.came(ctx, e, s, s.Behind())
	}
	var refused error
	if r != nil && r.open && s.State == work.Done {
		var after work.Status
		if after, refused = r.accept(ctx, a, e, runs.Accept{Run: s.Frame.Run}); after.Frame.Run != "" {
			s = after
		}
	}
	return cmp.Or(a.ended(s), refused)
}

// newResume returns the command resume. Everything a run needs is frozen in it, so there are no flags.
func newResume(a *commands) *cobra.Command {
	all := false
	c := &cobra.Command{Use: "resume [RUN]", Short: "Resume a run; nothing is done twice",
		Long: `Continue a run that was paused, cancelled, stopped or killed. With --all, continue each run of this
project whose process died, one after the other. The setting work.died says whether the screen and
the server do that by themselves.`}
	c.Flags().BoolVar(&all, "all", false, "resume each run of this project whose process died")
	call.Unattended(c)
	one := a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		ctx, end := a.Ended(ctx)
		defer end()
		if h := a.AtHub(); h != nil {
			a.Out.Tell("Run " + name + " runs on the hub " + h.URL + " and ends with it, not with this command. " +
				"Pause it: socrates work pause " + name + "\n")
		}
		return a.conduct(ctx, e, runs.Advance{Run: name}, nil)
	}).RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case !all:
			return one(c, args)
		case len(args) > 0:
			return failure.Usage("--all resumes each run that died: it takes no name", "leave out one of them")
		}
		return resumeAll(c.Context(), a)
	}
	return c
}

// resumeAll exits with the code of the first run that did not succeed; the others are resumed all the same.
func resumeAll(ctx context.Context, a *commands) error {
	dir, err := a.project()
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	died, err := runs.In(e).Died(ctx, dir)
	if err != nil {
		return err
	}
	if len(died) == 0 {
		a.Out.Tell("No run of this project was cut off.\n")
	}
	for _, r := range died {
		if again := a.conduct(ctx, e, runs.Advance{Run: r.Name}, nil); err == nil {
			err = again
		}
		if ctx.Err() != nil {
			break
		}
	}
	return err
}
