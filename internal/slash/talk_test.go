package slash

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
)

// echo answers with what it was told last, and costs ten tokens in, five out and a cent.
type echo struct{ name string }

func (e echo) Info() llm.Info { return llm.Info{ID: e.name, Lineage: "none"} }

func (e echo) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		d := draft.New(e.Info(), yield)
		last := req.Messages[len(req.Messages)-1]
		text, _ := last.Parts[len(last.Parts)-1].(llm.Text)
		d.Text("you said " + text.Text)
		d.Count(cost.Usage{Input: 5, CacheRead: 3, CacheWrite: 2, Output: 5, USD: 0.01, Source: cost.Provider})
		d.End()
	}
}

// newEnv is an Env over an engine with a store of its own, in a project of two files.
func newEnv(t *testing.T) *Env {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "b.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := all.New(s, all.Wiring{
		Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) {
			if spec == "nobody" {
				return nil, &engine.Refusal{Message: "nobody is no model"}
			}
			return echo{spec}, nil
		}},
		Turns: turns.Wiring{
			Phase: func(_, name string) (phase.Phase, error) { return phase.Find(name) },
			Brief: func(context.Context, string, phase.Phase, permission.Mode, []tool.Tool, bool) (phase.Prompt, []string, error) {
				return phase.Prompt{Shared: "echo"}, nil, nil
			},
			Files: func(_ context.Context, dir, name string) ([]material.Handle, error) {
				file, _, _ := strings.Cut(name, ":")
				text, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					return nil, &engine.Refusal{Message: "no file " + file}
				}
				return []material.Handle{{URI: "file:" + name, Face: string(text), Held: true}}, nil
			},
			Guard: turns.Guard{
				Policy: func(dir string, m permission.Mode) (permission.Policy, error) { return permission.NewPolicy(m, dir) },
				Grants: func() (kept.File, error) { return kept.File{File: filepath.Join(dir, "..", "grants.json")}, nil },
			},
		},
	})
	t.Cleanup(func() { e.Close(); s.Close() })
	env := env()
	env.Engine, env.Dir, env.Begin = e, dir, map[string]string{"model": "one"}
	env.Models = func(context.Context) []string { return []string{"one", "two"} }
	env.Phases = func() []phase.Phase {
		return []phase.Phase{{Name: "chat", Doc: "talk"}, {Name: "planner", Doc: "make a plan", Next: "/exec", Tier: "big"},
			{Name: "reviewer"}}
	}
	env.Files = func(context.Context) []string { return []string{"a.go", "b.go"} }
	env.Templates = func() []phase.Template {
		return []phase.Template{{Name: "bug", Doc: "what is wrong", Path: "bugs/SLUG.md", Text: "# TITLE\n"}}
	}
	env.Today = func() string { return "2026-01-02" }
	env.Project = func() (string, error) { return dir, nil }
	env.Note = func(n notes.Note) string { return fmt.Sprintf("%d. %s\n", n.Number, n.Text) }
	env.Export = func(_ context.Context, tr conversation.Tree, format string) (string, error) {
		return format + " of a tree", nil
	}
	env.Login = "program login"
	return env
}

var changing = regexp.MustCompile(`(?m)^[0-9a-z]{5} |^(  )[0-9a-z]{5}  `)

var backAgain = regexp.MustCompile(`(again: /back )[0-9a-z]{8}`)

// typed is what a line comes to, as a person would see it: its text, then what else is set. A job is waited for. Names that
// differ each time are TREE and *****.
func typed(t *testing.T, env *Env, line string) (out string) {
	t.Helper()
	before := env.Tree
	defer func() {
		for _, name := range []string{before, env.Tree} {
			if name != "" {
				out = strings.ReplaceAll(out, name, "TREE")
			}
		}
		out = backAgain.ReplaceAllString(strings.ReplaceAll(out, env.Dir, "DIR"), "$1*****")
	}()
	var e Effect
	var err error
	if _, _, ok := Parse(line); ok {
		e, err = Run(t.Context(), env, line)
	} else {
		e, err = Say(t.Context(), env, line)
	}
	if r, ok := err.(*engine.Refusal); ok {
		return strings.TrimSuffix("refused: "+r.Message+" ("+r.Hint+")", " ()")
	}
	if err != nil {
		return "error: " + err.Error()
	}
	out = strings.TrimRight(changing.ReplaceAllString(e.Text+e.News, "$1***** "), "\n")
	add := func(format string, args ...any) {
		out = strings.TrimPrefix(out+"\n"+fmt.Sprintf(format, args...), "\n")
	}
	if e.Write != nil {
		add("writes %s: %s", e.Write.Path, e.Write.Text)
	}
	if e.Debate != nil {
		add("debates %s", DebateLine(*e.Debate))
	}
	if e.Told != "" {
		add("told")
	}
	if e.Leave {
		add("leaves")
	}
	if e.Start != nil {
		add("%s", starts(e.Start))
		id, err := env.Engine.Do(t.Context(), e.Start)
		if err == nil {
			err = env.Engine.Wait(id)
		}
		if err != nil {
			add("failed: %v", err)
		}
	}
	return out
}

