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
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// steady is a model that has twelve steps of work done, and everything that can go wrong with its vendor meanwhile.
type steady struct {
	mu     sync.Mutex
	faults map[int][]fault.Fault // that are still to come, by step
	step   int                   // that is asked for next
	frozen chan struct{}         // closed once a request is held for ever
	failed json.RawMessage       // the request that failed last
	again  []string              // what was asked otherwise than before
	sums   int
}

const steps = 12

func newSteady() *steady {
	cut, busy := fault.Cut, fault.Overloaded
	return &steady{step: 1, frozen: make(chan struct{}), faults: map[int][]fault.Fault{1: {cut, cut}, 2: {busy}, 3: {cut, fault.Short},
		4: {fault.TooLong}, 5: {cut, cut}, 6: {busy, cut}, 7: {fault.Freeze}, 8: {cut}, 10: {cut, cut}}}
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
		case fault.Freeze:
			close(s.frozen)
		case fault.TooLong:
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

// TestThePrefixOnlyGrows: fifty turns with tools over each protocol, while phase, mode and a file of the context change. Each request
// begins with all of the one before it, byte for byte, but for the marks that say what to keep. A summary of the conversation, which
// also begins with all of it, is the one place where what follows starts over; system prompt and tools stay there, too.
func TestThePrefixOnlyGrows(t *testing.T) {
	socrates := ourselves(t)
	models := []string{"anthropic:claude-opus-5-5", "openai:gpt-6.1-sol", "gemini:gemini-3.8-flash", "openrouter:anthropic/claude-opus-5.5",
		"bedrock:global.anthropic.claude-opus-5-5", "vertex:claude-opus-5-5", "vertex:gemini-3.8-flash"}
	if shortExam { // the others write the requests of these
		models = models[:4]
	}
	for _, model := range models {
		t.Run(strings.ReplaceAll(model, "/", "-"), func(t *testing.T) {
			vendor := llmtest.NewServer(diligent)
			defer vendor.Close()
			home, dir := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			login := filepath.Join(home, "login.json")
			write(t, login, `{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"`+llmtest.Refresh+`","token_uri":"`+
				vendor.URL+`/token"}`)
			chat := exec.Command(socrates, "chat", "--mode", "yolo", "--model", model)
			chat.Dir, chat.Stdin = dir, strings.NewReader(fiftyTurns())
			chat.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
				"ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k", "OPENROUTER_API_KEY=k", "ANTHROPIC_BASE_URL="+vendor.URL,
				"OPENAI_BASE_URL="+vendor.URL+"/v1", "GOOGLE_GEMINI_BASE_URL="+vendor.URL, "OPENROUTER_BASE_URL="+vendor.URL+"/v1",
				"AWS_ACCESS_KEY_ID=key-of-the-exam", "AWS_SECRET_ACCESS_KEY=secret-of-the-exam", "AWS_REGION=eu-loop-1",
				"AWS_ENDPOINT_URL_BEDROCK_RUNTIME="+vendor.URL, "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_VERTEX_BASE_URL="+vendor.URL,
				"GOOGLE_APPLICATION_CREDENTIALS="+login)
			if out, err := chat.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			calls := vendor.Calls()
			if len(calls) != 101 {
				t.Errorf("%d requests", len(calls))
			}
			told, sums, out, held := 0, 0, 0, false
			for i := 1; i < len(calls); i++ {
				before, after := parts(t, calls[i-1].Body), parts(t, calls[i].Body)
				anew := strings.Contains(calls[i-1].Last(), "Sum up the conversation")
				if !anew && !strings.HasPrefix(after.history, before.history) || after.besides != before.besides {
					t.Fatalf("request %d: %.3000s\nafter %.3000s", i, calls[i].Body, calls[i-1].Body)
				}
				if anew {
					if sums++; strings.HasPrefix(after.history, before.history) {
						t.Error("the summary took the place of nothing")
					}
				}
				told = max(told, strings.Count(after.history, "[From here on, this replaces"))
				out, held = max(out, strings.Count(after.history, "no longer in the context")), held || strings.Contains(after.history, "one\\n")
			}
			if told != 4 || sums != 1 || out != 1 || !held {
				t.Errorf("phase and mode were told %d times, %d times it was summed up, and the file left %d times", told, sums, out)
			}
		})
	}
}

