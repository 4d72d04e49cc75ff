package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// talking is our program before a vendor on loopback, in a home of its own.
func talking(t *testing.T, vendor *llmtest.Server, stdin string, args ...string) (out, said string) {
	t.Helper()
	code, out, said := talked(t, vendor, stdin, args...)
	if code != 0 {
		t.Fatalf("it ended with %d\n%s%s", code, out, said)
	}
	return out, said
}

// talked is talking that may fail; code is how it ended.
func talked(t *testing.T, vendor *llmtest.Server, stdin string, args ...string) (code int, out, said string) {
	t.Helper()
	home := t.TempDir()
	c := exec.Command(ourselves(t), args...)
	var stdout, stderr strings.Builder
	c.Dir, c.Stdin, c.Stdout, c.Stderr = t.TempDir(), strings.NewReader(stdin), &stdout, &stderr
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
		"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+vendor.URL, "SOCRATES_CHAT_FALLBACK=anthropic:claude-haiku-5-5")
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// TestAnotherModelStandsIn: where the chosen model stays overloaded or refuses, the one that is set for that answers the rest of the
// turn, over what was said, and the person is told.
func TestAnotherModelStandsIn(t *testing.T) {
	for why, r := range map[string]llmtest.Reply{
		"failed (overloaded: ": {Fault: fault.Overloaded, RetryAfterMS: "1"}, "refused to answer": {Fault: fault.Refused}} {
		vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
			if strings.Contains(a.Model, "opus") {
				return r
			}
			return llmtest.Reply{Text: "I stand in."}
		})
		out, said := talking(t, vendor, "", "run", "--model", "anthropic:claude-opus-5-5", "hello")
		if out != "I stand in.\n" || !strings.Contains(said, why) || !strings.Contains(said, "claude-haiku-5-5 answers the rest of this turn") {
			t.Errorf("%s: it said %q and %q", why, out, said)
		}
		vendor.Close()
	}
}

// TestASummaryIsTakenBack: what a summary took the place of is sent again, byte for byte, once that is undone.
func TestASummaryIsTakenBack(t *testing.T) {
	vendor := llmtest.NewServer(diligent)
	defer vendor.Close()
	talking(t, vendor, "turn 0\nturn 1\n/compact\nturn 2\n/compact undo\nturn 3\n", "chat", "--mode", "yolo", "--model", "anthropic:claude-opus-5-5")
	calls := vendor.Calls()
	at := slices.IndexFunc(calls, func(a llmtest.Ask) bool { return strings.Contains(a.Last(), "Sum up the conversation") })
	if at < 1 || len(calls) != at+5 {
		t.Fatalf("%d requests, the summary is the %dth", len(calls), at)
	}
	before, short, again := parts(t, calls[at-1].Body), parts(t, calls[at+1].Body), parts(t, calls[at+3].Body)
	if strings.HasPrefix(short.history, before.history) {
		t.Error("the summary took the place of nothing")
	}
	if !strings.HasPrefix(again.history, before.history) {
		t.Errorf("after it was taken back\n%.2000s\nis sent, not\n%.2000s", again.history, before.history)
	}
}

// TestACutTextIsWhole: an answer that reached the limit of tokens is continued, and both parts of it are in what a person is shown of the
// conversation, exports and can find.
func TestACutTextIsWhole(t *testing.T) {
	vendor := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		if strings.Contains(a.Last(), "cut off") {
			return llmtest.Reply{Text: "and the second."}
		}
		return llmtest.Reply{Text: "The first half", Fault: fault.OutOfTokens}
	})
	defer vendor.Close()
	home := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command(ourselves(t), args...)
		c.Dir = t.TempDir()
		c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, ".data"),
			"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+vendor.URL)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	if out := run("run", "--model", "anthropic:claude-opus-5-5", "--session", "one", "hello"); out != "The first halfand the second.\n" {
		t.Errorf("it answered %q", out)
	}
	for _, args := range [][]string{{"tree", "show", "one"}, {"tree", "export", "one"}, {"tree", "export", "one", "--format", "html"}, {"tree", "search", "first half", "--all"}} {
		if out := run(args...); !strings.Contains(out, "The first half") {
			t.Errorf("%v leaves out how the answer begins:\n%s", args, out)
		}
	}
}
