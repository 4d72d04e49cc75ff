package phase

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Bounds of a plan that is carried out.
const (
	mostPlan  = 256 << 10 // bytes
	mostSteps = 200
	mostWrong = 8 // things said about one plan
)

var (
	stepHead = pattern.Of(`^### ([0-9]+)\. `)
	number   = pattern.Of(`[0-9]+`)
)

// Plans says what is wrong with the plans of a project, a sentence each: steps that cannot be followed in their order, or
// that reach out of the project. A plan in another form than the planner's is text like any other.
func Plans(dir string) (wrong []string) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	files, _ := filepath.Glob(filepath.Join(f.Dir(), "specs", "tickets", "*", "plan.md")) // the pattern is ours
	for _, file := range files {
		name, err := f.Inside(file)
		if err != nil {
			continue
		}
		raw, err := f.Read(name, mostPlan)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		found := planErrors(string(raw))
		for _, why := range found[:min(len(found), mostWrong)] {
			wrong = append(wrong, clean.Line(name+": "+why))
		}
		if more := len(found) - mostWrong; more > 0 {
			wrong = append(wrong, clean.Line(fmt.Sprintf("%s: %s more", name, count(more, "thing"))))
		}
	}
	return wrong
}

// planErrors looks a plan through. Its steps are numbered from 1 and depend on lower numbers only, so there is no circle.
func planErrors(text string) (wrong []string) {
	steps, at := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := stepHead().FindStringSubmatch(line); m != nil {
			steps++
			if at, _ = strconv.Atoi(m[1]); at != steps && steps <= mostSteps {
				wrong = append(wrong, fmt.Sprintf("step %s is the %d. of the plan: numbers count from 1, each once", m[1], steps))
			}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		switch {
		case at == 0:
		case key == "depends on":
			for _, n := range number().FindAllString(value, -1) {
				if on, err := strconv.Atoi(n); err != nil || on < 1 || on >= at {
					wrong = append(wrong, fmt.Sprintf("step %d depends on step %s, which does not come before it", at, n))
				}
			}
		case key == "files":
			for part := range strings.SplitSeq(value, ",") {
				file, _, _ := strings.Cut(strings.Trim(strings.TrimSpace(part), "`"), " (")
				if file = strings.Trim(file, "` "); file != "" && file != "none" && (!filepath.IsLocal(filepath.FromSlash(file)) || slices.Contains([]string{"~", `\`}, file[:1])) {
					wrong = append(wrong, fmt.Sprintf("step %d names %s, which is outside the project", at, file))
				}
			}
		}
	}
	if steps > mostSteps {
		wrong = append([]string{fmt.Sprintf("it has %d steps; more than %d are not carried out: part it", steps, mostSteps)}, wrong...)
	}
	return wrong
}
