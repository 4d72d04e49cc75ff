package stress_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// TestRunKeepsItsLimit has ten agents at once spend without end against a run's limit, which is killed three times and resumed. What the
// vendor served is never above the limit, whatever was under way when it was killed.
func TestRunKeepsItsLimit(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("carries a plan out")
	}
	if held := sandbox.Probe(t.Context()).Protect; held.Level != sandbox.Held {
		t.Skip("agents need a sandbox: " + held.Say)
	}
	const limit = 1_500_000
	var served, calls atomic.Int64
	s := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		u := cost.Usage{Input: 3 * len(a.Body) / 10, Output: 3000} // never above what a request is bounded by
		served.Add(int64(u.Input + u.Output))
		calls.Add(1)
		return llmtest.Reply{Text: strings.Repeat("word ", 2000), Usage: &u, Delay: time.Millisecond,
			Calls: []llm.Call{{Name: "grep", Args: json.RawMessage(fmt.Sprintf(`{"pattern": "x%d"}`, calls.Load()))}}}
	})
	defer s.Close()
	a := newArena(t)
	a.path = filepath.Join(filepath.Dir(a.path), "store", "s.db") // apart from the workspaces
	var plan strings.Builder
	plan.WriteString("# Plan: Ten at once\n\n")
	for i := range 10 {
		fmt.Fprintf(&plan, "### %d. Step %d\n\n- files: n%d.txt (new)\n- do: Write n%d.txt.\n- check: `grep x n%d.txt`\n\n", i+1, i+1, i, i, i)
	}
	write(t, filepath.Join(a.dir, "..", "plan.md"), plan.String())
	home := filepath.Dir(filepath.Dir(a.path))
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "ANTHROPIC_API_KEY=key-of-nobody", "ANTHROPIC_BASE_URL="+s.URL, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		output(t, a.dir, env, "git", args...)
	}
	rnd := rand.New(rand.NewPCG(16, 10))
	// do has it go on until it ends, or until so many more calls were made.
	do := func(more int64, args ...string) (code int, said string) {
		c := a.command(args...)
		c.Env = env
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended, from := make(chan error, 1), calls.Load()
		go func() { ended <- c.Wait() }()
		for {
			select {
			case err := <-ended:
				if e, ok := errors.AsType[*exec.ExitError](err); ok {
					return e.ExitCode(), out.String()
				}
				return 0, out.String()
			case <-time.After(2 * time.Millisecond):
				if more > 0 && calls.Load() >= from+more {
					c.Process.Kill()
					<-ended
					return -1, out.String()
				}
			}
		}
	}
	args := []string{"execute", filepath.Join(a.dir, "..", "plan.md"), "--name", "ten", "--executor", "anthropic:loop", "--parallel", "10",
		"--allow-check", "grep **", "--max-tokens", fmt.Sprint(limit)}
	for kill := range 3 {
		code, said := do(10+rnd.Int64N(15), args...)
		if code != -1 {
			t.Fatalf("it ended by itself with %d before it was killed: %s", code, said)
		}
		t.Logf("killed after %d calls: %d tokens", calls.Load(), served.Load())
		if args = []string{"work", "resume", "ten"}; kill == 2 {
			break
		}
	}
	code, said := do(0, args...)
	if code != 9 || !strings.Contains(said, "are left") {
		t.Errorf("it ended with %d: %s", code, said)
	}
	if got := served.Load(); got > limit || got < limit/2 {
		t.Errorf("%d calls took %d tokens of %d", calls.Load(), got, limit)
	}
	was := calls.Load()
	do(0, "work", "resume", "ten")
	if calls.Load() != was {
		t.Errorf("a run without money asked %d times more", calls.Load()-was)
	}
	t.Logf("%d calls, %d tokens of %d", calls.Load(), served.Load(), limit)
}
