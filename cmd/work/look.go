package work

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// newDiff returns the command diff. It shows commits of the run's own branch; it does not read the project.
func newDiff(a *commands) *cobra.Command {
	attempt, against := 0, 0
	c := &cobra.Command{Use: "diff [RUN] [STEP]", Short: "Show what a run, or one of its steps, changed",
		Long: `Show what a run or one of its steps changed. If a step had several attempts, or was raced,
--attempt shows one of them, and --against compares two.`,
		Example: "  socrates work diff\n  socrates work diff 2 --attempt 1\n  socrates work diff 2 --attempt 1 --against 2"}
	a.onRun(c, 0, nil)
	c.Flags().IntVar(&attempt, "attempt", 0, "show what this `attempt` changed (0: the last, or what was merged)")
	c.Flags().IntVar(&against, "against", 0, "compare with this `attempt` instead of the state before")
	c.Args = cobra.MaximumNArgs(2)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		name, step, s, space, err := a.locate(ctx, args)
		if err != nil {
			return err
		}
		from, to := s.Begun.Base.Commit, s.Head
		switch {
		case step != "":
			from, to, err = ends(s, step, attempt, against)
		// A run as a whole has no attempts.
		case attempt != 0 || against != 0:
			err = failure.Usage("--attempt and --against need a step", "name the step: socrates work diff "+name+" STEP --attempt N")
		}
		if err != nil {
			return err
		}
		patch, err := space.Patch(ctx, from, to)
		if err != nil {
			return err
		}
		shown := a.Out.Clean(clean.Reveal(patch))
		if a.Out.Format != "text" {
			return a.Out.JSON(difference{name, step, from, to, shown})
		}
		if shown != patch && !out.IsTerminal(os.Stdout) {
			a.Out.Tell("note: secrets or invisible characters are not printed as they are; to apply the change, use socrates work accept\n")
		}
		_, err = a.Out.Write([]byte(shown))
		return failure.Unread(err)
	}
	return c
}

// ends returns the commits to compare for the change of a step, of one of its attempts, or between two attempts. For
// a merged step that is what its merge added to the branch; otherwise it is the change as made, on the commit it was
// made on.
func ends(s work.Status, step string, attempt, against int) (from, to string, err error) {
	name := s.Frame.Run
	t := s.Task(step)
	if t == nil {
		return "", "", failure.Usage(fmt.Sprintf("run %s has no step %q", name, clean.Line(step)),
			"see its steps: socrates work show "+name)
	}
	if attempt == 0 && against == 0 {
		if t.Change == "" {
			return "", "", failure.Usage("step "+step+" has changed nothing yet", "see why: socrates work show "+name)
		}
		// A merge may differ from the change: other steps were merged in between.
		for _, m := range s.Merges {
			if t.State == work.Done && m.Task == step {
				return m.Onto, m.Commit, nil
			}
		}
		return t.Base, t.Change, nil
	}
	// --against alone compares with the last attempt.
	if attempt == 0 {
		attempt = t.Attempt
	}
	base, to, ok := t.Brought(attempt)
	from = base
	if against != 0 && ok {
		attempt = against
		_, from, ok = t.Brought(against)
	}
	if !ok {
		return "", "", failure.Usage(fmt.Sprintf("attempt %d of step %s produced no change", attempt, step),
			"see its attempts: socrates work logs "+name+" "+step)
	}
	return from, to, nil
}

// locate finds the run and step that arguments name, the run's status and its workspaces.
func (a *commands) locate(ctx context.Context, args []string) (run, step string, s work.Status, space *workspace.Space, err error) {
	e, run, step, err := a.step(ctx, args)
	if err != nil {
		return run, step, s, nil, err
	}
	if _, s, err = a.status(ctx, e, run); err != nil {
		return run, step, s, nil, err
	}
	space, err = runs.In(e).Space(ctx, s)
	return run, step, s, space, err
}

// step parses [RUN] [STEP]: a number alone is a step of the most recent run.
func (a *commands) step(ctx context.Context, args []string) (e *engine.Engine, run, step string, err error) {
	if e, err = a.Open(ctx); err != nil {
		return nil, "", "", err
	}
	// Digits alone are a step of the most recent run.
	if len(args) > 0 && strings.Trim(args[0], "0123456789") == "" && args[0] != "" {
		args = append([]string{""}, args...)
	}
	if len(args) > 0 {
		run = args[0]
	}
	if len(args) > 1 {
		step = args[1]
	}
	if len(args) > 2 {
		return e, "", "", failure.Usage("too many arguments", "name a run and a step")
	}
	run, err = a.named(ctx, e, run)
	return e, run, step, err
}

