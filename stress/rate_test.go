package stress_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// TestNoMinuteIsAboveARate has ten agents of one run, and a process beside it, ask four kinds of providers that each have a limit per minute.
// In no minute has a provider had more requests, by its own clock.
func TestNoMinuteIsAboveARate(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("carries a plan out, and waits for a minute")
	}
	if held := sandbox.Probe(t.Context()).Protect; held.Level != sandbox.Held {
		t.Skip("agents need a sandbox: " + held.Say)
	}
	limits := map[string]int{llmtest.Anthropic: 6, llmtest.Responses: 3, llmtest.Chat: 3, llmtest.Gemini: 3}
	var mu sync.Mutex
	asked := map[string][]time.Time{}
	file := regexp.MustCompile(`Write (n\d+\.txt)`)
	s := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		mu.Lock()
		asked[a.Protocol] = append(asked[a.Protocol], time.Now())
		mu.Unlock()
		name := file.FindSubmatch(a.Body)
		for _, m := range a.Messages {
			if m.Role == llm.Assistant || name == nil {
				return llmtest.Reply{Text: "Done."}
			}
		}
		return llmtest.Reply{Calls: []llm.Call{{Name: "write", Args: json.RawMessage(fmt.Sprintf(`{"path": %q, "content": "x\n"}`, name[1]))}}}
	})
	defer s.Close()
	a := newArena(t)
	a.path = filepath.Join(filepath.Dir(a.path), "store", "s.db") // apart from the workspaces
	seats := []string{"anthropic:loop", "anthropic:loop", "anthropic:loop", "anthropic:loop", "openai:loop", "openai:loop", "gemini:loop", "gemini:loop", "plain:loop", "plain:loop"}
	var plan strings.Builder
	plan.WriteString("# Plan: Ten at once\n\n")
	for i, seat := range seats {
		fmt.Fprintf(&plan, "### %d. Step %d\n\n- files: n%d.txt (new)\n- do: Write n%d.txt.\n- executor: %s\n- check: `grep x n%d.txt`\n\n", i+1, i+1, i, i, seat, i)
	}
	write(t, filepath.Join(a.dir, "..", "plan.md"), plan.String())
	home := filepath.Dir(filepath.Dir(a.path))
	if err := os.MkdirAll(filepath.Join(home, "socrates"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "socrates", "config.yaml"), fmt.Sprintf(`providers:
  anthropic: {requests_per_minute: %d}
  openai: {requests_per_minute: %d}
  gemini: {requests_per_minute: %d}
  plain: {requests_per_minute: %d, base_url: %s/v1, wire: chat}
`, limits[llmtest.Anthropic], limits[llmtest.Responses], limits[llmtest.Gemini], limits[llmtest.Chat], s.URL))
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "ANTHROPIC_API_KEY=key-of-nobody", "ANTHROPIC_BASE_URL="+s.URL,
		"OPENAI_API_KEY=key-of-nobody", "OPENAI_BASE_URL="+s.URL+"/v1", "GEMINI_API_KEY=key-of-nobody", "GOOGLE_GEMINI_BASE_URL="+s.URL, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		output(t, a.dir, env, "git", args...)
	}
	var wait sync.WaitGroup
	do := func(args ...string) {
		wait.Go(func() {
			c := a.command(args...)
			c.Env = env
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	do("execute", filepath.Join(a.dir, "..", "plan.md"), "--name", "ten", "--parallel", "10", "--allow-check", "grep **")
	for range 3 {
		do("run", "--model", "anthropic:loop", "Say something.")
	}
	wait.Wait()
	for protocol, limit := range limits {
		all := asked[protocol]
		slices.SortFunc(all, time.Time.Compare)
		if len(all) <= limit {
			t.Errorf("%s was asked %d times, which no limit of %d can hold back", protocol, len(all), limit)
		}
		for i := range all[min(limit, len(all)):] {
			if gap := all[i+limit].Sub(all[i]); gap < time.Minute {
				t.Errorf("%s was asked %d times within %s, with a limit of %d", protocol, limit+1, gap, limit)
			}
		}
		t.Logf("%s: %d requests at %d a minute", protocol, len(all), limit)
	}
}
