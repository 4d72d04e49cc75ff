package slash

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/runs"
)

// works are the commands about plans and their runs.
func works() []Command {
	return []Command{
		{Name: "exec", Args: "[RUN | plan.md] [--allow-checks]", Also: []string{"execute"},
			Doc: "carry out a plan in clones of the project, each step proved",
			More: "Without a name, the most recent plan is carried out. --allow-checks lets the checks run that the plan names, word by " +
				"word. The project is not changed: socrates work accept brings the result in.",
			Complete: every(planNames), Run: carry},
	}
}

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
	files, _ := filepath.Glob(filepath.Join(env.Dir, "specs", "tickets", "*", "plan.md")) // the pattern is ours
	for _, f := range files {
		if name, err := filepath.Rel(env.Dir, f); err == nil {
			list = append(list, strings.ReplaceAll(name, string(os.PathSeparator), "/"))
		}
	}
	return append(list, "--allow-checks")
}

func carry(ctx context.Context, env *Env, args string) (Effect, error) {
	name, has, err := options("exec", args, "--allow-checks")
	if err != nil {
		return Effect{}, err
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Start: runs.Carry{Dir: env.Dir, Named: name, Model: set["model"], Allow: has["--allow-checks"]}}, nil
}