// recorded are the nodes of a run.
func recorded(ctx context.Context, e *engine.Engine, run string) ([]tree.Node, error) {
	root, err := runs.In(e).Root(ctx, run)
	if err != nil {
		return nil, err
	}
	return e.Tree(ctx, root)
}

// newLogs returns the command logs: what happened in each try. Programs get the nodes themselves, a line each.
func newLogs(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "logs [RUN] [STEP]", Short: "Show tries, checks and the output of failed checks"}
	a.onRun(c, 0, nil)
	c.Args = cobra.MaximumNArgs(2)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, name, step, err := a.step(ctx, args)
		if err != nil {
			return err
		}
		nodes, err := recorded(ctx, e, name)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			for _, n := range nodes {
				if err := a.Out.Line(n); failure.Unread(err) != nil {
					return err
				}
			}
			a.Out.Told = true
			return nil
		}
		tried, ended := map[string]bool{}, []string{}
		for _, n := range nodes {
			switch v := work.Body(n).(type) {
			case record.Tried:
				tried[v.Key] = true
				if v.Failed != "" && (step == "" || v.Task == step) {
					unfinished(a.Out, name, v)
				}
			case record.Proven:
				if step == "" || v.Task == step {
					a.proof(ctx, e, name, v, tried[v.Key])
				}
			case record.GivenUp:
				if step == "" || v.Task == step {
					ended = append(ended, "step "+v.Task+" ended: "+strings.Join(v.Why, "; "))
				}
			}
		}
		// Why a step ended comes last, below all of its tries.
		for _, line := range ended {
			fmt.Fprintln(a.Out, clean.Line(line))
		}
		return nil
	}
	return c
}

// newOpen is the command open: a path to stdout, for cd and editors.
func newOpen(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "open [RUN] [STEP]", Short: "Print the folder of a run, or of a step's workspace",
		Long: `Print the path of a step's workspace. You can work there, too: what counts is its content when the step is
proved. Workspaces of merged steps are removed; their commits stay in the run.`}
	a.onRun(c, 0, nil)
	c.Args = cobra.MaximumNArgs(2)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		name, step, s, space, err := a.locate(ctx, args)
		if err != nil {
			return err
		}
		at := space.Dir()
		if step != "" {
			t := s.Task(step)
			// The workspace of a merged step is removed.
			if t == nil || t.Claim == nil || t.State == work.Done {
				return failure.Usage("step "+clean.Line(step)+" has no workspace", "see its state: socrates work show "+name)
			}
			at = space.Place(record.Conversation(name, *t.Claim))
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(workspacePath{name, step, at})
		}
		fmt.Fprintln(a.Out, at)
		return nil
	}
	return c
}

// newDecide returns approve, retry or skip: a person's decision about a step, which the next resume applies.
func newDecide(a *commands, verb, short, long string) *cobra.Command {
	c := &cobra.Command{Use: verb + " [RUN] STEP", Short: short,
		Long: short + ".\n\n" + long + "\n\nThen continue the run with socrates work resume."}
	return a.onRun(c, 1, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		if _, err := e.Do(ctx, runs.Decide{Run: name, Order: record.Order{Verb: verb, Task: args[0]}}); err != nil {
			return err
		}
		return a.done(fmt.Sprintf("Recorded: %s step %s. Continue with: socrates work resume %s", verb, args[0], name),
			order{Run: name, Step: args[0], Verb: verb})
	})
}

// newRemove returns the command rm. Without --force it refuses to remove work that exists nowhere else.
func newRemove(n noun.Noun[runs.Deleted], force *bool) *cobra.Command {
	c := &cobra.Command{Use: "rm RUN…", Aliases: []string{"delete"}, Short: "Delete runs; for " + call.TrashDays + " they can be restored",
		Long: `Move runs to the trash, with their workspaces. For ` + call.TrashDays + ` you can restore them with socrates
work restore; after that they are removed from the disk. A run with merged work that was not
accepted, or with a workspace that is not merged, is refused without --force.`}
	c.Flags().BoolVar(force, "force", false, "also delete work that is not accepted or not merged")
	return n.Remove(c)
}
