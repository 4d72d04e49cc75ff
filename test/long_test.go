package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// steady is a model that has twelve steps of work done, and everything that can go wrong with its vendor meanwhile.
type steady struct {
	mu     sync.Mutex
	faults map[int][]llmtest.Fault // that are still to come, by step
	step   int                     // that is asked for next
	frozen chan struct{}           // closed once a request is held for ever
	failed json.RawMessage         // the request that failed last
	again  []string                // what was asked otherwise than before
	sums   int
}

const steps = 12

func newSteady() *steady {
	cut, busy := llmtest.Cut, llmtest.Overloaded
	return &steady{step: 1, frozen: make(chan struct{}), faults: map[int][]llmtest.Fault{1: {cut, cut}, 2: {busy}, 3: {cut, llmtest.Short},
		4: {llmtest.TooLong}, 5: {cut, cut}, 6: {busy, cut}, 7: {llmtest.Freeze}, 8: {cut}, 10: {cut, cut}}}
}

func (s *steady) answer(a llmtest.Ask) llmtest.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil && !bytes.Equal(s.failed, a.Body) {
		s.again = append(s.again, string(a.Body))
	}
	s.failed = nil
	if strings.Contains(a.Last(), "Sum up the conversation") {
		s.sums++
		return llmtest.Reply{Text: fmt.Sprintf("Steps 1 to %d are done.", s.step-1)}
	}
	if rest := s.faults[s.step]; len(rest) > 0 {
		s.faults[s.step] = rest[1:]
		switch rest[0] {
		case llmtest.Freeze:
			close(s.frozen)
		case llmtest.TooLong:
		default:
			s.failed = a.Body
		}
		return llmtest.Reply{Think: "hm", Text: "one moment please", Fault: rest[0], RetryAfterMS: "10"}
	}
	if s.step > steps {
		return llmtest.Reply{Text: "All done."}
	}
	args, _ := json.Marshal(map[string]string{"command": fmt.Sprintf("echo step %d >> log.txt", s.step)})
	s.step++
	return llmtest.Reply{Think: "next", Calls: []llm.Call{{Name: "bash", Args: args}}}
}

// TestALongRunEnds: ten streams that are cut, two overloads, a full window and a kill -9 end with the work done, each step once, and
// nothing asked again but what was cut.
func TestALongRunEnds(t *testing.T) {
	model := newSteady()
	vendor := llmtest.NewServer(model.answer)
	defer vendor.Close()
	home, dir, socrates := t.TempDir(), t.TempDir(), ourselves(t)
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(socrates, append([]string{"run", "--mode", "yolo", "--session", "long"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
			"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+vendor.URL)
		return cmd
	}
	first := run("--model", "anthropic:claude-opus-5-5", "do it")
	var said bytes.Buffer
	first.Stderr = &said
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- first.Wait() }()
	select {
	case <-model.frozen:
	case err := <-ended:
		t.Fatalf("it ended before it was killed: %v\n%s", err, said.String())
	}
	first.Process.Kill()
	<-ended
	second := run("go on")
	out, err := second.Output()
	if err != nil || strings.TrimSpace(string(out)) != "All done." {
		var stderr []byte
		if e, ok := err.(*exec.ExitError); ok {
			stderr = e.Stderr
		}
		t.Fatalf("%q, %v\n%s", out, err, stderr)
	}
	var want strings.Builder
	for n := range steps {
		fmt.Fprintf(&want, "step %d\n", n+1)
	}
	if log, err := os.ReadFile(filepath.Join(dir, "log.txt")); err != nil || string(log) != want.String() {
		t.Errorf("done was %q, %v", log, err)
	}
	if model.sums != 1 || len(model.again) > 0 {
		t.Errorf("%d summaries; asked otherwise after a failure: %q", model.sums, model.again)
	}
	for step, rest := range model.faults {
		if len(rest) > 0 {
			t.Errorf("step %d did not fail %d times", step, len(rest))
		}
	}
}
