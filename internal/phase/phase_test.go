package phase_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/work/plan"
)

// tools are the tools of these names: a golden text does not change with each tool that is added.
var tools = named("ask bash edit fetch git_blame git_commit git_diff git_log git_show git_status glob grep job_kill job_output job_start " +
	"ls multi_edit patch read remember todo write")

// named are tools by their names.
func named(names string) (out []tool.Tool) {
	for _, t := range builtin.All() {
		if slices.Contains(strings.Fields(names), t.Name) {
			out = append(out, t)
		}
	}
	return out
}

// allowed are the names of tools that a phase may use.
func allowed(p phase.Phase, tools []tool.Tool) string {
	var names []string
	for _, t := range tools {
		if p.Allows(t) {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, " ")
}

func write(t testing.TB, dir, name, body string) string {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	return full
}

// sound says what is wrong with tools and text of a page that comes with the program.
func sound(t *testing.T, what string, globs []string, text string) {
	t.Helper()
	for _, entry := range globs {
		entry = strings.TrimPrefix(entry, "-")
		if entry != "mcp__*" && !slices.ContainsFunc(builtin.All(), func(t tool.Tool) bool { return t.In([]string{entry}) }) {
			t.Errorf("%s names %s, and there is no such tool", what, entry)
		}
	}
	for _, word := range regexp.MustCompile("`([a-z]+_[a-z]+)`").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(builtin.Names(), word[1]) {
			t.Errorf("%s speaks of %s, and there is no such tool", what, word[1])
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 160 || clean.Text(line) != line {
			t.Errorf("%s line %d: %q", what, i+1, line)
		}
	}
}

func TestPhasesOfTheProgram(t *testing.T) {
	all, wrong := phase.All()
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	var names []string
	for _, p := range all {
		names = append(names, fmt.Sprintf("%s>%s", p.Name, p.Next))
		sound(t, p.Name, p.Tools, p.Prompt)
		if has := allowed(p, named("patch multi_edit git_commit bash job_start fetch")); p.Mode == "paranoid" && has != "" {
			t.Errorf("%s is there to look and to write one file, and has %s", p.Name, has)
		}
		if (p.Tier == "") != (p.Name == "chat") { // whoever talks keeps the model they talk to
			t.Errorf("%s has the tier %q", p.Name, p.Tier)
		}
	}
	if got := strings.Join(names, " "); got != "analyst> chat> planner>/exec refiner> reviewer> socrates>planner task>" {
		t.Errorf("phases: %s", got)
	}
	socrates, _ := phase.Find("socrates")
	planner, _ := phase.Find("planner")
	for file, want := range map[string][2]bool{
		"specs/tickets/bug-x/spec.md": {true, false}, "specs/tickets/bug-x/plan.md": {false, true}, "specs/tickets/bug-x/../../../spec.md": {},
		"specs/tickets/bug-x/notes.md": {}, "main.go": {}, "specs/tickets/a/b/spec.md": {},
	} {
		if got := [2]bool{socrates.MayWrite(file), planner.MayWrite(file)}; got != want {
			t.Errorf("%s may be written: %v, want %v", file, got, want)
		}
	}
	if chat, _ := phase.Find("chat"); allowed(chat, builtin.All()) != allowed(phase.Phase{}, builtin.All()) || !chat.MayWrite("a") {
		t.Error("a page that names no tools and no files to write does not leave them to the mode")
	}
}

// TestToolsOfPhases pins which of these tools each phase has, and that a new one is offered wherever its effect is
// permitted: no page names it.
func TestToolsOfPhases(t *testing.T) {
	const (
		looks   = "git_blame git_diff git_log git_show git_status glob grep ls read"
		all     = "ask bash edit fetch " + looks + " git_commit job_kill job_output job_start multi_edit patch remember task todo write"
		writing = "ask edit " + looks + " remember todo write"
	)
	for name, want := range map[string]struct{ tools, effects string }{
		"analyst":  {looks, "reads"},
		"chat":     {all, "talks reads keeps writes runs sends"},
		"planner":  {writing, "talks reads keeps writes"},
		"refiner":  {strings.TrimPrefix(looks, "git_blame "), "reads"},
		"reviewer": {"ask bash " + looks + " job_kill job_output job_start remember todo", "talks reads keeps runs"},
		"socrates": {writing, "talks reads keeps writes"},
		"task":     {all, "talks reads keeps writes runs sends"},
	} {
		p, err := phase.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		sorted := slices.Sorted(slices.Values(strings.Fields(want.tools)))
		if got := allowed(p, named(all)); got != strings.Join(sorted, " ") {
			t.Errorf("%s has %s, want %s", name, got, sorted)
		}
		var effects []string
		for _, e := range tool.Effects {
			if p.Allows(tool.Tool{Spec: llm.Spec{Name: "new"}, Effect: e}) {
				effects = append(effects, string(e))
			}
		}
		if got := strings.Join(effects, " "); got != want.effects {
			t.Errorf("%s is offered new tools that have the effects %s, want %s", name, got, want.effects)
		}
		if server := (tool.Tool{Spec: llm.Spec{Name: "mcp__a__b"}, Effect: tool.Runs}); p.Allows(server) != (want.tools == all) {
			t.Errorf("%s has tools of a server: %t", name, p.Allows(server))
		}
	}
}

// What one page says of a file, another must say too.
func TestPagesAgree(t *testing.T) {
	socrates, _ := phase.Find("socrates")
	all, wrong := phase.Templates()
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	headings := regexp.MustCompile(`(?m)^## (.*)$`)
	for _, tmpl := range all {
		sound(t, tmpl.Name, nil, tmpl.Text)
		file, text := tmpl.Ticket("Two runs at once", "2026-01-02")
		if regexp.MustCompile(`TITLE|DATE|SLUG`).MatchString(file+text) || !strings.Contains(text, ": Two runs at once\n") || !strings.Contains(text, "- date: 2026-01-02\n") {
			t.Errorf("%s is not filled in: %s\n%s", tmpl.Name, file, text)
		}
		if tmpl.Name == "cdd" {
			if file != "specs/context/two-runs-at-once.md" {
				t.Errorf("cdd goes to %s", file)
			}
			continue
		}
		if !socrates.MayWrite(file) || !strings.Contains(text, "\n- type: "+tmpl.Name+"\n- status: draft\n") || !strings.Contains(text, "Invent no") {
			t.Errorf("%s: %s\n%s", tmpl.Name, file, text)
		}
		var sections []string
		for _, h := range headings.FindAllStringSubmatch(text, -1) {
			sections = append(sections, h[1])
		}
		if line := "- " + tmpl.Name + ": " + strings.Join(sections, ", ") + "\n"; !strings.Contains(socrates.Prompt, line) {
			t.Errorf("socrates does not know the sections of the template:\n%s", line)
		}
	}
	planner, _ := phase.Find("planner")
	_, example, _ := strings.Cut(planner.Prompt, "```markdown\n")
	example, _, _ = strings.Cut(example, "```")
	if p, faults := plan.Read(example); len(faults) > 0 || len(p.Tasks) != 2 || len(p.Tasks[0].Files) != 3 || len(p.Tasks[0].Checks) != 1 || !p.Tasks[0].Fixes {
		t.Errorf("the example of a plan: %v, %+v", faults, p)
	}
}

func TestWrongPages(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"tier":    {"tier: huge", "x.md:4: tier must be small, mid or big, not huge"},
		"unknown": {"tool: read", `x.md:4: unknown key "tool" (did you mean tools?)`},
		"mode":    {"mode: trusting", "x.md:4: mode must be plan, paranoid, balanced or yolo, not trusting"},
		"tools":   {"tools: read, a[", "x.md:4: tools has a[, which is not a pattern"},
		"a list":  {"tools: [reads, -glob]", "x.md:4: tools begins a list with [reads; write names separated by commas, without brackets"},
		"out":     {"tools: reads, -[", "x.md:4: tools has -[, which is not a pattern"},
		"next":    {"tier: big\nnext: plannr", "x.md:5: next names an unknown phase: plannr (did you mean planner?)"},
		"writes":  {"writes: a.md, ../b", "x.md:4: writes has ../b, which is not a path or pattern below the project folder"},
		"root":    {"writes: /etc/x", "x.md:4: writes has /etc/x"},
		"text":    {"mode: plan\n---", "x.md:5: has no text below its header; write instructions for the agent"},
	} {
		dir := t.TempDir()
		body := "\n---\nDo it.\n"
		if strings.HasSuffix(c.head, "---") {
			body = "\n"
		}
		write(t, dir, "x.md", "---\nname: x\ndoc: about it\n"+c.head+body)
		_, err := phase.Find("x", dir)
		if e, ok := errors.AsType[*page.Error](err); !ok || e.Noun != "phase" || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if all, wrong := phase.All(dir); len(all) != 7 || len(wrong) != 1 {
			t.Errorf("%s: %d phases, %v", name, len(all), wrong)
		}
	}
}