// starts names a job, and what of it is set.
func starts(op engine.Op) string {
	out := ""
	switch op := op.(type) {
	case turns.Say:
		out = "says in " + op.Tree + ":"
		for _, part := range []struct {
			set  bool
			text string
		}{{op.Text != "", op.Text}, {op.Aside, "[aside]"}, {op.Again, "[again]"}, {op.Files, "[files]"},
			{op.Model != "", "[model " + op.Model + "]"},
			{op.Phase != "", "[phase " + op.Phase + "]"}, {op.Only != nil, "[only " + strings.Join(op.Only, " ") + "]"}} {
			if part.set {
				out += " " + part.text
			}
		}
	case turns.Exec:
		out = "runs in " + op.Tree + ": " + op.Command
	case turns.Compact:
		out = "compacts " + op.Tree
	case runs.Execute:
		op.Talk = "" // it is another one each time
		out = strings.TrimSuffix(fmt.Sprintf("%+v", op), " Talk:}") + "}"
	default:
		out = fmt.Sprintf("%+v", op)
	}
	return out
}

// talked holds lines that are typed one after the other against what they come to: each stands behind >>, with what comes of it
// below.
func talked(t *testing.T, env *Env, table string) {
	t.Helper()
	for i, block := range strings.Split("\n"+strings.TrimSpace(strings.ReplaceAll(table, "\t", "")), "\n>> ") {
		if i == 0 {
			continue
		}
		line, want, _ := strings.Cut(block, "\n")
		if got := trimmed(typed(t, env, line)); got != trimmed(want) {
			t.Errorf(">> %s\n%s\n--- not\n%s", line, got, strings.TrimSpace(want))
		}
	}
}

// trimmed is a text without the blanks at the ends of its lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// A page of the project runs once it is trusted, with the tools it names; what it lacks is said.
func TestPages(t *testing.T) {
	env := newEnv(t)
	env.Pages = func() []phase.Command {
		return []phase.Command{{Name: "fix", Args: "ISSUE", Prompt: "fix $1", Tools: []string{"read"}},
			{Name: "theirs", Prompt: "do it", Project: true}}
	}
	env.Trusted = func(c phase.Command) error { return &engine.Refusal{Message: c.Name + " is not trusted"} }
	talked(t, env, `
		>> /fix
		refused: /fix needs 1 argument: /fix ISSUE
		>> /theirs
		refused: theirs is not trusted
		>> /fix 7
		says in TREE: fix 7 [only read]
		>> /help fix
		/fix ISSUE
	`)
	env.Trusted = func(phase.Command) error { return nil }
	talked(t, env, `
		>> /theirs
		says in TREE: do it
	`)
}

// A phase may have a model of its own tier, which is told with the phase and the model, and not with the mode.
func TestTiers(t *testing.T) {
	env := newEnv(t)
	env.Tiered = func(spec, tier string) string {
		if tier == "" {
			return spec
		}
		return spec + ":" + tier
	}
	talked(t, env, `
		>> /plan
		now in phase planner with one:big; /phase chat leaves it
		>> /mode yolo
		mode: yolo
		>> /models two
		model: two; phase planner uses two:big
		>> /models
		model: two:big
		available:
		    one
		  * two
	`)
}

// What nobody can answer begins no conversation.
func TestNobodyAnswers(t *testing.T) {
	env := newEnv(t)
	env.Begin["model"] = "nobody"
	if got := typed(t, env, "hello"); got != "refused: nobody is no model" || env.Tree != "" {
		t.Errorf("%s in %q", got, env.Tree)
	}
}

// Once the conversation has begun its settings are its own: nothing is left to give the next one.
func TestSettingsAreGivenOnce(t *testing.T) {
	env := newEnv(t)
	for _, line := range []string{"/mode plan", "hello", "/mode yolo", "/models two"} {
		typed(t, env, line)
	}
	set, err := env.Settings(t.Context())
	if err != nil || len(env.Begin) > 0 || set["mode"] != "yolo" || set["model"] != "two" {
		t.Errorf("%v, to begin with %v: %v", set, env.Begin, err)
	}
}

// A note for everywhere holds in other projects, one for the project does not; its numbers can be completed where it holds.
func TestNotesElsewhere(t *testing.T) {
	env := newEnv(t)
	for _, line := range []string{"/remember here", "/remember --everywhere there"} {
		typed(t, env, line)
	}
	if got := strings.Join(Complete(t.Context(), env, "/forget "), " "); got != "1 2" {
		t.Errorf("%q", got)
	}
	dir := t.TempDir()
	env.Project = func() (string, error) { return dir, nil }
	if got := typed(t, env, "/memory"); got != "2. there" {
		t.Errorf("%s", got)
	}
	if got := strings.Join(Complete(t.Context(), env, "/forget "), " "); got != "2" {
		t.Errorf("%q", got)
	}
}
