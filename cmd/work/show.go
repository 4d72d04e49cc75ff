package work

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
)

// recorded returns the runs of this project, or of all.
func (a *commands) recorded(ctx context.Context, all bool) (e *engine.Engine, list []runs.Info, err error) {
	if e, err = a.Open(ctx); err != nil {
		return nil, nil, err
	}
	dir := ""
	if !all {
		if dir, err = a.project(); err != nil {
			return nil, nil, err
		}
	}
	list, err = runs.In(e).List(ctx, dir)
	return e, list, err
}

// listed describes runs for noun. Whether a run is running follows from its lock, not its record, so a killed process
// shows as stopped. force is for its rm.
func listed(a *commands, force *bool) noun.Noun[runs.Deleted] {
	return noun.Noun[runs.Deleted]{Call: a.Call, Is: "run", Are: "runs", Path: "socrates work", First: `Write a plan: socrates plan "…"`,
		Scope: noun.Scope{Is: "project", Here: a.project},
		Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) (list []runs.Deleted, _ error) {
			all, err := runs.In(e).List(ctx, q.Dir)
			for _, r := range all {
				list = append(list, runs.Deleted{Info: r})
			}
			return list, err
		}),
		Line: func(r runs.Deleted) string { return clean.Line(card(r, false)) + "\n" },
		Far:  func(r runs.Deleted) string { return clean.Line(card(r, true)) + "\n" },
		Name: func(r runs.Deleted) (string, string) { return r.Name, out.Clip(r.Title, 60) },
		Newest: func(ctx context.Context) (string, error) {
			e, err := a.Open(ctx)
			if err != nil {
				return "", err
			}
			return a.named(ctx, e, "last")
		},
		Trash: &noun.Trash[runs.Deleted]{Gone: "runs", One: "deleted",
			Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]runs.Deleted, error) {
				return runs.In(e).Trash(ctx, q.Dir)
			}),
			Named: func(_ context.Context, _ *engine.Engine, name string) (string, error) {
				return strings.TrimPrefix(name, "run/"), nil
			},
			Delete:  func(names []string) engine.Op { return runs.Delete{Runs: names, Forced: *force} },
			Restore: func(name string) engine.Op { return runs.Restore{Run: name} }}}
}

// newShow returns the command show. It exits with 0 whatever the state of the run; a script reads that from --output
// json.
func newShow(a *commands, n noun.Noun[runs.Deleted]) *cobra.Command {
	text := false
	c := &cobra.Command{Use: "show [RUN]", Short: "Show a run: its steps, their state and why"}
	c.Flags().BoolVar(&text, "plan", false, "print the plan as written")
	return n.Shows(c, func(ctx context.Context, name string) error {
		name = strings.TrimPrefix(name, "run/")
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		info, s, err := runs.In(e).Info(ctx, name)
		if err != nil {
			return err
		}
		if text {
			if s.Planned == nil {
				return failure.Usage("run "+name+" has no plan", "write one: socrates plan "+name)
			}
			body, err := e.Text(ctx, s.Planned.Text)
			if err != nil {
				return err
			}
			_, err = a.Out.Write([]byte(a.Out.Clean(body)))
			return failure.Unread(err)
		}
		if a.Out.Format != "text" {
			r := a.result(s)
			r.Running = info.Running
			return a.Out.JSON(r)
		}
		if a.table(s, info.Running); s.State == work.Open && !s.Died && !info.Running {
			fmt.Fprintln(a.Out, "Stopped. Continue with: socrates work resume "+name)
		}
		return nil
	})
}