func TestModesAreThoseOfTheGate(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range permission.Modes() {
		write(t, dir, "x.md", "---\nname: x\ndoc: about it\nmode: "+string(mode)+"\n---\nDo it.\n")
		if p, err := phase.Find("x", dir); err != nil || p.Mode != string(mode) {
			t.Errorf("%s: %+v, %v", mode, p, err)
		}
	}
}

func TestOverride(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	text := "---\nname: planner\ndoc: my own\nnext: mine\n---\nPlan.\n"
	file := write(t, first, "planner.md", text)
	write(t, second, "planner.md", strings.Replace(text, "my own", "other", 1))
	if _, err := phase.Find("planner", first); err == nil {
		t.Error("a next that is nowhere is not seen")
	}
	if _, err := phase.New(second, "mine"); err != nil {
		t.Fatal(err)
	}
	p, err := phase.Find("planner", first, second)
	if err != nil || p.Doc != "my own" || p.File != file || len(p.SHA256) != 64 || allowed(p, named("bash")) == "" {
		t.Errorf("%+v, %v", p, err)
	}
	if mine, err := phase.Find("mine", first, second); err != nil || mine.Mode != "plan" || allowed(mine, named("bash read write")) != "read" {
		t.Errorf("a new page: %+v, %v", mine, err)
	}
	if raw, err := phase.Page("planner", first); err != nil || raw != text {
		t.Errorf("%q, %v", raw, err)
	}
	if _, err := phase.Find("nobody"); !errors.Is(err, page.ErrUnknown) {
		t.Error(err)
	}
}

