package test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
	"github.com/socrates-cli/socrates/internal/llm/script"
)

// TestRealService has the real claude and codex, with logins only, build the service of script/service.txtar from a prompt to a pull request
// in one command: both debate how, claude plans, and each does three of six steps, which a model of a third family reviews. One step fails
// its check and is repaired, and two are right alone and do not compile together.
func TestRealService(t *testing.T) {
	if guest.Path("SOCRATES_TEST_CLAUDE") == "" || guest.Path("SOCRATES_TEST_CODEX") == "" {
		t.Skip("SOCRATES_TEST_CLAUDE and SOCRATES_TEST_CODEX do not name the real programs")
	}
	home, work := t.TempDir(), t.TempDir()
	votes := filepath.Join(work, "votes.yaml")
	write(t, votes, ballots)
	voter, err := script.Load(votes)
	if err != nil {
		t.Fatal(err)
	}
	b := builder{debates: llmtest.Panelist(voter)}
	b.unpack(t, work)
	dir := filepath.Join(work, "project")
	repository(t, dir)
	hosting := gitHost(filepath.Join(work, "hosted"))
	t.Cleanup(hosting.Close)
	served := filepath.Join(work, "hosted", "links.git")
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "--bare", served)
	git("-C", served, "config", "http.receivepack", "true")
	git("-C", dir, "remote", "add", "origin", "http://ada:open-sesame@"+strings.TrimPrefix(hosting.URL, "http://")+"/links.git")
	vendor := llmtest.NewServer(b.answer)
	t.Cleanup(vendor.Close)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	settled, err := guest.Settle(home, vendor.URL)
	if err != nil {
		t.Fatal(err)
	}
	env := append([]string{"HOME=" + home, "TMPDIR=" + os.TempDir(), "WORK=" + work, "CGO_ENABLED=0", "GOFLAGS=-ldflags=-s " + os.Getenv("GOFLAGS"),
		"GOCACHE=" + cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build"))}, settled...)
	write(t, filepath.Join(home, ".config", "socrates", "config.yaml"), "seats: [\"claude:claude-loop\", \"codex:gpt-6\"]\n")
	if err := os.Rename(filepath.Join(work, "forge", "gh"), filepath.Join(home, "bin", "gh")); err != nil {
		t.Fatal(err)
	}
	socrates := func(args ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0], args...)
		c.Args[0], c.Dir, c.Env = "socrates", dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	out := socrates("do", "--name", "links", "--mode", "yolo", "--executor", "codex:gpt-6", "--parallel", "3", "--check", "go test ./...",
		"--allow-check", "go test ./... -run *", "--review", "gemini:small", "--pr", "--push", asked)
	for _, want := range []string{`analyze . decided by debate`, `step 2 . not proved: go test ./... -run TestCode: failed`, `step [34] . conflict: `,
		`step 1 . reviewed by gemini:small: 0 objections`, `step [34] .* . attempt 2`, `Accepted links as branch links, https://github.example/x/pull/8`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("nothing of it says %q", want)
		}
	}
	if got := git("--git-dir", served, "log", "--format=%s", "links"); strings.Count(got, "\n") != 7 {
		t.Errorf("the branch has %s", got)
	}
	tree := filepath.Join(work, "served")
	git("--git-dir", served, "worktree", "add", "-q", tree, "links")
	check := exec.Command("go", "test", "./...")
	if check.Dir = tree; t.Failed() {
		t.Fatal(out)
	}
	if said, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	git("-C", dir, "checkout", "-q", "links")
	for file, by := range map[string]string{"code.go:5": "codex", "store.go:5": "claude"} {
		if why := socrates("why", file); !regexp.MustCompile(`(?m)^done by +` + by).MatchString(why) {
			t.Errorf("%s: %s", file, why)
		}
	}
	if left := guest.Living(home); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// builder answers for the models of claude and codex by the rules of a script's files.
type builder struct {
	plan    string
	rules   []serviceRule
	debates func(llmtest.Ask) llmtest.Reply
}

type serviceRule struct {
	Contains string
	Steps    [][]struct {
		Tool string
		Args map[string]string
	}
	Reply string
}