// table shows the steps of a run, those that need somebody with the reason below.
func (a *commands) table(s work.Status, running bool) {
	head := s.Frame.Run + ": " + string(s.State)
	switch {
	case s.Died:
		head = s.Frame.Run + ": died"
	case s.State == work.Asked && s.Stopped != nil: // as in the list
		head = s.Frame.Run + ": failed"
	case s.Accepted():
		head = s.Frame.Run + ": accepted (" + s.Taken.How + ")"
	case s.Taken != nil:
		head += fmt.Sprintf(", accepted up to %.7s (%s)", s.Taken.Commit, s.Taken.How)
	}
	// It crashed while accepting: nothing is lost, and the same command finishes it.
	if s.Bringing != nil {
		head = s.Frame.Run + ": accepting it (" + s.Bringing.How + ") was not completed; run it again: socrates work accept " + s.Frame.Run
		switch {
		case s.Bringing.Patch:
			head += " --patch"
		case s.Bringing.Branch != "":
			head += " --branch " + s.Bringing.Branch
		}
	}
	if s.Title() != "" {
		head += " · " + s.Title()
	}
	fmt.Fprintln(a.Out, clean.Line(head))
	for _, t := range s.Tasks {
		fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("%3s  %-8s %-7.7s  %s%s", t.ID, t.State.Word(running), t.Commit, t.Title,
			after(t.Needs))))
		for _, r := range t.Racers {
			fmt.Fprintln(a.Out, out.Fit(os.Stdout, "     "+clean.Line(raced(r)), "     "))
		}
		if t.State != work.Done {
			for _, why := range t.Why {
				fmt.Fprintln(a.Out, out.Fit(os.Stdout, "     "+clean.Line(why), "     "))
			}
		}
	}
	line := out.Count(s.Checks, "check run")
	if total := s.Usage.Total(); total > 0 {
		line += fmt.Sprintf(" · %s tokens · %s", out.Thousands(total), s.Usage.Money())
	}
	fmt.Fprintln(a.Out, line)
	// Before the first step the plan can still be changed.
	if s.Begun == nil {
		foreseen(a, s.Plan)
	}
	if next := unplanned(s); next != "" {
		fmt.Fprintln(a.Out, clean.Line(next))
	}
}

// foreseen warns of steps that code alone will not let through.
func foreseen(a *commands, p plan.Plan) {
	for _, f := range proof.Foresee(p) {
		a.Out.Warn(clean.Line(f.String()))
	}
}

// unplanned says where a run without a plan is, or one whose process died, and how to go on; empty: it has a plan.
func unplanned(s work.Status) string {
	name := s.Frame.Run
	if s.Died {
		return "Its process died. Continue with: socrates work resume " + name
	}
	if s.Stopped != nil && s.Stopped.Few {
		return "Stopped: " + s.Stopped.Why + ". Debate again: socrates work resume " + name + "; or decide: socrates decisions overrule " +
			s.Analyzed.Room + " OPTION"
	}
	undecided := s.Analyzed != nil && s.Analyzed.Room != "" && s.Analyzed.Text == ""
	switch {
	case undecided && s.Stopped != nil:
		return "Not decided yet. Decide: socrates decisions overrule " + s.Analyzed.Room + " OPTION. Then: socrates work resume " + name
	case s.Stopped != nil:
		return "Stopped: " + s.Stopped.Why + ". Continue with: socrates work resume " + name
	case s.Planned != nil || s.Begun != nil || len(s.Tasks) > 0:
		return ""
	// The panel did not decide by itself.
	case undecided:
		return "Not decided yet: socrates debate show " + s.Analyzed.Room + ". Then continue with: socrates work resume " + name
	case s.Ahead() != "":
		return "No plan yet; next is " + string(s.Ahead()) + ". Continue with: socrates work resume " + name
	}
	return "No plan yet. Have it written: socrates plan " + name
}

// raced formats one executor of a race, on one line.
func raced(r work.Racer) string {
	line := fmt.Sprintf("attempt %d · %s · %s", r.Attempt, r.Executor, cmp.Or(string(r.State), "working"))
	if r.State == proof.Proved {
		line += fmt.Sprintf(" · %s changed", out.Count(r.Lines, "line"))
	}
	if r.Chosen {
		line += " · chosen"
	}
	if r.State != proof.Proved && len(r.Why) > 0 {
		line += ": " + strings.Join(r.Why, "; ")
	}
	return line
}

// after lists what a step waits for, in brackets.
func after(needs []string) string {
	if len(needs) == 0 {
		return ""
	}
	return " (after " + strings.Join(needs, ", ") + ")"
}

// newStatus is the command status: one line, for a prompt or a status bar.
func newStatus(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "status [RUN]", Short: "Show a run's progress in one line"}
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		info, s, err := runs.In(e).Info(ctx, name)
		if err != nil {
			return err
		}
		counts := map[work.State]int{}
		for _, t := range s.Tasks {
			counts[t.State]++
		}
		load := runs.In(e).Load(s.Space())
		if a.Out.Format != "text" {
			return a.Out.JSON(progress{name, s.State, info.Running, info.Died, info.By, counts, s.Head, s.Usage.USD, load.Programs,
				load.CPU.Seconds(), load.Memory, load.Disk})
		}
		parts := []string{name + ":", fmt.Sprintf("%d of %s merged", counts[work.Done], out.Count(len(s.Tasks), "step"))}
		for _, st := range []work.State{work.Working, work.Person, work.Failed, work.Blocked, work.Skipped} {
			if counts[st] > 0 {
				parts = append(parts, fmt.Sprintf("· %d %s", counts[st], st.Word(info.Running)))
			}
		}
		if load.Programs > 0 { // disk use of an idle run is shown by its pages and by prune
			parts = append(parts, "· "+load.Working(), "· "+load.OnDisk())
		}
		// A person's command takes precedence over what the process was doing.
		if s.Held() {
			parts = append(parts, "· "+string(s.State)+"; continue with: socrates work resume "+name)
		} else if info.Running {
			parts = append(parts, "· "+runsIn(a, info.By))
		} else if s.Accepted() {
			parts = append(parts, "· accepted ("+s.Taken.How+")")
		} else if s.Stopped != nil {
			parts = append(parts, "· "+s.Stopped.Why+"; continue with: socrates work resume "+name)
		} else if s.Died {
			parts = append(parts, "· its process died; continue with: socrates work resume "+name)
		} else if s.State == work.Open {
			parts = append(parts, "· stopped; continue with: socrates work resume "+name)
		}
		fmt.Fprintln(a.Out, strings.Join(parts, " "))
		return nil
	})
}

