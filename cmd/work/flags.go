package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// flags are the options of the phases of a run. Which fields a command uses follows from the groups it adds (common,
// one, analysis, proofs, execution); the others keep their zero.
type flags struct {
	name, from  string
	preset      string
	seats       []string // the first one refines and plans
	checks      []string
	stdin       bool
	skip, dry   bool
	interactive bool
	way         way.Way
	given       func(flag string) bool // reports whether a flag was given
	request     request                // request for the result
}

// common adds the flags of every phase that asks a model.
func (f *flags) common(c *cobra.Command, from string) {
	s := c.Flags()
	s.StringVar(&f.name, "name", "", "`name` of the run")
	s.StringVar(&f.from, "from", "", from)
	s.BoolVar(&f.stdin, "stdin", false, "read stdin even if data arrives late")
	s.StringVar(&f.way.Effort, "effort", "", "reasoning effort: low, medium, high")
	f.limits(c)
}

// Limits apply to all phases together, also across resumes.
func (f *flags) limits(c *cobra.Command) {
	s, o := c.Flags(), &f.way.Options
	f.given = s.Changed
	s.StringVar(&f.preset, "preset", "", "use this `preset`")
	s.Var((*budget.USD)(&o.USD), "budget", "spending limit of the run (0: none)")
	s.IntVar(&o.Tokens, "max-tokens", 0, "token limit of the run (0: none)")
	s.DurationVar(&o.Timeout, "timeout", record.Usual().Timeout, "time limit per answer and try (0: none)")
}

// one adds the seat of a phase that uses one model.
func (f *flags) one(c *cobra.Command, does string) {
	c.Flags().StringArrayVar(&f.seats, "seat", nil, "`model` that "+does+", such as claude, anthropic:big")
}

// analysis adds the seats of the analysis, and what they are shown.
func (f *flags) analysis(c *cobra.Command) {
	s := c.Flags()
	s.StringArrayVar(&f.seats, "seat", nil, "a panel `seat`; the first also does single-model phases (repeatable)")
	s.BoolVar(&f.way.Single, "single", false, "analyze with one model instead of a panel")
	s.StringArrayVar(&f.way.Files, "files", nil, "show the panel these `files`: path, folder, glob (repeatable)")
}

// proofs adds the checks that may prove steps.
func (f *flags) proofs(c *cobra.Command) {
	s := c.Flags()
	s.StringArrayVar(&f.way.Allow, "allow-check", nil, "allow checks to run this `command` (repeatable)")
	s.StringArrayVar(&f.checks, "check", nil, "`command` every step must pass (repeatable)")
}

// execution adds how a plan is executed. The defaults are record.Usual, so help shows what is frozen.
func (f *flags) execution(c *cobra.Command) {
	s, o, usual := c.Flags(), &f.way.Options, record.Usual()
	s.StringArrayVar(&o.Executors, "executor", nil, "`seat` that does the steps (repeatable: the next takes over)")
	s.StringVar(&o.Review, "review", "", "`seat` of another lineage that reviews each proved step before it is merged")
	s.IntVar(&o.Race, "race", 0, "number of executors per step; the best change is kept")
	s.StringVar(&o.Judge, "judge", "", "`seat` that compares raced changes (default: the --review seat)")
	s.StringVar(&o.Mode, "mode", "", "permission mode of agents: paranoid, balanced, yolo")
	s.IntVar(&o.Parallel, "parallel", usual.Parallel, "number of steps in parallel")
	s.IntVar(&o.Retries, "retries", usual.Retries, "number of repairs per executor")
	s.DurationVar(&o.Idle, "idle-timeout", usual.Idle, "stop an agent that is silent this long (0: never)")
	s.DurationVar(&o.Check, "check-timeout", usual.Check, "time limit per check")
	s.BoolVar(&o.Changes, "with-changes", false, "include the project's uncommitted changes")
}

// usual fills in from the settings of the project what no flag set.
func usual(a *commands, f *flags) error {
	if f.preset != "" {
		a.Set(map[string]string{"preset": f.preset})
	}
	dir, err := a.project()
	if err != nil {
		return err
	}
	u, err := a.Home.Work().Usual(dir)
	if err != nil {
		return err
	}
	w, o := &f.way, &f.way.Options
	for flag, take := range map[string]func(){
		"parallel": func() { o.Parallel = u.Options.Parallel }, "retries": func() { o.Retries = u.Options.Retries },
		"review": func() { o.Review = u.Options.Review }, "executor": func() { o.Executors = u.Options.Executors },
		"budget": func() { o.USD = u.Options.USD }, "max-tokens": func() { o.Tokens = u.Options.Tokens },
		"seat": func() { w.Panel = u.Panel }, "mode": func() { o.Mode = u.Options.Mode },
	} {
		if !f.given(flag) {
			take()
		}
	}
	w.Manners, w.MinSeats = u.Manners, u.MinSeats
	for p, m := range w.Manners {
		if f.given("timeout") {
			m.Timeout = 0
		}
		if f.given("idle-timeout") {
			m.Idle = 0
		}
		w.Manners[p] = m
	}
	return nil
}

// sound refuses values that no run can have, and appends the checks to the options, so it must be called once. It
// checks nothing outside the flags; able checks whether a seat exists.
func (f *flags) sound(phases ...way.Phase) error {
	o := &f.way.Options
	f.way.Phases = phases
	executes := slices.Contains(phases, way.Execute)
	switch {
	case executes && (o.Parallel < 1 || o.Parallel > 64):
		return failure.Usage("--parallel must be 1 to 64", "")
	case o.Race < 0 || o.Race > plan.MostRacers:
		return failure.Usage(fmt.Sprintf("--race must be 0 to %d", plan.MostRacers), "")
	case o.Retries < 0 || o.USD < 0 || o.Tokens < 0 || o.Timeout < 0 || o.Idle < 0 || executes && o.Check <= 0:
		return failure.Usage("a limit cannot be negative, and --check-timeout not 0", "")
	}
	// An empty check would pass every step.
	for _, c := range slices.Concat(f.checks, f.way.Allow) {
		if strings.TrimSpace(c) == "" {
			return failure.Usage("a check is empty", `name a command, for example --check "go test ./..."`)
		}
	}
	for _, c := range f.checks {
		o.Checks = append(o.Checks, strings.Fields(c))
	}
	if len(f.seats) > 0 {
		f.way.Model = f.seats[0]
	}
	// One flag has two meanings: seats of a panel, or the one model of a phase.
	if panel := slices.Contains(phases, way.Analyze) && !f.way.Single; panel {
		f.way.Panel = f.seats
	} else if len(f.seats) > 1 {
		return failure.Usage("only a panel has several seats", "leave out --single, or name one --seat")
	} else if len(f.way.Files) > 0 && slices.Contains(phases, way.Analyze) {
		return failure.Usage("--files are shown to a panel; one model reads the project itself", "leave out --files or --single")
	}
	if err := call.OneOf("effort", f.way.Effort, "debate.effort"); err != nil || o.Mode == "" {
		return err
	}
	// The mode plan exists but makes no sense here: every step would fail.
	m, err := permission.ParseMode(o.Mode)
	if err == nil && m == permission.Plan {
		return failure.Usage("no step can be done in mode plan, which allows no changes", "choose paranoid, balanced or yolo")
	}
	if err != nil {
		return failure.Usage(err.Error(), "")
	}
	return nil
}