// unpack writes the project and the forge's program of the script into a folder, and reads its rules.
func (b *builder) unpack(t *testing.T, to string) {
	t.Helper()
	archive, err := txtar.ParseFile("test/testdata/script/service.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		var all struct{ Rules []serviceRule }
		switch {
		case strings.HasSuffix(f.Name, ".yaml"):
			if err := yaml.Unmarshal(f.Data, &all); err != nil {
				t.Fatal(err)
			}
			if f.Name == "lead.yaml" {
				b.plan = all.Rules[0].Reply
				continue
			}
			b.rules = all.Rules
		default:
			name := filepath.Join(to, filepath.FromSlash(f.Name))
			write(t, name, string(f.Data))
			if f.Name == "forge/gh" {
				if err := os.Chmod(name, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for step, line := range map[string]string{"### 1. ": "- executor: claude:claude-loop\n",
		"### 4. ": "- executor: claude:claude-loop\n", "### 6. ": "- executor: claude:claude-loop\n"} {
		head, rest, _ := strings.Cut(b.plan, step)
		title, rest, _ := strings.Cut(rest, "\n\n")
		b.plan = head + step + title + "\n\n" + line + rest
	}
}

// asked is the prompt, and refines what the phase that clarifies it tells its model.
const (
	asked   = "Should a service that shortens links keep them in memory or in a file?"
	refines = "You make a request clear for whoever carries it out"
)

// ballots are what both think.
const ballots = `info: {id: voter}
rules:
  - act: cross
    reply: '{"option": "{{option "in memory"}}", "because": [], "stances": [], "claims": []}'
  - act: verify
    reply: '{"judgements": []}'
  - act: blind
    reply: '{"option": "{{option "in memory"}}", "other": "", "summary": "in memory", "claims": [{"text": "one process serves all", "impact": 3,
      "option": "{{option "in memory"}}", "supports": true}], "change_my_mind": "a second process", "confidence": 0.9}'
`

var (
	points  = regexp.MustCompile(`(?m)^- ([a-z]\d+) \(`)
	current = regexp.MustCompile(`[Ww]orking directory: ([^\s\\"]+)`)
)

// answer is what the model that is asked says or does next.
func (b *builder) answer(a llmtest.Ask) llmtest.Reply {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		text := a.Messages[i].Text()
		if a.Messages[i].Role != llm.User {
			continue
		}
		switch {
		case strings.Contains(text, "How it is done was decided"):
			var claims []string
			for _, m := range points.FindAllStringSubmatch(text, -1) {
				claims = append(claims, m[1])
			}
			plan, _, _ := strings.Cut(b.plan, "## Not in this plan")
			return llmtest.Reply{Text: strings.Replace(plan, "- claims: c1", "- claims: "+strings.Join(claims, ", "), 1)}
		case strings.Contains(string(a.Body), refines):
			return llmtest.Reply{Text: asked}
		case strings.Contains(text, "Review a change"):
			return llmtest.Reply{Text: "none"}
		}
		for _, r := range b.rules {
			if strings.Contains(text, r.Contains) {
				return r.next(a, i)
			}
		}
	}
	return b.debates(a)
}

// next is what comes after what was done since a message, with the tools of the program that asks.
func (r serviceRule) next(a llmtest.Ask, since int) llmtest.Reply {
	done := 0
	for _, m := range a.Messages[since:] {
		for _, p := range m.Parts {
			if _, is := p.(llm.Result); is {
				done++
			}
		}
	}
	var calls []llm.Call
	for _, list := range r.Steps {
		for _, c := range list {
			calls = append(calls, toolOf(a, c.Tool, c.Args))
		}
	}
	if done >= len(calls) || len(a.Tools) == 0 {
		return llmtest.Reply{Text: r.Reply}
	}
	return llmtest.Reply{Text: "Next.", Calls: calls[done : done+1]}
}

// toolOf is a call of our tools as the program that asks has it.
func toolOf(a llmtest.Ask, tool string, args map[string]string) llm.Call {
	name, said := "", map[string]string{}
	switch codex := a.Protocol == llmtest.Responses; {
	case codex && tool == "write":
		name, said["cmd"] = "exec_command", fmt.Sprintf("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch\nEOF", args["path"],
			strings.ReplaceAll(strings.TrimSuffix(args["content"], "\n"), "\n", "\n+"))
	case codex:
		name, said["cmd"] = "exec_command", "cat "+args["path"]
	default:
		path := args["path"]
		if m := current.FindSubmatch(a.Body); m != nil {
			path = filepath.Join(string(m[1]), path)
		}
		name, said["file_path"] = map[string]string{"write": "Write", "read": "Read"}[tool], path
		if tool == "write" {
			said["content"] = args["content"]
		}
	}
	raw, _ := json.Marshal(said)
	return llm.Call{Name: name, Args: raw}
}