func TestTemplates(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "chore.md", "---\nname: chore\ndoc: upkeep\n---\n# TITLE (DATE)\n\nUPDATED: no\n")
	write(t, dir, "bug.md", "---\nname: bug\ndoc: ours\npath: ../SLUG.md\n---\n# TITLE\n")
	chore, err := phase.FindTemplate("chore", dir)
	if file, text := chore.Ticket("  Tidy\nup\x1b[31m DATE ", "today"); err != nil || file != "specs/tickets/chore-tidy-up-date/spec.md" || text != "# Tidy up DATE (today)\n\nUPDATED: no\n" {
		t.Errorf("%s, %q, %v", file, text, err)
	}
	if _, err := phase.FindTemplate("bug", dir); err == nil || !strings.Contains(err.Error(), "bug.md:4: path must be below the project folder and contain SLUG, not ../SLUG.md") {
		t.Error(err)
	}
	for title, want := range map[string]string{"": "untitled", "../../etc": "etc", "Grüße, 世界!": "grüße-世界", strings.Repeat("long ", 20): "long-long-long-long-long-long-long-long-long-long"} {
		if got := phase.Slug(title); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		slug := phase.Slug(rapid.String().Draw(t, "title"))
		if slug == "" || len(slug) > 50 || !filepath.IsLocal(slug) || strings.ContainsAny(slug, `/\ .:`) || clean.Line(slug) != slug || phase.Slug(slug) != slug {
			t.Fatalf("%q", slug)
		}
	})
}
