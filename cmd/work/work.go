// Package work holds the commands of plans and runs: they plan, execute, inspect and accept.
//
// refine, analyze, plan and execute are the phases of a run, do is all of them; the group work inspects runs, steers
// them and accepts their results; queue runs prompts one after the other; issue makes drafts of issues; why traces a
// line of the project back to its step. Runs and their execution are in internal/work and internal/engine/runs; these
// commands read flags, start jobs and show what is recorded.
//
// The run is a named one or the most recent one of the project; onRun and step read that from the arguments. Commands
// that inspect a run, or decide about it, do not work on it, so they can be used beside a process that does. The
// project changes only with accept.
//
// Exit codes: 0 done; 9 a step, a check or the plan itself failed; 12 a step waits for a person; 130 paused,
// cancelled or stopped (143 and 129 by their signals); 2 a run, step or file that does not exist; 3, 4, 5 and 7 as
// for any model; 1 a record that does not verify and the rest.
//
// Files: phase.go, do.go, execute.go and flags.go begin and execute runs; hold.go has a person's commands while a run
// executes (pause, cancel, reassign, replan, edit) and look.go their decisions about a step; show.go, trace.go,
// why.go, review.go, report.go and board.go read; accept.go and parcel.go pass results on; queue.go, issue.go and
// issuefile.go are groups of their own.
//
// A command that works on a run (do, the phases, execute, resume, replan, rebase, queue run) is alone in asking the
// person, ends on a signal by cancelling its job, and leaves everything recorded: resume continues from there. All
// others exit at once, whatever the run does. Progress goes to stderr, results to stdout; with --output json there is
// one object at the end, with stream-json a line for each node.
package work

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// commands is made once for the program and shared by all work commands.
type commands struct {
	*call.Call
	rooms *room.Rooms
}

// Work has the commands on runs of a call.
type Work struct{ commands }

// New returns the commands on runs of a call.
func New(shared *call.Call, rooms *room.Rooms) *Work { return &Work{commands{shared, rooms}} }

// Commands returns the phases, alone and together, and the group work.
func (w *Work) Commands() []*cobra.Command {
	a := &w.commands
	c := &cobra.Command{Use: "work", Short: "Inspect, steer, accept and delete runs of plans",
		Long: `A run executes a plan. An agent does each step in its own clone; the step's checks prove it in a
clean clone; then it is merged onto the run's branch, where every commit is green. The project does
not change before work accept.

RUN names a run; the default is the most recent one of this project.`,
		Example: `  socrates plan "Add a retry limit to the client" --allow-check "go test ./..."
  socrates execute --check "go test ./..."
  socrates work show
  socrates work accept`}
	force := false
	n := listed(a, &force)
	c.AddCommand(n.List("List runs of this project, most recent first"), newShow(a, n), newStatus(a), newWhy(a), newTrace(a),
		newWatch(a), newReport(a), newReview(a),
		newBoard(a), newQueue(a), newExport(a), newImport(a), newVerify(a), newPrune(a, n), newSchema(a),
		newNext(a), newSchedule(a), newDiff(a), newLogs(a), newOpen(a), newResume(a),
		newPause(a), newCancel(a), newReassign(a), newEdit(a), newReplan(a), newRebase(a),
		newDecide(a, "approve", "Approve a step that waits for you",
			"Its checks have passed. This accepts the problems that code found (a changed test, a file outside the step)."),
		newDecide(a, "retry", "Retry a step that failed or waits for you",
			"It starts over in a new workspace. Earlier attempts stay in the run."),
		newDecide(a, "skip", "Skip a step", "Steps that depend on it run as if it were done."), newAccept(a), newIssue(a),
		newRemove(n, &force),
		n.Restores(&cobra.Command{Use: "restore RUN", Short: "Restore a deleted run, with its workspaces"}))
	phases := []*cobra.Command{newDo(a), newRefine(a), newAnalyze(a), newPlan(a), newExecute(a)}
	call.Unattended(phases...)
	return append(phases, c, newWhyLine(a))
}

// onRun makes a command run on a run that may be named before its other arguments. One argument beyond args is the
// name of the run, and it comes first.
func (a *commands) onRun(c *cobra.Command, args int, run func(ctx context.Context, e *engine.Engine, name string,
	args []string) error) *cobra.Command {
	c.Args = func(c *cobra.Command, given []string) error {
		if len(given) < args {
			return failure.Usage("missing argument: "+c.UseLine(), "see: "+c.CommandPath()+" --help")
		}
		if len(given) > args+1 {
			return failure.Usage(c.CommandPath()+" takes at most "+out.Count(args+1, "argument")+", not "+out.Thousands(len(given)),
				"see: "+c.CommandPath()+" --help")
		}
		return nil
	}
	c.ValidArgsFunction = a.complete
	c.RunE = func(c *cobra.Command, given []string) error {
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name := ""
		if len(given) > args {
			name, given = given[0], given[1:]
		}
		if name, err = a.named(ctx, e, name); err != nil {
			return err
		}
		return run(ctx, e, name, given)
	}
	return c
}

// named returns the run that is meant: without a name, or with "last", the one of this project that began last, in
// any state. It also accepts the name of its branch in the project: run/NAME.
func (a *commands) named(ctx context.Context, e *engine.Engine, name string) (string, error) {
	if name == "last" {
		if _, _, err := a.status(ctx, e, name); err == nil { // a run is called "last"
			return name, nil
		}
	} else if name != "" {
		return strings.TrimPrefix(name, "run/"), nil
	}
	dir, err := a.project()
	if err != nil {
		return "", err
	}
	all, err := runs.In(e).List(ctx, dir)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", failure.Usage("no runs in this project",
			"write a plan: socrates plan \"…\"; or list the runs of all projects: socrates work list --all")
	}
	return all[0].Name, nil
}

// complete offers the runs of this project to the shell.
func (a *commands) complete(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return listed(a, new(bool)).Offers(1)(c, args, begun)
}

// status reads a run from its nodes.
func (a *commands) status(ctx context.Context, e *engine.Engine, name string) (tree.ID, work.Status, error) {
	return runs.In(e).Status(ctx, name)
}

// done reports the effect of a command: a sentence for a person, an object for a program.
func (a *commands) done(sentence string, object any) error {
	return a.Out.Done(object, sentence)
}
