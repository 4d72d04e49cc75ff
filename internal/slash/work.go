package slash

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// works are the commands about plans and their runs. They work on the project of the conversation, which need
// not have begun.
func works() []Command {
	return []Command{
		{Name: "exec", Args: "[--FLAG VALUE]… [RUN | plan.md]",
			Also: []string{"execute"},
			Doc:  "execute a plan in clones of the project, checking each step",
			More: "Without a name, executes the most recent plan; if there is none, the last decision here is planned first. " +
				"--allow-checks allows exactly the checks that the plan names. " +
				"--executor SEAT executes the steps, --review SEAT reviews each. --race N runs each step with N executors of " +
				"different families, and --judge SEAT compares their changes. The project does not change until /work accept " +
				"merges the result.",
			Complete: every(planNames), Run: execute},
		{Name: "do", Args: "[--FLAG VALUE]… TEXT", Doc: "from a request to merged code: refine, analyze, plan, execute",
			More: "--single analyzes with one model instead of a panel, --skip-refine uses the request as it is. " +
				"--check \"COMMAND\" sets a check that every step must pass, --executor SEAT executes the steps, --review SEAT " +
				"reviews each. The project does not change until /work accept merges the result.", Run: doAll},
		{Name: "useplan", Args: "[--allow-checks] plan.md", Doc: "import a hand-written plan",
			More:     "The plan is checked, not executed; /exec executes it. --allow-checks allows exactly the checks that it names.",
			Complete: every(planNames), Run: usePlan},
		{Name: "queue", Args: "[add TEXT | run | stop | drop NUMBER]", Doc: "queue prompts and execute them, one run at a time",
			More:     "Without arguments, lists the queue. add takes the options of /do. The queue stops after two failures in a row.",
			Complete: first(func(context.Context, *Env) []string { return []string{"add", "run", "stop", "drop"} }), Run: queuing},
		{Name: "work", Args: "[VERB [RUN] [STEP] [EXECUTOR]]", Doc: "list runs, or act on one",
			More: "VERB is resume, pause, cancel, accept or export; accept --branch NAME makes a branch of the result. " +
				"For a step: approve, retry, skip or reassign. board shows " +
				"the runs and queued prompts of all projects. The default RUN is the most recent one. After a decision about a step, " +
				"the run continues immediately.",
			Complete: first(func(context.Context, *Env) []string { return workVerbs }), Run: workOn},
		{Name: "cancel", Args: "[RUN]", Doc: "stop a run immediately; finished steps are kept", Complete: first(runNames),
			Run: func(ctx context.Context, env *Env, args string) (Effect, error) {
				return workOn(ctx, env, "cancel "+args)
			}},
		{Name: "replan", Args: "WORDS", Doc: "change the plan of the most recent run", Run: replan},
	}
}

// planNames offers runs that wait for execution, plan files of tickets, and the flags.
func planNames(ctx context.Context, env *Env) (list []string) {
	all, err := runs.In(env.Engine).List(ctx, env.Dir)
	if err != nil {
		return nil
	}
	for _, r := range all {
		if r.State == "planned" {
			list = append(list, r.Name)
		}
	}
	files, _ := filepath.Glob(filepath.Join(env.Dir, "specs", "tickets", "*", "plan.md")) // the pattern is constant
	for _, f := range files {
		if name, err := filepath.Rel(env.Dir, f); err == nil {
			list = append(list, strings.ReplaceAll(name, string(os.PathSeparator), "/"))
		}
	}
	return append(list, "--allow-checks", "--race", "--executor", "--judge", "--review")
}

