package slash

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// pieces splits a line at blanks outside double quotes. It is less than a shell: no escapes, no single quotes,
// since apostrophes are common in requests. A quote that is never closed extends to the end of the line.
func pieces(line string) (words []string) {
	word, inside, some := "", false, false
	for _, r := range line {
		switch {
		case r == '"':
			inside, some = !inside, true
		case !inside && strings.ContainsRune(" \t\n", r):
			if some {
				words = append(words, word)
			}
			word, some = "", false
		default:
			word, some = word+string(r), true
		}
	}
	if some {
		words = append(words, word)
	}
	return words
}

// led parses a request and its way after a command. Options may be anywhere in the line. Without an executor
// the model of the conversation does the steps, so that the choice made here applies.
func led(ctx context.Context, env *Env, c, args string) (text string, to way.Way, err error) {
	rest, values, err := valued(c, args, "--check", "--executor", "--review")
	if err != nil {
		return "", to, err
	}
	text, has, err := options(c, rest, "--single", "--skip-refine")
	if err != nil {
		return "", to, err
	}
	if text == "" {
		return "", to, lack(c, "a TEXT that describes the task")
	}
	if to, err = usual(env); err != nil {
		return "", to, err
	}
	to.Phases, to.Single = []way.Phase{way.Refine, way.Analyze, way.Plan, way.Execute}, has["--single"]
	if has["--skip-refine"] {
		to.Phases = to.Phases[1:]
	}
	if named := values["--executor"]; len(named) > 0 {
		to.Options.Executors = named
	}
	to.Options.Review = cmp.Or(final(values["--review"]), to.Options.Review)
	for _, check := range values["--check"] {
		to.Options.Checks = append(to.Options.Checks, strings.Fields(check))
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return "", to, err
	}
	// The conversation's choices apply where the settings name no model for a phase.
	for p, m := range to.Manners {
		m.Model = cmp.Or(m.Model, set["model"])
		to.Manners[p] = m
	}
	if len(to.Options.Executors) == 0 && set["model"] != "" {
		to.Options.Executors = []string{set["model"]}
	}
	return text, to, nil
}

// usual returns the way of runs from the settings of the conversation's project.
func usual(env *Env) (way.Way, error) {
	dir, err := env.Project()
	if err != nil {
		return way.Way{}, err
	}
	return runs.In(env.Engine).Usual(dir)
}

// doAll records the request before anything is started: the run has a name, and can be found, whatever happens
// then.
func doAll(ctx context.Context, env *Env, args string) (Effect, error) {
	text, to, err := led(ctx, env, "do", args)
	if err != nil {
		return Effect{}, err
	}
	dir, err := env.Project()
	if err != nil {
		return Effect{}, err
	}
	root, err := env.Engine.Do(ctx, runs.Begin{Dir: dir, Asked: text})
	if err != nil {
		return Effect{}, err
	}
	f, err := frame(ctx, env, root)
	return Effect{Start: runs.Advance{Run: f.Run, Way: &to}}, err
}

// usePlan stores a plan file. Code checks it, and nothing begins.
func usePlan(ctx context.Context, env *Env, args string) (Effect, error) {
	file, has, err := options("useplan", args, "--allow-checks")
	if err != nil {
		return Effect{}, err
	}
	if file == "" {
		return Effect{}, lack("useplan", "a plan file in the project")
	}
	root, err := env.Engine.Do(ctx, runs.Keep{Dir: env.Dir, File: file, Allow: has["--allow-checks"]})
	if err != nil {
		return Effect{}, err
	}
	f, err := frame(ctx, env, root)
	return Effect{Text: "saved as run " + f.Run + "; execute it: /exec " + f.Run}, err
}

// accepted accepts the result of a run into the project with the engine's operation: nothing is pushed.
func accepted(ctx context.Context, env *Env, op runs.Accept) (Effect, error) {
	if _, err := env.Engine.Do(ctx, op); err != nil {
		return Effect{}, err
	}
	run := op.Run
	_, s, err := runs.In(env.Engine).Status(ctx, run)
	if err != nil {
		return Effect{}, err
	}
	if op.Branch != "" {
		return Effect{Text: fmt.Sprintf("accepted run %s as the branch %s, at %.12s", run, op.Branch, s.Taken.Commit)}, nil
	}
	return Effect{Text: fmt.Sprintf("accepted run %s by %s, now at %.12s", run, s.Taken.How,
		cmp.Or(s.Taken.At, s.Taken.Commit))}, nil
}

