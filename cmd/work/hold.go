package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// newPause returns the command pause. It exits at once; the process that executes the run stops at the next step.
func newPause(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "pause [RUN]", Short: "Pause a run; running steps finish",
		Long: `Start no new phase or step, whichever process executes the run; running steps finish. Continue
with socrates work resume.`}
	return a.hold(c, false, "Pausing ", ": no new step starts. Continue with: socrates work resume ")
}

// newCancel returns the command cancel. It exits at once; agents and checks are stopped by the process they belong
// to.
func newCancel(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "cancel [RUN]", Short: "Stop a run at once; everything recorded is kept",
		Long: `Stop the run's agents and checks, whichever process executes it. Merged steps and workspaces are
kept, so socrates work resume can still continue it.`}
	return a.hold(c, true, "Cancelled ", ". Finished steps are kept. To continue anyway: socrates work resume ")
}

// Both are messages in the record, which the executing process reads; nothing needs to run here.
func (a *commands) hold(c *cobra.Command, cancel bool, before, after string) *cobra.Command {
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if _, err := e.Do(ctx, runs.Hold{Run: name, Cancel: cancel}); err != nil {
			return err
		}
		return a.done(before+name+after+name, order{Run: name, Verb: c.Name()})
	})
}

// newReassign returns the command reassign. An executor that cannot do the step is refused at once; otherwise it does
// the step when the run continues.
func newReassign(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "reassign [RUN] STEP EXECUTOR", Short: "Give a step to another executor",
		Long: `EXECUTOR is a seat, such as claude or anthropic:big; it does the step alone. A step that failed, or
waits for you, starts over with it. Then continue the run with socrates work resume.`,
		Example: "  socrates work reassign 3 anthropic:big"}
	return a.onRun(c, 2, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		to := record.Order{Verb: "reassign", Task: args[0], Executor: args[1]}
		if _, err := e.Do(ctx, runs.Decide{Run: name, Order: to}); err != nil {
			return err
		}
		return a.done("Recorded: step "+args[0]+" is assigned to "+args[1]+". Continue with: socrates work resume "+name,
			order{name, args[0], "reassign", args[1]})
	})
}

// newReplan returns the command replan. The record keeps the old version of the plan, with the results of its steps.
func newReplan(a *commands) *cobra.Command {
	model := ""
	c := &cobra.Command{Use: "replan [RUN] WORDS", Short: "Have a model change the plan",
		Long: `WORDS say what to change. The model that wrote the plan, or --seat, writes a new version of all of
it, which code checks like the first one. Merged steps stay as they are; steps whose text is
unchanged keep their results.`,
		Example: `  socrates work replan "split step 3, and test the timeout too"`}
	c.Flags().StringVar(&model, "seat", "", "`model` that plans this time")
	call.Unattended(c)
	return a.onRun(c, 1, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		// Without a plan there is nothing to change; the phases begin one.
		if s.Planned == nil {
			return failure.Usage("run "+name+" has no plan", "write one: socrates plan "+name)
		}
		ctx, end := a.Ended(ctx)
		defer end()
		if s, err = a.advance(ctx, e, runs.Advance{Run: name, Feedback: args[0], Model: model}); err != nil {
			return err
		}
		return a.planned(ctx, e, s)
	})
}

// newEdit returns the command edit. A plan that code refuses leaves the old one unchanged: it exits with 9 if it came
// from a file, and opens the editor again for a person.
func newEdit(a *commands) *cobra.Command {
	file := ""
	c := &cobra.Command{Use: "edit [RUN]", Short: "Edit a run's plan: change, add, delete or reorder steps",
		Long: `Open the plan in your editor (VISUAL or EDITOR), or read it from --file. Code checks it like any
plan; then it becomes the next version of the run's plan. Merged steps keep their number and text;
steps whose text is unchanged keep their results.`,
		Example: `  socrates work edit
  socrates work show --plan > plan.md && socrates work edit --file plan.md`}
	c.Flags().StringVar(&file, "file", "", "read the new plan from this `file` (-: stdin)")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		if s.Planned == nil {
			return failure.Usage("run "+name+" has no plan", "write one: socrates plan "+name)
		}
		was, err := e.Text(ctx, s.Planned.Text)
		if err != nil {
			return err
		}
		if file != "" {
			text, by, ok, err := a.file(file)
			if err == nil && !ok {
				err = failure.Usage("no plan in "+file+": no such file", "")
			}
			if err != nil {
				return err
			}
			return a.revise(ctx, e, name, was, text, by)
		}
		// An editor without a terminal has no input.
		if !a.Attended() {
			return failure.Usage("an editor needs a terminal", "give the new plan with --file")
		}
		return a.edited(ctx, e, name, was)
	})
}

// edited opens the plan in an editor until it is valid, or the person gives up. A refused plan is not lost: it is
// opened again as the person left it.
func (a *commands) edited(ctx context.Context, e *engine.Engine, name, was string) error {
	for text := was; ; {
		var err error
		if text, err = a.Edit(ctx, "plan", text); err != nil {
			return err
		}
		if err = a.revise(ctx, e, name, was, text, "a person"); err == nil || failure.Explain(err).Code != failure.ExitTasks {
			return err
		}
		a.Out.Ask(err.Error() + "\n")
		word, rerr := a.ReadLine("Enter to edit it again, q to keep the old plan: ")
		if rerr != nil || word == "q" {
			return err
		}
	}
}

// revise makes a text the next version of a run's plan. An unchanged text makes no new version.
func (a *commands) revise(ctx context.Context, e *engine.Engine, name, was, text, by string) error {
	if text == was {
		return a.done("The plan is unchanged.", revised{Run: name})
	}
	if _, err := e.Do(ctx, runs.Plan{Run: name, Text: text, By: by}); err != nil {
		return told(err)
	}
	_, s, err := a.status(ctx, e, name)
	if err != nil {
		return err
	}
	return a.planned(ctx, e, s)
}

// planned reports a new version of a plan.
func (a *commands) planned(ctx context.Context, e *engine.Engine, s work.Status) error {
	name := s.Frame.Run
	if s.Begun == nil {
		return a.came(ctx, e, s, way.Plan)
	}
	return a.done(fmt.Sprintf("Version %d of the plan of %s: %s, %d merged. Continue with: socrates work resume %s",
		s.Planned.Version, name,
		out.Count(len(s.Tasks), "step"), len(s.Merged()), name),
		revised{name, true, s.Planned.Version, &s.Plan})
}