// execute executes a plan. The model of the conversation does its steps, unless executors are named or several
// race: a race needs different families.
func execute(ctx context.Context, env *Env, args string) (Effect, error) {
	rest, values, err := valued("exec", args, "--race", "--executor", "--judge", "--review")
	if err != nil {
		return Effect{}, err
	}
	name, has, err := options("exec", rest, "--allow-checks")
	if err != nil {
		return Effect{}, err
	}
	if name == "" {
		if e, first, err := env.planFirst(ctx); first || err != nil {
			return e, err
		}
		if Unplanned(ctx, env) != "" {
			return Effect{}, &engine.Refusal{Message: "no plan to execute",
				Hint: "this is phase planner: say what to plan, or /useplan FILE"}
		}
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	to, err := usual(env)
	if err != nil {
		return Effect{}, err
	}
	o := to.Options
	if named := values["--executor"]; len(named) > 0 {
		o.Executors = named
	}
	o.Judge, o.Review = final(values["--judge"]), cmp.Or(final(values["--review"]), o.Review)
	if n := final(values["--race"]); n != "" {
		if o.Race, err = strconv.Atoi(n); err != nil || o.Race < 1 || o.Race > plan.MostRacers {
			return Effect{}, lack("exec", fmt.Sprintf("a number from 1 to %d after --race", plan.MostRacers))
		}
	}
	if len(o.Executors) == 0 && o.Race < 2 && set["model"] != "" {
		o.Executors = []string{set["model"]}
	}
	return Effect{Start: runs.Execute{Dir: env.Dir, Named: name, Options: o, Allow: has["--allow-checks"]}}, nil
}

// planIt is the message to a planner about a decision of the conversation.
const planIt = "Plan the decision."

// planFirst plans the last decision of the conversation if there is no plan to execute. first is false if there
// is one, nothing was decided, or the decision was planned before.
func (env *Env) planFirst(ctx context.Context) (e Effect, first bool, err error) {
	dir, err := env.Project()
	if err != nil || env.Tree == "" {
		return e, false, err
	}
	if _, _, err := runs.In(env.Engine).Latest(ctx, dir); err == nil {
		return e, false, nil
	}
	_, path, err := env.open(ctx)
	if err != nil {
		return e, false, err
	}
	root := undone(path)
	if root == "" {
		return e, false, nil
	}
	res, err := rooms.In(env.Engine).Result(ctx, root)
	if err != nil || !res.Outcome.Decision() {
		return e, false, err
	}
	owed, err := runs.In(env.Engine).Owed(ctx, env.Tree, res.Room)
	if err == nil {
		err = env.do(ctx, owed)
	}
	text := "no plan yet: planning the decision of " + res.Room + "; /exec then executes the plan"
	if told, _ := env.entering(ctx, shortcuts["plan"]); told != "" {
		text += "\n" + told
	}
	return Effect{Text: text,
		Start: turns.Say{Tree: env.Tree, Text: planIt, Phase: shortcuts["plan"]}}, true, err
}

// Unplanned says what to do after a turn of the phase that plans, if there is no plan to execute. It is empty in other phases.
func Unplanned(ctx context.Context, env *Env) string {
	set, err := env.Settings(ctx)
	if err != nil || env.Project == nil || set["phase"] != shortcuts["plan"] {
		return ""
	}
	dir, err := env.Project()
	if err != nil {
		return ""
	}
	if _, _, err := runs.In(env.Engine).Latest(ctx, dir); err == nil {
		return ""
	}
	return "the model wrote no plan: say it again, or /useplan FILE"
}

// undone returns the last debate added to a conversation, if it has not been planned yet; empty: none.
func undone(path []tree.Node) (root tree.ID) {
	since := path
	for i, n := range path {
		if s, ok := talk.SayKind.Of(n); ok && s.Text == planIt {
			since = path[i+1:]
		}
	}
	return brought(since)
}

// brought returns the last debate added to a conversation; empty: none.
func brought(path []tree.Node) (root tree.ID) {
	for _, n := range path {
		if m, ok := material.MergeKind.Of(n); ok && m.Debate {
			root = m.From
		}
	}
	return root
}

// valued removes the options with values from the arguments of a command. An option may be given more than
// once; final returns the last. Quoted values and words lose their quotes here.
func valued(c, args string, known ...string) (rest string, values map[string][]string, err error) {
	values = map[string][]string{}
	var left []string
	for words := pieces(args); len(words) > 0; words = words[1:] {
		name, value, given := strings.Cut(words[0], "=")
		switch {
		case !slices.Contains(known, name):
			left = append(left, words[0])
			continue
		case !given && len(words) == 1:
			return "", nil, lack(c, "a value after "+name)
		case !given:
			words = words[1:]
			value = words[0]
		}
		values[name] = append(values[name], value)
	}
	return strings.Join(left, " "), values, nil
}

// final returns the last of a list, as with repeated flags; empty: none.
func final(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// workVerbs are the verbs of /work.
var workVerbs = []string{"resume", "pause", "cancel", "approve", "retry", "skip", "reassign", "board", "accept", "export"}

// runNames returns the runs of this project, the newest first.
func runNames(ctx context.Context, env *Env) (list []string) {
	all, err := runs.In(env.Engine).List(ctx, env.Dir)
	if err != nil {
		return nil
	}
	for _, r := range all {
		list = append(list, r.Name)
	}
	return list
}

// workOn lists runs, or acts on one, or on a step of one. An argument beyond those the verb needs is a run's
// name; without one the newest is meant. A decision about a step resumes the run at once; pausing and
// cancelling only leave a message for the process that executes it.
func workOn(ctx context.Context, env *Env, args string) (Effect, error) {
	all, err := runs.In(env.Engine).List(ctx, env.Dir)
	if err != nil {
		return Effect{}, err
	}
	words := strings.Fields(args)
	if len(words) == 0 {
		return Effect{Text: listed(all)}, nil
	}
	verb, words := words[0], words[1:]
	if verb == "board" && len(words) == 0 {
		text, err := board(ctx, env)
		return Effect{Text: text}, err
	}
	if !slices.Contains(workVerbs, verb) {
		return Effect{}, lack("work", "one of "+strings.Join(workVerbs, ", "))
	}
	branch := "" // of accept
	if at := slices.Index(words, "--branch"); verb == "accept" && at >= 0 && at+1 < len(words) {
		branch = words[at+1]
		words = slices.Delete(words, at, at+2)
	}
	needs := map[string]int{"approve": 1, "retry": 1, "skip": 1, "reassign": 2}[verb]
	name := ""
	if len(words) > needs {
		name, words = words[0], words[1:]
	} else if len(all) > 0 {
		name = all[0].Name
	}
	switch {
	case len(words) != needs:
		usage := verb + " [RUN]" + []string{"", " STEP", " STEP EXECUTOR"}[needs]
		if verb == "accept" {
			usage += " [--branch NAME]"
		}
		return Effect{}, lack("work", usage)
	case name == "":
		return Effect{}, &engine.Refusal{Message: "no runs in this project", Hint: "execute a plan: /exec"}
	case verb == "accept":
		return accepted(ctx, env, runs.Accept{Run: name, Branch: branch})
	case verb == "export":
		return exported(ctx, env, name)
	case verb == "pause" || verb == "cancel":
		_, err := env.Engine.Do(ctx, runs.Hold{Run: name, Cancel: verb == "cancel"})
		return Effect{Text: verb + ": run " + name + "; continue with /work resume " + name}, err
	case needs > 0:
		word := record.Order{Verb: verb, Task: words[0]}
		if needs > 1 {
			word.Executor = words[1]
		}
		if _, err := env.Engine.Do(ctx, runs.Decide{Run: name, Order: word}); err != nil {
			return Effect{}, err
		}
	}
	return Effect{Start: runs.Advance{Run: name}}, nil
}

// listed formats runs, a line each.
func listed(all []runs.Info) string {
	if len(all) == 0 {
		return "no runs in this project; execute a plan: /exec"
	}
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%s · %s · %d of %d merged", r.Name, r.State, r.Done, r.Tasks)
		if r.Title != "" {
			b.WriteString(" · " + r.Title)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// replan changes the plan of the newest run that has one, and continues it.
func replan(ctx context.Context, env *Env, args string) (Effect, error) {
	if strings.TrimSpace(args) == "" {
		return Effect{}, lack("replan", "what to change")
	}
	all, err := runs.In(env.Engine).List(ctx, env.Dir)
	if err != nil {
		return Effect{}, err
	}
	for _, r := range all {
		if r.Behind == way.Plan {
			return Effect{Start: runs.Advance{Run: r.Name, Feedback: args}}, nil
		}
	}
	return Effect{}, &engine.Refusal{Message: "no run with a plan in this project", Hint: "write one: /plan"}
}
