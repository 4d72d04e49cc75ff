package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// MostRacers is the maximum number of executors of one task.
const MostRacers = 8

// mostTasks is the maximum number of tasks of a plan.
const mostTasks = 1000

var (
	taskHead = pattern.Of(`^### ([0-9]+)\. +(.*)$`)
	number   = pattern.Of(`[0-9]+`)
	quoted   = pattern.Of("`([^`]*)`")
	declined = pattern.Of(`^- +([a-z]+[0-9]+): *(.*)$`)
)

// Read reads a plan in the planner's form. The faults are those of its structure: numbers, dependencies, paths. A
// text without numbered steps has no tasks. The form is Markdown with a title, parts under ##, steps under ### N.,
// and fields as "- key: value"; docs/work.md describes it. Unknown fields and parts are ignored: planners like to
// explain.
func Read(text string) (Plan, []Fault) {
	r := reader{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		r.line(n, strings.TrimRight(line, "\r\n"))
	}
	r.end()
	if len(r.plan.Tasks) > mostTasks {
		r.faults = append([]Fault{{r.plan.Tasks[mostTasks].Line, fmt.Sprintf("it has %d steps; the limit is %d: split it",
			len(r.plan.Tasks), mostTasks)}}, r.faults...)
	}
	return r.plan, r.faults
}

// reader parses a plan line by line. A field's text continues until the next field, step or part, so that a brief may
// have lists and code.
type reader struct {
	plan   Plan
	faults []Fault
	task   *Task
	field  string   // the current field, whose text may continue
	text   []string // of the field
	at     int      // where the field begins
	part   string   // the part of the plan under a heading of its own
	fenced bool     // within a code block, nothing is a heading or a field
}

// fault records a fault and continues, so that a model is told all of them at once.
func (r *reader) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, Fault{line, fmt.Sprintf(format, args...)})
}

// line parses one line: the head of a step, one of its fields, or a continuation.
func (r *reader) line(n int, line string) {
	bare := strings.TrimSpace(line)
	if strings.HasPrefix(bare, "```") {
		r.fenced = !r.fenced
	}
	head := taskHead().FindStringSubmatch(bare)
	key, value, isField := strings.Cut(strings.TrimPrefix(line, "- "), ":")
	switch {
	case r.fenced || strings.HasPrefix(bare, "```"):
		r.more(line)
	case head != nil:
		r.begin(n, head[1], head[2])
	case strings.HasPrefix(line, "# ") && r.plan.Title == "":
		r.plan.Title = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "# "), "Plan:"))
	case strings.HasPrefix(line, "## "):
		r.end()
		r.part = strings.TrimSpace(line[3:])
	case r.task != nil && isField && strings.HasPrefix(line, "- "):
		r.close()
		r.field, r.at, r.text = strings.ToLower(strings.TrimSpace(key)), n, []string{strings.TrimSpace(value)}
	default:
		r.more(line)
	}
}

// more continues the current text.
func (r *reader) more(line string) {
	switch {
	case r.task != nil && r.field != "":
		r.text = append(r.text, line)
	case r.task == nil && r.part == "Approach":
		r.plan.Approach = strings.TrimLeft(r.plan.Approach+"\n"+line, "\n")
	case r.task == nil && r.part == "Not in this plan":
		if m := declined().FindStringSubmatch(line); m != nil {
			r.plan.Declined = append(r.plan.Declined, Declined{m[1], strings.TrimSpace(m[2])})
		}
	case r.task == nil && r.part == "" && strings.HasPrefix(line, "- decision:"):
		r.plan.Decision = strings.TrimPrefix(strings.Trim(strings.TrimPrefix(line, "- decision:"), " `"), "room/")
	}
}

// begin begins a step. Its number is its position, whatever the plan says, so that later ones can be parsed.
func (r *reader) begin(n int, id, title string) {
	r.end()
	r.part = "Steps"
	if at, err := strconv.Atoi(id); (err != nil || at != len(r.plan.Tasks)+1) && len(r.plan.Tasks) < mostTasks {
		r.fault(n, "step %s should have the number %d: steps are numbered from 1, in order", id, len(r.plan.Tasks)+1)
	}
	r.task = &Task{ID: strconv.Itoa(len(r.plan.Tasks) + 1), Title: title, Line: n, Size: Medium, Files: []File{}, Needs: []string{},
		Checks: []Check{}}
}

