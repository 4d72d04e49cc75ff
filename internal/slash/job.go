package slash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tool"
)

// jobLines is how many lines of a job's output are shown.
const jobLines = 40

// jobs shows what goes on in the background, or ends it.
func jobs(ctx context.Context, env *Env, args string) (Effect, error) {
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	all, err := turns.In(env.Engine).Jobs(ctx, env.Tree)
	if err != nil {
		return Effect{}, err
	}
	words := strings.Fields(args)
	if len(words) == 0 {
		return Effect{Text: jobList(all)}, nil
	}
	end := len(words) == 2 && words[0] == "end"
	id, err := strconv.Atoi(words[len(words)-1])
	if err != nil || len(words) > 1 && !end {
		return Effect{}, lack("jobs", "nothing, the number of a job, or end and its number")
	}
	i := slices.IndexFunc(all, func(j tool.Job) bool { return j.ID == id })
	if i < 0 {
		return Effect{}, &engine.Refusal{Message: fmt.Sprintf("there is no job %d here", id), Hint: "list them: /jobs"}
	}
	j := all[i]
	if end {
		j.End()
	}
	tail, state, _ := j.Look()
	if end {
		return Effect{Text: fmt.Sprintf("job %d %s", id, state)}, nil
	}
	return Effect{Text: fmt.Sprintf("job %d, %s: %s\n%s", id, state, firstLine(j.Command), lastLines(tail, jobLines))}, nil
}

// jobList has a line for each job, with the last line it said below it while it runs.
func jobList(all []tool.Job) string {
	if len(all) == 0 {
		return "no background jobs here; ctrl+b on the screen sends a running command there"
	}
	var b strings.Builder
	for _, j := range all {
		tail, state, running := j.Look()
		fmt.Fprintf(&b, "%d  %s: %s\n", j.ID, state, firstLine(j.Command))
		if last := lastLines(tail, 1); running && last != "" {
			fmt.Fprintf(&b, "   %s\n", last)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// firstLine is how a command begins.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// lastLines are the last lines of a text.
func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
