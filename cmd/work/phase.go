package work

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

const fromAny = "start from this `run`, debate or conversation node (TREE:NODE)"

// newRefine returns the command refine. It exits with 0 even if refining failed: the original request will do.
func newRefine(a *commands) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{Use: "refine PROMPT", Short: "Clarify a request without changing its scope",
		Long: `A model reads the project and rewrites the request: unambiguous, in the project's own terms, with
nothing added. If that fails, the request stays as given. The result is printed to stdout and saved
as a run; continue with socrates analyze.`,
		Example: `  socrates refine "make the client retry"
  socrates refine --seat anthropic:small "make the client retry"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.phase(c.Context(), f, args, way.Refine) }}
	f.common(c, "start from this debate or `conversation` node (TREE:NODE)")
	f.one(c, "refines")
	return c
}

// newAnalyze returns the command analyze. It exits with 12 if the panel leaves the decision to a person; resume
// continues once they have decided.
func newAnalyze(a *commands) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{Use: "analyze [PROMPT | RUN]", Short: "Analyze how to do it, with a panel or one model",
		Long: `A panel debates how best to do what is requested in this project; see socrates debate. With
--single, one model analyzes it instead. The result has the same form: claims with ids, dissent,
and what would change the answer. A plan must answer each of these.

Without a prompt, the most recently refined request of this project is analyzed.`,
		Example: `  socrates analyze "Should the client retry, and where?"
  socrates analyze --single --seat anthropic:big "make the client retry"
  socrates refine "make the client retry" && socrates analyze --seat claude --seat codex`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: a.complete,
		RunE: func(c *cobra.Command, args []string) error { return a.phase(c.Context(), f, args, way.Analyze) }}
	f.common(c, fromAny)
	f.analysis(c)
	c.Flags().StringArrayVar(&f.way.Allow, "allow-check", nil, "allow checks to run this `command` (repeatable)")
	return c
}

// newPlan returns the command plan. It exits with 9 if the model's plan is still invalid after it was told the
// errors.
func newPlan(a *commands) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{Use: "plan [PROMPT | RUN]", Short: "Write a plan, check it and save it as a run",
		Long: `A model reads the project and writes a plan: numbered steps, each with the files it may
change, the steps it depends on and the commands that prove it. Code checks the plan; errors go
back to the model once. Nothing in the project is changed. The plan is printed to stdout and saved
as a run; run it with socrates execute.

After an analysis, or with --from DEBATE, the plan must answer every accepted claim, the dissent
and what would flip the decision, by id. Without a prompt, the plan follows the most recent
analysis of this project.

A check may run only if it is listed in checks.commands or allowed with --allow-check.`,
		Example: `  socrates plan --allow-check "go test ./..." "Return an error from Save when the disk is full"
  socrates plan --from retry-or-not-1a2b --allow-check "go test ./..."
  socrates plan "…" > plan.md`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: a.complete,
		RunE: func(c *cobra.Command, args []string) error { return a.phase(c.Context(), f, args, way.Plan) }}
	f.common(c, fromAny)
	f.one(c, "plans")
	f.proofs(c)
	return c
}

// phase runs one phase: of the named run, or the most recent one that is ready for it, or of a new one. Its product
// goes to stdout and can be piped; the name of the run goes to stderr.
func (a *commands) phase(ctx context.Context, f *flags, args []string, p way.Phase) error {
	if err := f.sound(p); err != nil {
		return err
	}
	if err := usual(a, f); err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	run, err := a.start(ctx, e, f, args, p)
	if err != nil {
		return err
	}
	s, err := a.advance(ctx, e, runs.Advance{Run: run, Way: &f.way})
	if err != nil {
		return err
	}
	return a.came(ctx, e, s, p)
}

// start finds the run that a phase continues, or begins one. A single word that names a run is that run; everything
// else is a request. Without either it is the run that is just before this phase.
func (a *commands) start(ctx context.Context, e *engine.Engine, f *flags, args []string, p way.Phase) (string, error) {
	dir, err := a.project()
	if err != nil {
		return "", err
	}
	prompt, data, err := a.Prompt(args, f.stdin)
	if err != nil {
		return "", err
	}
	begin := runs.Begin{Dir: dir, Name: f.name, Asked: prompt, Data: data}
	// Piped input without words is the request itself.
	if prompt == "" && data != "" {
		begin.Asked, begin.Data = data, ""
	}
	if f.from != "" {
		if run, err := a.from(ctx, e, f.from, &begin); run != "" || err != nil {
			return run, err
		}
		return a.begin(ctx, e, f, begin)
	}
	// A request is hardly ever one word, so that means a run of this name if one exists.
	if len(args) == 1 && !strings.Contains(prompt, " ") {
		if prompt == "last" {
			return a.named(ctx, e, prompt)
		}
		if _, s, err := a.status(ctx, e, prompt); err == nil {
			return s.Frame.Run, nil
		}
	}
	if begin.Asked != "" {
		return a.begin(ctx, e, f, begin)
	}
	return a.ready(ctx, e, dir, p)
}

// begin begins a run, after checking that its phases have seats.
func (a *commands) begin(ctx context.Context, e *engine.Engine, f *flags, op runs.Begin) (string, error) {
	if err := a.Modelled(ctx, func() error { return able(ctx, a.Home.Seats, f.way) }); err != nil {
		return "", err
	}
	root, err := e.Do(ctx, op)
	if err != nil {
		return "", err
	}
	return nameOf(ctx, e, root)
}

// able refuses a way that cannot be executed: a seat that does not exist, none at all, or only rule-based ones. It
// makes all seats before the run: a run that cannot begin would be in every list.
func able(ctx context.Context, seats home.Seats, w way.Way) error {
	specs := slices.Clone(w.Options.Executors)
	for _, p := range w.Phases {
		if p != way.Execute && (p != way.Analyze || w.Single) {
			specs = append(specs, w.Manner(p).Model)
		}
	}
	if len(w.Panel) > 0 && !w.Single && slices.Contains(w.Phases, way.Analyze) {
		_, rehearsal, err := seats.Panel(ctx, w.Panel)
		if err != nil {
			return err
		}
		// A panel that falls back on the rehearsal is refused below, like a named rehearsal.
		if rehearsal {
			specs = append(specs, scheme.Rehearsal)
		}
	}
	for _, spec := range specs {
		var err error
		if spec, err = seats.ChooseQuietly(ctx, spec, ""); err != nil {
			return err
		}
		if scheme.Of(spec).Rules {
			return failure.Usage("the rehearsal is rule-based: it cannot refine, plan or build anything", home.SetUpHint)
		}
		if _, err := seats.Solo(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// missing names what a phase lacks, and the command that produces it.
var missing = map[way.Phase][2]string{
	way.Refine:  {"nothing to refine", `give a request: socrates refine "…"`},
	way.Analyze: {"nothing to analyze", `give a request: socrates analyze "…"; or refine it first: socrates refine "…"`},
	way.Plan: {"nothing to plan", `give a prompt: socrates plan "…"; or analyze it first: socrates analyze "…"; ` +
		"or execute a plan of your own: socrates execute plan.md"},
	way.Execute: {"no plan to execute", `write one: socrates plan "…"; or name a file: socrates execute plan.md`},
}

// ready returns the most recent run of a project that is just before a phase. It is never a run that is being
// executed: those are resumed.
func (a *commands) ready(ctx context.Context, e *engine.Engine, dir string, p way.Phase) (string, error) {
	before := map[way.Phase]way.Phase{way.Analyze: way.Refine, way.Plan: way.Analyze, way.Execute: way.Plan}[p]
	all, err := runs.In(e).List(ctx, dir)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if before != "" && r.Behind == before && (r.State == work.Asked || r.State == work.Planned) {
			return r.Name, nil
		}
	}
	return "", failure.Usage(missing[p][0], missing[p][1])
}

// came prints the result of a phase. The text is unchanged, so a plan can be saved to a file and passed to execute.
func (a *commands) came(ctx context.Context, e *engine.Engine, s work.Status, p way.Phase) error {
	name := s.Frame.Run
	head := came{Type: p, Run: name}
	var hash, next string
	var object func() any
	switch p {
	case way.Refine:
		hash, next = s.Refined.Text, "Analyze it: socrates analyze "+name
		object = func() any { return refined{head, s.Refined.Failed} }
	case way.Analyze:
		hash, next = s.Analyzed.Text, "Plan it: socrates plan "+name
		object = func() any { return analyzed{head, s.Analyzed.Room, s.Analyzed.Points} }
	case way.Plan:
		hash, next = s.Planned.Text, "Execute it: socrates execute "+name
		object = func() any { return planned{head, s.Plan} }
	}
	text, err := e.Text(ctx, hash)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		head.Text = a.Out.Clean(text)
		return a.Out.Last(object())
	}
	if _, err := a.Out.Write([]byte(strings.TrimRight(a.Out.Clean(text), "\n") + "\n")); failure.Unread(err) != nil {
		return err
	}
	// The command still succeeds: the original request is a result.
	if p == way.Refine && s.Refined.Failed != "" {
		a.Out.Warn("refining failed, so the request stays as given: " + s.Refined.Failed)
	}
	a.Out.Tell("Saved as " + name + ". " + next + "\n")
	return nil
}
