package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// worker says how the model of a program does a piece of work with the program's own tools: it finds a place, edits two files, runs the
// tests and commits. DIR is the project.
type worker struct {
	steps []llm.Call
	asks  []string // what of it must be in the record, by our names
}

const (
	runsTests = `{"command":"sh test.sh && echo fine","description":"test"}`
	commits   = `{"command":"git add -A && git commit -qm repaired","description":"commit"}`
)

func step(name, args string) llm.Call { return llm.Call{Name: name, Args: json.RawMessage(args)} }

var workers = map[string]worker{
	"claude": {[]llm.Call{
		step("Grep", `{"pattern":"add"}`), step("Read", `{"file_path":"DIR/add.sh"}`),
		step("Edit", `{"file_path":"DIR/add.sh","old_string":"$1 - $2","new_string":"$1 + $2"}`),
		step("Write", `{"file_path":"DIR/README.md","content":"add.sh adds.\n"}`), step("Bash", runsTests), step("Bash", commits)},
		[]string{"grep", "read", "edit", "write", "bash", "bash"}},
	"codex": {[]llm.Call{
		step("exec_command", `{"cmd":"grep -n add *.sh"}`),
		step("exec_command", `{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: add.sh\n@@\n-add() { echo $(($1 - $2)); }\n`+
			`+add() { echo $(($1 + $2)); }\n*** Add File: README.md\n+add.sh adds.\n*** End Patch\nEOF"}`),
		step("exec_command", `{"cmd":"sh test.sh && echo fine"}`), step("exec_command", `{"cmd":"git add -A && git commit -qm repaired"}`)},
		[]string{"bash", "edit", "bash", "bash"}},
	"gemini": {[]llm.Call{ // it asks before what changes something
		step("grep_search", `{"pattern":"add"}`), step("read_file", `{"file_path":"add.sh"}`),
		step("replace", `{"file_path":"DIR/add.sh","old_string":"$1 - $2","new_string":"$1 + $2","instruction":"add"}`),
		step("write_file", `{"file_path":"DIR/README.md","content":"add.sh adds.\n"}`),
		step("run_shell_command", runsTests), step("run_shell_command", commits)},
		[]string{"edit", "write", "bash", "bash"}},
	"opencode": {[]llm.Call{
		step("grep", `{"pattern":"add"}`), step("read", `{"filePath":"DIR/add.sh"}`),
		step("edit", `{"filePath":"DIR/add.sh","oldString":"$1 - $2","newString":"$1 + $2"}`),
		step("write", `{"filePath":"DIR/README.md","content":"add.sh adds.\n"}`), step("bash", runsTests), step("bash", commits)},
		[]string{"edit", "write", "bash", "bash"}},
	"copilot": {[]llm.Call{
		step("grep", `{"pattern":"add"}`), step("view", `{"path":"DIR/add.sh"}`),
		step("edit", `{"path":"DIR/add.sh","old_str":"$1 - $2","new_str":"$1 + $2"}`),
		step("create", `{"path":"DIR/README.md","file_text":"add.sh adds.\n"}`), step("bash", runsTests), step("bash", commits)},
		[]string{"edit", "write", "bash", "bash"}},
}

// TestRealWorkers has each real program do a piece of work under its own login, of which the loopback vendor is told: the work is done and
// committed, each permission is in our record, the program's words are there, and undo brings all files back.
func TestRealWorkers(t *testing.T) {
	for name, w := range workers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(guest.Names(), name) {
				t.Skipf("SOCRATES_TEST_%s names no program", strings.ToUpper(name))
			}
			home, dir := t.TempDir(), t.TempDir()
			files := map[string]string{"add.sh": "add() { echo $(($1 - $2)); }\n", "test.sh": ". ./add.sh\ntest \"$(add 2 3)\" = 5\n"}
			for name, text := range files {
				write(t, filepath.Join(dir, name), text)
			}
			repository(t, dir)
			vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply { return w.answer(a, dir) })
			t.Cleanup(vendor.Close)
			settled, err := guest.Settle(home, vendor.URL)
			if err != nil {
				t.Fatal(err)
			}
			env := append([]string{"HOME=" + home, "TMPDIR=" + os.TempDir()}, settled...)
			socrates := func(args ...string) string {
				c := exec.Command(os.Args[0], args...)
				c.Args[0], c.Dir, c.Env = "socrates", dir, env
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			out := socrates("run", "--mode", "yolo", "--session", "work", "--model", guest.Spec(name, ""), "Repair add.")
			log, err := exec.Command("git", "-C", dir, "log", "--format=%s", "--name-only", "-1").Output()
			if !strings.Contains(out, "All is done.") || err != nil || string(log) != "repaired\n\nREADME.md\nadd.sh\n" {
				t.Errorf("it said %s\nand committed %q", out, log)
			}
			record := socrates("tree", "export", "work", "--format", "jsonl")
			var asked []string
			for line := range strings.Lines(record) {
				var n struct {
					Kind string
					Body struct{ Tool, Verdict string }
				}
				if json.Unmarshal([]byte(line), &n) == nil && n.Kind == "permission" && n.Body.Verdict == "allow" {
					asked = append(asked, n.Body.Tool)
				}
			}
			if !slices.Equal(asked, w.asks) {
				t.Errorf("the record has the permissions %q, not %q", asked, w.asks)
			}
			socrates("tree", "undo", "work")
			for name, text := range files {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
					t.Errorf("after undo %s holds %q: %v", name, got, err)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "README.md")); err == nil {
				t.Error("after undo README.md is there")
			}
			if left := guest.Living(home); len(left) > 0 {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// answer is the next step, once the one before has a result.
func (w worker) answer(a llmtest.Ask, dir string) llmtest.Reply {
	done := 0
	for _, m := range a.Messages {
		for _, p := range m.Parts {
			if _, ok := p.(llm.Result); ok {
				done++
			}
		}
	}
	if done >= len(w.steps) || len(a.Tools) == 0 {
		return llmtest.Reply{Text: "All is done."}
	}
	c := w.steps[done]
	c.Args = json.RawMessage(strings.ReplaceAll(string(c.Args), "DIR", dir))
	return llmtest.Reply{Text: "Next.", Calls: []llm.Call{c}}
}

// repository makes a folder one, with all its files committed.
func repository(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "a"}, {"config", "user.email", "a@example.com"},
		{"add", "-A"}, {"commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
