//go:build unix

package test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// TestRealAgentsKilled kills each real agent with all it started, SIGKILL to its group, while the debate it asked for runs: the debate
// finishes by itself and is found again.
func TestRealAgentsKilled(t *testing.T) {
	for name, c := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := guest.Path(c.variable)
			if bin == "" {
				t.Skip(c.variable + " names no program")
			}
			home, project := t.TempDir(), t.TempDir()
			write(t, filepath.Join(project, "README.md"), "# Sessions\n\nSessions live in Redis. Carts live in Postgres.\n")
			panel(t, home, max(3*time.Second, longDebate()))
			running := make(chan string, 1)
			model, once := &callingModel{}, sync.Once{}
			vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
				r := model.answer(a)
				if model.read != "" {
					once.Do(func() { running <- model.read })
					return llmtest.Reply{Calls: []llm.Call{}, Fault: fault.Stall}
				}
				return r
			})
			defer vendor.Close()
			args, env := c.prepare(t, home, ourselves(t), vendor.URL)
			cmd := exec.CommandContext(t.Context(), bin, args...)
			cmd.Dir, cmd.Stdin, cmd.SysProcAttr = project, strings.NewReader(calling), &syscall.SysProcAttr{Setpgid: true}
			cmd.Env = append(env, "HOME="+home, "PATH="+os.Getenv("PATH"), "TMPDIR="+os.TempDir())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case told := <-running:
				if !strings.Contains(told, "is running") {
					t.Errorf("its model was told %s", told)
				}
			case err := <-ended:
				t.Fatalf("it ended before it had a debate: %v", err)
			}
			if long := longDebate(); long > 0 { // at any second of it
				second := rand.N(long * 3 / 4)
				t.Logf("killed %s after it was told that the debate runs", second.Round(time.Second))
				select {
				case <-time.After(second):
				case err := <-ended:
					t.Fatalf("it ended before it was killed: %v", err)
				}
			}
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			follow := exec.CommandContext(t.Context(), ourselves(t), "debate", "show", "last", "--follow")
			follow.Dir, follow.Env = project, []string{"HOME=" + home}
			if out, err := follow.CombinedOutput(); err != nil && !slices.Contains([]int{11, 12}, follow.ProcessState.ExitCode()) {
				t.Fatalf("it did not end as a debate does: %v\n%s", err, out)
			}
			list := rooms(t, home, project)
			if len(list) != 1 || list[0]["ended"] != true {
				t.Errorf("debates: %v", list)
			}
		})
	}
}
