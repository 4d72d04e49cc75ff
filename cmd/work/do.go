package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// newDo returns the command do: all phases of a run in one. It exits with the code of the phase at which it stopped;
// resume continues from there.
func newDo(a *commands) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{Use: "do PROMPT", Short: "From a request to merged commits: refine, analyze, plan, execute",
		Long: `Run all phases with one command. A model clarifies the request, a panel debates how best to do it
(or one model analyzes it, with --single), a model writes the plan, code checks it, and agents
execute it step by step; see socrates refine, analyze, plan and execute. The project does not
change until you run socrates work accept, unless you ask for a pull request with --pr.

Everything done so far is saved: after a stop or a crash, continue with socrates work resume.
--budget and --max-tokens apply to all phases together. With --interactive, you approve the result
of each phase, edit it in your editor, or say what to change: the phase is then done again.`,
		Example: `  socrates do --check "go test ./..." "make the client retry"
  socrates do --single --seat anthropic:big --executor anthropic:mid --budget 5 "make the client retry"
  socrates do --from retry-or-not-1a2b --check "go test ./..."
  socrates do --check "go test ./..." --pr --push "make the client retry"
  socrates do --dry-run --seat claude --seat codex "make the client retry"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.do(c.Context(), f, args) }}
	f.common(c, fromAny)
	f.analysis(c)
	f.proofs(c)
	f.execution(c)
	f.request.flags(c)
	s := c.Flags()
	s.BoolVar(&f.skip, "skip-refine", false, "use the request as given")
	s.BoolVar(&f.interactive, "interactive", false, "ask for your approval after each phase")
	s.BoolVar(&f.dry, "dry-run", false, "show what each phase would do, call no model")
	return c
}

// With --interactive each phase is a job of its own; otherwise one job goes through all of them.
func (a *commands) do(ctx context.Context, f *flags, args []string) error {
	phases := []way.Phase{way.Refine, way.Analyze, way.Plan, way.Execute}
	if f.skip {
		phases = phases[1:]
	}
	if err := cmp.Or(f.sound(phases...), f.request.sound()); err != nil {
		return err
	}
	if err := usual(a, f); err != nil {
		return err
	}
	// In a pipe the first question would never be answered.
	if f.interactive && !a.Attended() {
		return failure.Usage("--interactive needs a terminal",
			"leave it out; or run the phases one by one: socrates refine, analyze, plan, execute")
	}
	if f.dry {
		return a.ahead(f)
	}
	ctx, end := a.Ended(ctx)
	defer end()
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	run, err := a.start(ctx, e, f, args, way.Refine)
	if err != nil {
		return err
	}
	if f.interactive {
		return a.gates(ctx, e, f, run)
	}
	return a.conduct(ctx, e, runs.Advance{Run: run, Way: &f.way}, &f.request)
}

// gates runs phase by phase: after each, a person approves it, edits it or gives feedback.
func (a *commands) gates(ctx context.Context, e *engine.Engine, f *flags, run string) error {
	all := f.way.Phases
	for i, p := range all {
		to := f.way
		to.Phases = all[:i+1]
		op := runs.Advance{Run: run, Way: &to}
		// Nothing is asked after the last phase: accepting is its question.
		if p == way.Execute {
			return a.conduct(ctx, e, op, &f.request)
		}
		s, err := a.advance(ctx, e, op)
		if err == nil {
			err = a.came(ctx, e, s, p)
		}
		if err != nil {
			return err
		}
		if on, err := gate(ctx, a, e, run, p); err != nil || !on {
			a.Out.Tell("Stopped after " + string(p) + ". Continue with: socrates " + string(all[i+1]) + " " + run + "\n")
			return err
		}
	}
	return nil
}

// gate asks about the result of a phase until the person continues or stops. Anything but Enter, e or q is feedback,
// with which the phase is repeated. If a repeat fails, it reports that and asks again: the previous result is still
// there.
func gate(ctx context.Context, a *commands, e *engine.Engine, run string, p way.Phase) (on bool, err error) {
	for {
		word, err := a.ReadLine(fmt.Sprintf("%s: Enter to continue, e to edit, q to stop, or say what to change: ", p))
		switch {
		case err != nil || word == "q":
			return false, nil
		case word == "":
			return true, nil
		case word == "e":
			err = editPhase(ctx, a, e, run, p)
		default: // without a way, the last phase is repeated
			var s work.Status
			if s, err = a.advance(ctx, e, runs.Advance{Run: run, Feedback: word}); err == nil {
				err = a.came(ctx, e, s, p)
			}
		}
		if err != nil && ctx.Err() != nil {
			return false, err
		}
		if err != nil {
			said := failure.Explain(err)
			a.Out.Ask(clean.Line(said.Message) + "\n")
		}
	}
}

// editPhase lets a person edit the result of a phase.
func editPhase(ctx context.Context, a *commands, e *engine.Engine, run string, p way.Phase) error {
	_, s, err := a.status(ctx, e, run)
	if err != nil {
		return err
	}
	hash := ""
	switch {
	case p == way.Refine:
		hash = s.Refined.Text
	case p == way.Analyze && s.Analyzed.Room != "": // do not let them edit what is refused afterwards
		return failure.Usage("a panel's decision cannot be edited; say what to change, and it debates again", "")
	case p == way.Analyze:
		hash = s.Analyzed.Text
	case p == way.Plan:
		hash = s.Planned.Text
	}
	was, err := e.Text(ctx, hash)
	if err != nil {
		return err
	}
	if p == way.Plan {
		return a.edited(ctx, e, run, was)
	}
	text, err := a.Edit(ctx, string(p), was)
	if err != nil || text == was {
		return err
	}
	if _, err = e.Do(ctx, runs.Reword{Run: run, Text: text}); err != nil {
		return err
	}
	if _, s, err = a.status(ctx, e, run); err != nil {
		return err
	}
	return a.came(ctx, e, s, p)
}

// ahead shows what the phases would do. It opens no store and asks no model, so it knows only the flags.
func (a *commands) ahead(f *flags) error {
	w, o := f.way, f.way.Options
	// Without a seat the model is unknown here: finding it takes the store and the vendors.
	usual := func(seats []string, else_ string) []string {
		if len(seats) > 0 && seats[0] != "" {
			return seats
		}
		return []string{else_}
	}
	list := []foreseenPhase{}
	for _, p := range w.Phases {
		one := foreseenPhase{Phase: p, By: usual([]string{w.Manner(p).Model}, "the default model")}
		switch p {
		case way.Refine:
			one.Does = "clarifies the request"
		case way.Analyze:
			if one.Does = "analyzes how to do it"; !w.Single {
				one.By, one.Does = usual(w.Panel, "the default panel"), "debate how to do it"
				if len(one.By) == 1 {
					one.Does = "debates how to do it"
				}
			}
		case way.Plan:
			one.Does = "writes the plan; code checks it"
		case way.Execute:
			verb := "carry"
			if one.By = usual(o.Executors, "the default model"); len(o.Executors) == 0 && o.Race > 1 {
				one.By = []string{"models of different families"}
			} else if len(one.By) == 1 {
				verb = "carries"
			}
			one.Does = fmt.Sprintf(verb+" out the steps, %d in parallel, with up to %s each", o.Parallel, out.Count(o.Retries, "repair"))
		}
		list = append(list, one)
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(foreseenWay{list, o.Checks, o.USD, o.Tokens, foreseenSettings(w)})
	}
	for _, p := range list {
		fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("%-8s %s %s", p.Phase, strings.Join(p.By, ", "), p.Does)))
	}
	printSteps(a, foreseenSettings(w))
	var limits []string
	if o.USD > 0 {
		limits = append(limits, fmt.Sprintf("at most $%.2f", o.USD))
	}
	if o.Tokens > 0 {
		limits = append(limits, fmt.Sprintf("at most %s tokens", out.Thousands(o.Tokens)))
	}
	fmt.Fprintln(a.Out, cmp.Or(strings.Join(limits, ", "), "no limit")+"; after the plan, socrates execute --dry-run shows its schedule")
	return nil
}

// foreseenSettings are those of the steps of a run that nobody began.
func foreseenSettings(w way.Way) foreseenSteps {
	o, m := w.Options, w.Manner(way.Execute)
	return foreseenSteps{o.Mode, o.Race, cmp.Or(o.Judge, o.Review), o.Review, m.Timeout.Seconds(), m.Idle.Seconds(), o.Check.Seconds()}
}

// printSteps says how steps would be carried out, a line for each setting.
func printSteps(a *commands, f foreseenSteps) {
	say := func(what, text string) { fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("%-8s %s", what, text))) }
	if f.Race > 1 {
		say("race", fmt.Sprintf("%d executors do each step at once; %s compares what they bring", f.Race,
			cmp.Or(f.Judge, "a model of another family")))
	}
	if f.Review != "" {
		say("review", f.Review+" reviews each proved step before it is merged")
	}
	say("mode", "agents work in permission mode "+f.Mode)
	limits := []string{"no limit per answer and try"}
	if f.Timeout > 0 {
		limits[0] = "at most " + span(f.Timeout) + " per answer and try"
	}
	limits = append(limits, span(f.Check)+" per check")
	if f.Idle > 0 {
		limits = append(limits, "an agent that is silent for "+span(f.Idle)+" is stopped")
	}
	say("time", strings.Join(limits, ", "))
}

// span is a time in seconds as a flag takes it, without zeros: 1h30m.
func span(seconds float64) string {
	s := time.Duration(seconds * float64(time.Second)).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}