// fiftyTurns is what a person types.
func fiftyTurns() string {
	var b strings.Builder
	between := map[int]string{5: "/context add f.txt", 12: "/mode balanced", 20: "/phase planner", 30: "/phase chat", 35: "/mode yolo", 40: "/context remove f.txt",
		45: "/compact"}
	for n := range 50 {
		if cmd := between[n]; cmd != "" {
			b.WriteString(cmd + "\n")
		}
		fmt.Fprintf(&b, "turn %d\n", n)
	}
	return b.String()
}

// diligent calls a tool in every turn, at times one that changes the file, and several at once.
func diligent(a llmtest.Ask) llmtest.Reply {
	if strings.Contains(a.Last(), "Sum up the conversation") {
		return llmtest.Reply{Text: "All turns looked at f.txt."}
	}
	last := a.Messages[len(a.Messages)-1]
	for _, p := range last.Parts {
		if _, ok := p.(llm.Result); ok {
			return llmtest.Reply{Think: "so", Text: "Done."}
		}
	}
	r := llmtest.Reply{Think: "hm", Text: "Looking.", Calls: []llm.Call{{Name: "read", Args: json.RawMessage(`{"path": "f.txt", "description": "<a>"}`)}}}
	if strings.Contains(a.Last(), "7") {
		r.Calls = append(r.Calls, llm.Call{Name: "bash", Args: json.RawMessage(`{"command": "echo more >> f.txt"}`)})
	}
	return r
}

// sent is a request as a vendor's cache sees it.
type sent struct{ history, besides string }

func parts(t *testing.T, body []byte) sent {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	var s sent
	for _, name := range []string{"messages", "input", "contents"} {
		if list := fields[name]; list != nil {
			s.history = strings.TrimSuffix(unmarked(list), "]")
			delete(fields, name)
		}
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	s.besides = unmarked(rest)
	return s
}

// unmarked leaves out what says where to keep: it moves, and what it stands at stays the same.
func unmarked(raw []byte) string {
	out := string(raw)
	for _, mark := range []string{`"cache_control":{"type":"ephemeral"}`, `"cache_control":{"ttl":"1h","type":"ephemeral"}`} {
		out = strings.NewReplacer(mark+",", "", ","+mark, "").Replace(out)
	}
	return out
}

// firstMost is how long the first request of an agent may be: the tools and the system prompt are paid for in every conversation.
const firstMost = 20_000

// TestTheFirstRequestIsShort: run hello in a small repository, over each protocol.
func TestTheFirstRequestIsShort(t *testing.T) {
	socrates := ourselves(t)
	vendor := llmtest.NewServer(func(llmtest.Ask) llmtest.Reply { return llmtest.Reply{Text: "Hello."} })
	defer vendor.Close()
	home, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package a\n")
	write(t, filepath.Join(dir, "README.md"), "# A small thing\n")
	repository(t, dir)
	for _, model := range []string{"anthropic:claude-opus-5-5", "openai:gpt-6.1-sol", "gemini:gemini-3.8-flash", "openrouter:anthropic/claude-opus-5.5"} {
		run := exec.Command(socrates, "run", "--model", model, "hello")
		run.Dir = dir
		run.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
			"ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k", "OPENROUTER_API_KEY=k", "ANTHROPIC_BASE_URL="+vendor.URL,
			"OPENAI_BASE_URL="+vendor.URL+"/v1", "GOOGLE_GEMINI_BASE_URL="+vendor.URL, "OPENROUTER_BASE_URL="+vendor.URL+"/v1")
		before := len(vendor.Calls())
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", model, err, out)
		}
		n := len(vendor.Calls()[before].Body)
		if t.Logf("%s: %d bytes", model, n); n > firstMost {
			t.Errorf("%s: the first request has %d bytes", model, n)
		}
	}
}
