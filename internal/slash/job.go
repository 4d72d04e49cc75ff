package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
)

// jobLines is how many lines of a job's output are shown.
const jobLines = 40

// jobs lists background jobs, each with its last line if it runs, or ends one.
func jobs(ctx context.Context, env *Env, args string) (Effect, error) {
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	words := strings.Fields(args)
	end := len(words) == 2 && words[0] == "end"
	id := 0
	if len(words) > 0 {
		if id, err = strconv.Atoi(words[len(words)-1]); err != nil || len(words) > 1 && !end {
			return Effect{}, lack("jobs", "a job number, or end and a job number")
		}
	}
	var list []string
	for _, j := range turns.In(env.Engine).Jobs(t.Root) {
		if end && j.ID == id {
			j.End()
		}
		tail, state, running := j.Look()
		switch {
		case end && j.ID == id:
			return Effect{Text: fmt.Sprintf("job %d %s", id, state)}, nil
		case j.ID == id:
			return Effect{Text: fmt.Sprintf("job %d, %s: %s\n%s", id, state, firstLine(j.Command), lastLines(tail, jobLines))}, nil
		}
		list = append(list, fmt.Sprintf("%d  %s: %s", j.ID, state, firstLine(j.Command)))
		if last := lastLines(tail, 1); running && last != "" {
			list = append(list, "   "+last)
		}
	}
	switch {
	case len(words) > 0:
		return Effect{}, &engine.Refusal{Message: fmt.Sprintf("no job %d here", id), Hint: "list them: /jobs"}
	case len(list) == 0:
		return Effect{Text: "no background jobs; on the screen, ctrl+b sends a running command to the background"}, nil
	}
	return Effect{Text: strings.Join(list, "\n")}, nil
}

// firstLine returns the beginning of a command.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

func lastLines(text string, most int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
