package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

func newPause(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "pause [RUN]", Short: "Let a run begin nothing more; what is at work comes to its end",
		Long: `No phase and no step begins any more, in whichever process the run is carried out; steps that are
at work come to their end. socrates work resume goes on.`}
	return a.hold(c, false, "Pausing ", ": nothing more begins. Go on with: socrates work resume ")
}

func newCancel(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "cancel [RUN]", Short: "Stop a run at once; nothing that is recorded is lost",
		Long: `Agents and checks are ended, in whichever process the run is carried out. What was merged stays,
and so do the workspaces: socrates work resume goes on after all.`}
	return a.hold(c, true, "Cancelled ", ". What is done stays. Go on after all with: socrates work resume ")
}

func (a *commands) hold(c *cobra.Command, cancel bool, before, after string) *cobra.Command {
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if _, err := e.Do(ctx, runs.Hold{Run: name, Cancel: cancel}); err != nil {
			return err
		}
		return a.done(before+name+after+name, map[string]any{"run": name, "verb": c.Name()})
	})
}

func newReassign(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "reassign [RUN] STEP EXECUTOR", Short: "Give a step to another executor",
		Long: `EXECUTOR is a seat, such as claude or anthropic:big; it does the step alone. A step that failed, or
waits for a person, begins anew with it. The run goes on with socrates work resume.`,
		Example: "  socrates work reassign 3 anthropic:big"}
	return a.onRun(c, 2, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		if _, err := e.Do(ctx, runs.Decide{Run: name, Word: record.Word{Verb: "reassign", Task: args[0], Executor: args[1]}}); err != nil {
			return err
		}
		return a.done("Recorded: step "+args[0]+" is for "+args[1]+". Go on with: socrates work resume "+name,
			map[string]any{"run": name, "step": args[0], "verb": "reassign", "executor": args[1]})
	})
}

func newReplan(a *commands) *cobra.Command {
	model := ""
	c := &cobra.Command{Use: "replan [RUN] WORDS", Short: "Have the plan changed by the model that wrote it, or another one",
		Long: `WORDS say what should be different. The model answers with a new version of the whole plan, which
code checks like the first one. Steps that are merged stay as they are; steps whose text is the
same keep what they came to.`,
		Example: `  socrates work replan "split step 3, and test the timeout too"`}
	c.Flags().StringVar(&model, "seat", "", "`model` that plans this time")
	return a.onRun(c, 1, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		if s.Planned == nil {
			return failure.Usage("run "+name+" has no plan", "have it written: socrates plan "+name)
		}
		a.Alone = true
		ctx, end := a.Ended(ctx)
		defer end()
		if s, err = a.advance(ctx, e, runs.Advance{Run: name, Feedback: args[0], Model: model}); err != nil {
			return err
		}
		return a.planned(ctx, e, s)
	})
}

func newEdit(a *commands) *cobra.Command {
	file := ""
	c := &cobra.Command{Use: "edit [RUN]", Short: "Edit the plan of a run in your editor: change, add, delete or reorder steps",
		Long: `The plan is opened in your editor (VISUAL or EDITOR), or taken from --file. Code checks it like any
plan; then it is the next version of the run's plan. Steps that are merged keep their number and
their text; steps whose text is the same keep what they came to.`,
		Example: `  socrates work edit
  socrates work show --plan > plan.md && socrates work edit --file plan.md`}
	c.Flags().StringVar(&file, "file", "", "take the new plan from this `file`; - is stdin")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		if s.Planned == nil {
			return failure.Usage("run "+name+" has no plan", "have it written: socrates plan "+name)
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
		if !a.Attended() {
			return failure.Usage("an editor needs a terminal", "give the new plan with --file")
		}
		return a.edited(ctx, e, name, was)
	})
}

// edited has the plan edited until it is right, or the person leaves it.
func (a *commands) edited(ctx context.Context, e *engine.Engine, name, was string) error {
	for text := was; ; {
		var err error
		if text, err = a.Edit(ctx, "plan", text); err != nil {
			return err
		}
		if err = a.revise(ctx, e, name, was, text, "a person"); err == nil || failure.Explain(err).Code != failure.ExitTasks {
			return err
		}
		a.Out.Tell(a.Out.Clean(err.Error()) + "\n")
		word, rerr := a.ReadLine("Enter edits it again, q leaves the plan as it was: ")
		if rerr != nil || word == "q" {
			return err
		}
	}
}

// revise makes a text the next version of a run's plan.
func (a *commands) revise(ctx context.Context, e *engine.Engine, name, was, text, by string) error {
	if text == was {
		return a.done("The plan is unchanged.", map[string]any{"run": name, "changed": false})
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

// planned tells of a new version of a plan.
func (a *commands) planned(ctx context.Context, e *engine.Engine, s work.Status) error {
	name := s.Frame.Run
	if s.Begun == nil {
		return a.came(ctx, e, s, way.Plan)
	}
	return a.done(fmt.Sprintf("Version %d of the plan of %s: %s, %d merged. Go on with: socrates work resume %s", s.Planned.Version, name,
		out.Count(len(s.Tasks), "step"), len(s.Merged()), name),
		map[string]any{"run": name, "changed": true, "version": s.Planned.Version, "plan": s.Plan})
}