// end adds the current task to the plan.
func (r *reader) end() {
	r.close()
	if r.task != nil {
		r.plan.Tasks = append(r.plan.Tasks, *r.task)
		r.task = nil
	}
	r.plan.Approach = strings.TrimSpace(r.plan.Approach)
}

// close adds the current field to the task.
func (r *reader) close() {
	if r.task == nil || r.field == "" {
		return
	}
	t, text := r.task, strings.TrimSpace(strings.Join(r.text, "\n"))
	first, _, _ := strings.Cut(text, "\n")
	switch r.field {
	case "files":
		r.files(strings.ReplaceAll(text, "\n", ","))
	case "depends on":
		r.needs(first)
	case "do":
		t.Brief = text
	case "check", "checks":
		t.Checks = append(t.Checks, readCheck(text, r.at))
	case "done when":
		t.Done = text
	case "size":
		if t.Size = Size(strings.ToLower(strings.TrimRight(first, "."))); !slices.Contains([]Size{Small, Medium, Large}, t.Size) {
			r.fault(r.at, "step %s has the size %q; it must be small, medium or large", t.ID, first)
			t.Size = Medium
		}
	case "fixes":
		t.Fixes = text != "" && text != "no" && text != "none"
	case "executor":
		t.Executor = first
	case "race":
		if n, err := strconv.Atoi(strings.TrimRight(first, ".")); err != nil || n < 1 || n > MostRacers {
			r.fault(r.at, "step %s has the race %q; it must be a number of executors from 1 to %d", t.ID, first, MostRacers)
		} else {
			t.Race = n
		}
	case "risk":
		word := strings.FieldsFunc(strings.ToLower(first), func(c rune) bool { return !unicode.IsLetter(c) })
		t.High = len(word) > 0 && word[0] == "high"
	case "claims":
		t.Claims = strings.FieldsFunc(first, func(c rune) bool { return c == ',' || c == ' ' })
	}
	r.field, r.text = "", nil
}

// needs parses the dependencies of a step. Only earlier steps count, so a plan cannot have a cycle.
func (r *reader) needs(value string) {
	for _, n := range number().FindAllString(value, -1) {
		if on, err := strconv.Atoi(n); err != nil || on < 1 || on > len(r.plan.Tasks) {
			r.fault(r.at, "step %s depends on step %s, which does not come before it", r.task.ID, n)
		} else if !slices.Contains(r.task.Needs, n) {
			r.task.Needs = append(r.task.Needs, n)
		}
	}
}

// Paths are relative to the project, with slashes; a path that leaves it is refused here, before anything is written
// anywhere.
func (r *reader) files(value string) {
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimLeft(strings.TrimSpace(part), "- ")
		name, how, _ := strings.Cut(part, " (")
		name = strings.Trim(strings.TrimSpace(name), "` ")
		if name == "" || name == "none" {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) || slices.Contains([]string{"~", `\`}, name[:1]) {
			r.fault(r.at, "step %s names %s, which is outside the project", r.task.ID, name)
			continue
		}
		f := File{filepath.ToSlash(filepath.Clean(filepath.FromSlash(name))), Change}
		if strings.HasSuffix(name, "/") {
			f.Name += "/"
		}
		switch how = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(how), ")")); how {
		case "", "change", "changed":
		case "new", "add", "added":
			f.Action = New
		case "delete", "deleted":
			f.Action = Delete
		default:
			r.fault(r.at, "step %s marks %s as %q; a file is marked change, new or delete", r.task.ID, name, how)
		}
		if slices.ContainsFunc(r.task.Files, func(g File) bool { return g.Name == f.Name }) {
			r.fault(r.at, "step %s names %s twice", r.task.ID, f.Name)
			continue
		}
		r.task.Files = append(r.task.Files, f)
	}
}

// readCheck takes the first words in backquotes as the command.
func readCheck(text string, line int) Check {
	c := Check{Line: line, Shows: text}
	if m := quoted().FindStringSubmatchIndex(text); m != nil {
		c.Command = strings.Fields(text[m[2]:m[3]])
		c.Shows = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text[:m[0]]+text[m[1]:]), "and must show"))
	}
	return c
}
