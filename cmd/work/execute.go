package work

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// executeFlags are how a plan is carried out.
type executeFlags struct {
	planFlags
	executors []string
	checks    []string
	mode      string
	dry       bool
	options   record.Options
}

func newExecute(a *commands) *cobra.Command {
	f := &executeFlags{}
	c := &cobra.Command{Use: "execute [RUN | plan.md | -]", Short: "Carry out a plan: each step proved, then merged",
		Long: `Each step of the plan is done by an agent in a clone of its own. When the agent stops, code takes
the files as they are and runs the step's checks and those of --check in a clean clone, at the
commit before the step first. A failure goes back to the agent. A step that changes files it does
not name, or that deletes, skips or weakens tests, stops for a person. Proved steps are merged as
they come; what would land is checked before it lands.

The project is not changed: when all is done, socrates work accept brings the result in. A run
that was stopped or killed goes on with socrates work resume. Settings are frozen when a run
begins.

Without a name, the most recent plan that has not begun is carried out.`,
		Example: `  socrates execute plan.md --check "go test ./..."
  socrates execute --executor anthropic:mid --executor openai:big --parallel 4
  socrates execute --dry-run plan.md`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.complete,
		RunE: func(c *cobra.Command, args []string) error { return a.execute(c.Context(), f, args) }}
	f.add(c)
	s, o := c.Flags(), &f.options
	s.StringArrayVar(&f.checks, "check", nil, "`command` every step must pass (repeatable)")
	s.StringArrayVar(&f.executors, "executor", nil, "`seat` that does steps; repeat it for those that take over")
	s.StringVar(&f.mode, "mode", "", "permission mode of agents: paranoid, balanced, yolo")
	s.IntVar(&o.Parallel, "parallel", 2, "steps at once")
	s.IntVar(&o.Retries, "retries", 2, "how often an executor may repair its change")
	s.Float64Var(&o.USD, "budget", 0, "spending limit of the run in USD (0: none)")
	s.IntVar(&o.Tokens, "max-tokens", 0, "token limit of the run (0: none)")
	s.DurationVar(&o.Timeout, "timeout", time.Hour, "time limit of each try (0: none)")
	s.DurationVar(&o.Idle, "idle-timeout", 15*time.Minute, "end an agent that is silent for so long (0: never)")
	s.DurationVar(&o.Check, "check-timeout", 10*time.Minute, "time limit of each check")
	s.BoolVar(&o.Changes, "with-changes", false, "begin with the uncommitted changes of the project")
	s.BoolVar(&f.dry, "dry-run", false, "show order and schedule, start nothing")
	return c
}

func (f *executeFlags) sound() error {
	o := &f.options
	switch {
	case o.Parallel < 1 || o.Parallel > 64:
		return failure.Usage("--parallel must be 1 to 64", "")
	case o.Retries < 0 || o.USD < 0 || o.Tokens < 0 || o.Timeout < 0 || o.Idle < 0 || o.Check <= 0:
		return failure.Usage("a limit cannot be negative, and --check-timeout not 0", "")
	}
	for _, c := range slices.Concat(f.checks, f.allow) {
		if strings.TrimSpace(c) == "" {
			return failure.Usage("a check is empty", `name a command, for example --check "go test ./..."`)
		}
	}
	if f.mode == "" {
		return nil
	}
	m, err := permission.ParseMode(f.mode)
	if err == nil && m == permission.Plan {
		return failure.Usage("no step can be done in mode plan, which allows no changes", "choose paranoid, balanced or yolo")
	}
	if err != nil {
		return failure.Usage(err.Error(), "")
	}
	return nil
}

func (a *commands) execute(ctx context.Context, f *executeFlags, args []string) error {
	if err := f.sound(); err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	a.Alone = true
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	arg := ""
	if len(args) == 1 {
		arg = args[0]
	}
	name, p, op, err := a.source(ctx, e, f, arg)
	if err != nil {
		return err
	}
	if f.dry {
		return a.schedule(p, f.options.Parallel)
	}
	if err := a.settle(ctx, f, p); err != nil {
		return err
	}
	if op != nil {
		root, err := e.Do(ctx, *op)
		if err != nil {
			return err
		}
		if name, err = nameOf(ctx, e, root); err != nil {
			return err
		}
	}
	return a.conduct(ctx, e, runs.Execute{Run: name, Options: &f.options})
}

// source is the plan to carry out: a run that has not begun, or a text, for which op makes a run.
func (a *commands) source(ctx context.Context, e *engine.Engine, f *executeFlags, arg string) (name string, p plan.Plan, op *runs.Plan,
	err error) {
	w, dir, err := a.world(ctx, f.checks, f.allow)
	if err != nil {
		return "", p, nil, err
	}
	if arg == "" {
		if arg, err = a.planned(ctx, e, dir); err != nil {
			return "", p, nil, err
		}
	}
	raw, rerr := []byte(nil), error(nil)
	switch info, serr := os.Stat(arg); {
	case arg == "-":
		raw, rerr = io.ReadAll(io.LimitReader(a.In, mostPlan+1))
	case serr == nil && info.Mode().IsRegular():
		raw, rerr = os.ReadFile(arg)
	default:
		return a.kept(ctx, e, f, arg, dir)
	}
	if rerr != nil {
		return "", p, nil, failure.Usage("cannot read the plan "+arg+": "+rerr.Error(), "")
	}
	if len(raw) > mostPlan {
		return "", p, nil, failure.Usage("the plan "+arg+" is larger than 4 MB", "")
	}
	text := a.Out.Clean(string(raw))
	p, faults := plan.Read(text)
	if len(faults) == 0 {
		faults = p.Check(w)
	}
	return "", p, &runs.Plan{Dir: dir, Name: f.name, Plan: p, Text: text, By: filepath.Base(arg), Allow: f.allow}, refused(arg, faults)
}