// runsIn says where a run is executed, which it does not outlive.
func runsIn(a *commands, by string) string {
	if h := a.AtHub(); h != nil {
		return "running on the hub " + h.URL
	}
	if by != "" {
		return "running in " + by
	}
	return "running"
}

// newNext returns the command next. Steps that wait for somebody are printed on stderr: they are why nothing else is
// ready.
func newNext(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "next [RUN]", Short: "List the steps that can start, most urgent first"}
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		list := s.Next()
		if a.Out.Format != "text" {
			return a.Out.JSON(list)
		}
		for _, t := range list {
			fmt.Fprintln(a.Out, clean.Line(t.ID+"  "+t.Title))
		}
		if len(list) == 0 {
			a.Out.Tell("No step is ready.\n")
		}
		for _, t := range s.Left() {
			if t.State == work.Person || t.State == work.Failed || t.State == work.Blocked {
				a.Out.Tell(clean.Line(fmt.Sprintf("step %s (%s) is %s: %s", t.ID, t.Title, t.State, t.Reasons())) + "\n")
			}
		}
		return nil
	})
}

// newSchedule returns the command schedule: how long the plan would take with a number of workers, in units of a
// small step.
func newSchedule(a *commands) *cobra.Command {
	workers := 0
	c := &cobra.Command{Use: "schedule [RUN|FILE]", Short: "Show the steps' schedule and what more workers would save"}
	c.Flags().IntVar(&workers, "workers", 2, "number of steps in parallel")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if workers < 1 || workers > 64 {
			return failure.Usage("--workers must be 1 to 64", "")
		}
		text, _, ok, err := a.file(name)
		if err != nil {
			return err
		}
		if ok {
			p, faults := plan.Read(text)
			if len(faults) > 0 {
				return told(&runs.Wrong{Faults: faults})
			}
			return a.schedule(p, workers, nil)
		}
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		return a.schedule(s.Plan, workers, nil)
	})
}

// schedule shows how a plan would run, and with which settings, if they are known.
// More workers are listed as long as each saves time, up to 16.
func (a *commands) schedule(p plan.Plan, workers int, settings *foreseenSteps) error {
	slots, span := p.Schedule(workers)
	var more []saving
	for n, last := 1, 0; n <= min(16, len(p.Tasks)); n++ {
		_, m := p.Schedule(n)
		// From here on the critical path bounds the time, not the workers.
		if n > 1 && m >= last {
			break // more workers save nothing
		}
		more, last = append(more, saving{n, m}), m
	}
	foreseen(a, p)
	critical := 0
	for _, w := range p.Critical() {
		critical = max(critical, w)
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(timetable{workers, span, critical, p.Work(), slots, more, p.Advise(16), settings})
	}
	fmt.Fprintf(a.Out, "%s, %s; a small step takes 1 unit of time\n", out.Count(len(p.Tasks), "step"), out.Count(workers, "worker"))
	for _, s := range slots {
		t, _ := p.Task(s.Task)
		fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("%4d–%-4d worker %-2d  %3s  %s%s", s.Start, s.End, s.Worker, t.ID, t.Title,
			after(t.Needs))))
	}
	fmt.Fprintf(a.Out, "critical path %d, total work %d\n", critical, p.Work())
	for _, m := range more {
		fmt.Fprintf(a.Out, "  %-10s %d\n", out.Count(m.Workers, "worker")+":", m.Makespan)
	}
	fmt.Fprintf(a.Out, "advised: %s; more would save less than 5 %%\n", out.Count(p.Advise(16), "worker"))
	if settings != nil {
		printSteps(a, *settings)
	}
	return nil
}