// exported writes a run to one file, to be carried elsewhere.
func exported(ctx context.Context, env *Env, run string) (Effect, error) {
	p, err := runs.In(env.Engine).Parcel(ctx, run, build.Version())
	if err != nil {
		return Effect{}, err
	}
	raw, err := p.Write(func(s string) string { return s }) // texts of the store are clean
	return Effect{Write: &File{Path: run + ".run", Text: string(raw)}}, err
}

// board shows the runs of all projects by progress, and the queued prompts. A queued prompt is in the first
// column: it is still to do.
func board(ctx context.Context, env *Env) (string, error) {
	all, err := runs.In(env.Engine).List(ctx, "")
	if err != nil {
		return "", err
	}
	waiting, err := queues.In(env.Engine).List(ctx, "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, column := range runs.Columns {
		b.WriteString(column + "\n")
		for _, r := range all {
			if r.Column() == column {
				fmt.Fprintf(&b, "  %s · %s · %d of %d merged · %s · %s", r.Name, r.Word(), r.Done, r.Tasks, r.Title, r.Dir)
				if r.Stopped != nil && !r.Running {
					b.WriteString(" · " + r.Stopped.Why)
				}
				b.WriteString("\n")
			}
		}
		for _, q := range waiting {
			for _, i := range q.Items {
				if column == runs.ToDo && i.State == queue.Waiting {
					fmt.Fprintf(&b, "  prompt %d · queued · %s · %s\n", i.Number, i.Title(), q.Dir)
				}
			}
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// queuing lists the project's queue, or changes it. Arguments of add are parsed as for /do.
func queuing(ctx context.Context, env *Env, args string) (Effect, error) {
	dir, err := env.Project()
	if err != nil {
		return Effect{}, err
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	switch verb {
	case "":
		text, err := queueOf(ctx, env.Engine, dir)
		return Effect{Text: text}, err
	case "add":
		text, to, err := led(ctx, env, "queue", rest)
		if err == nil {
			_, err = env.Engine.Do(ctx, queues.Add{Dir: dir, Text: text, Way: to})
		}
		return Effect{Text: "queued; execute it: /queue run"}, err
	case "run":
		return Effect{Start: queues.Run{Dir: dir}}, nil
	case "stop":
		_, err := env.Engine.Do(ctx, queues.Stop{Dir: dir})
		return Effect{Text: "the queue stops after the running prompt; continue: /queue run"}, err
	case "drop":
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil {
			return Effect{}, lack("queue", "the number of a prompt after drop")
		}
		_, err = env.Engine.Do(ctx, queues.Drop{Dir: dir, Number: n})
		return Effect{Text: fmt.Sprintf("dropped prompt %d", n)}, err
	}
	return Effect{}, lack("queue", "one of add, run, stop, drop")
}

// queueOf formats the queue of a folder, a line each, with what would happen next.
func queueOf(ctx context.Context, e *engine.Engine, dir string) (string, error) {
	list, err := queues.In(e).List(ctx, dir)
	if err != nil || len(list) == 0 {
		return "no prompts are queued; add one: /queue add TEXT", err
	}
	t := work.Teller{Queue: &list[0].Queue}
	text := ""
	for _, i := range list[0].Items {
		text += fmt.Sprintf("%d · %s · %s", i.Number, i.State, i.Title())
		if i.Run != "" {
			text += " · run " + i.Run
		}
		text += "\n"
	}
	if list[0].Running {
		return text + "running", nil
	}
	return text + t.End(), nil
}

// frame returns the Frame of a run, or the zero Frame if the first node is not one: then the run has no name,
// and whatever uses it is refused.
func frame(ctx context.Context, env *Env, root tree.ID) (record.Frame, error) {
	nodes, err := env.Engine.Tree(ctx, root)
	if err != nil {
		return record.Frame{}, err
	}
	f, _ := record.FrameKind.Of(nodes[0])
	return f, nil
}