// kept is a plan that is kept as a run. What checks may run was said when it was made, too.
func (a *commands) kept(ctx context.Context, e *engine.Engine, f *executeFlags, arg, dir string) (string, plan.Plan, *runs.Plan, error) {
	_, s, err := a.status(ctx, e, strings.TrimPrefix(arg, "run/"))
	switch {
	case err != nil && strings.ContainsAny(arg, "./\\"):
		return "", plan.Plan{}, nil, failure.Usage("no plan in "+arg+": no such file", "have one written: socrates plan \"…\"")
	case err != nil:
		return "", plan.Plan{}, nil, err
	case s.Begun != nil:
		return "", plan.Plan{}, nil, failure.Usage("run "+s.Frame.Run+" has begun", "go on with it: socrates work resume "+s.Frame.Run)
	case s.Frame.Dir != dir:
		return "", plan.Plan{}, nil, failure.Usage("run "+s.Frame.Run+" belongs to another project: "+s.Frame.Dir, "go there first")
	}
	w, _, err := a.world(ctx, f.checks, slices.Concat(f.allow, s.Frame.Allow))
	if err != nil {
		return "", plan.Plan{}, nil, err
	}
	return s.Frame.Run, s.Frame.Plan, nil, refused(arg, s.Frame.Plan.Check(w))
}

// mostPlan bounds the text of a plan.
const mostPlan = 4 << 20

func refused(name string, faults []plan.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return failure.New(failure.ExitTasks, "plan", "the plan "+name+" is wrong; nothing was started:\n  "+strings.Join(lines(faults),
		"\n  "), "")
}

// planned is the most recent plan of a project that has not begun.
func (a *commands) planned(ctx context.Context, e *engine.Engine, dir string) (string, error) {
	all, err := runs.In(e).List(ctx, dir)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if r.State == work.Planned {
			return r.Name, nil
		}
	}
	return "", failure.Usage("no plan to carry out", "have one written: socrates plan \"…\"; or name a file: socrates execute plan.md")
}

// settle fills in what the flags leave open, and refuses what cannot work, before anything is begun.
func (a *commands) settle(ctx context.Context, f *executeFlags, p plan.Plan) error {
	if err := a.Home.Gate.Contains(); err != nil {
		return err
	}
	o := &f.options
	dir, err := a.project()
	if err != nil {
		return err
	}
	cfg, err := a.Home.Settings.Of(dir)
	if err != nil {
		return err
	}
	if o.Mode = f.mode; o.Mode == "" {
		o.Mode = cfg.String("permission.mode")
	}
	if o.Mode == string(permission.Plan) {
		return failure.Usage("permission.mode is plan, in which nothing is changed", "add --mode balanced or --mode yolo")
	}
	for _, c := range f.checks {
		o.Checks = append(o.Checks, strings.Fields(c))
	}
	if o.Executors = f.executors; len(o.Executors) == 0 {
		one, err := a.Home.Seats.Chosen(ctx, "", "")
		if err != nil {
			return err
		}
		o.Executors = []string{one}
	}
	specs := slices.Clone(o.Executors)
	for _, t := range p.Tasks {
		if t.Executor != "" {
			specs = append(specs, t.Executor)
		}
	}
	slices.Sort(specs)
	for _, spec := range slices.Compact(specs) {
		m, err := a.Home.Seats.Solo(ctx, spec)
		if err != nil {
			return err
		}
		if why := m.Info().OnlyReads(); why != "" {
			return failure.Usage(spec+" cannot be an executor: "+why, "choose another with --executor; list them: socrates seats")
		}
		if err := a.Home.Programs.Installed(spec); err != nil {
			return err
		}
	}
	return nil
}

// conduct carries a run out and tells how it goes, then what it came to.
func (a *commands) conduct(ctx context.Context, e *engine.Engine, op runs.Execute) error {
	root, err := e.Do(ctx, op)
	if err != nil {
		return err
	}
	a.Out.Room = op.Run
	t := &teller{commands: a, run: op.Run}
	t.begin(ctx, e)
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			break // its context ended, and the job's with it
		}
		if n.Node != nil {
			a.stream(*n.Node)
			t.node(*n.Node)
		}
	}
	if err := e.Wait(root); err != nil {
		if errors.Is(err, context.Canceled) {
			return failure.New(failure.ExitInterrupted, "interrupted", "stopped; everything so far is saved",
				"go on with: socrates work resume "+op.Run)
		}
		return err
	}
	_, s, err := a.status(context.WithoutCancel(ctx), e, op.Run)
	if err != nil {
		return err
	}
	return a.ended(s)
}

func newResume(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "resume [RUN]", Short: "Go on with a run; nothing is done twice"}
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if err := a.Home.Gate.Contains(); err != nil {
			return err
		}
		a.Alone = true
		ctx, end := a.Ended(ctx)
		defer end()
		return a.conduct(ctx, e, runs.Execute{Run: name})
	})
}
