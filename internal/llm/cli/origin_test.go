package cli_test

import (
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// TestOrigin: an answer says which program gave it, with the version and the vendor's id of the request where the program tells them.
func TestOrigin(t *testing.T) {
	for name, want := range map[string][2]string{
		"claude": {"claude 2.1.197", "req_loop00000001"}, "codex": {"codex 0.169.0", ""}, "gemini": {"gemini 0.61.0", ""},
		"grok": {"grok 1.0.41", ""}, "qwen": {"qwen 0.15.10", ""}, "opencode": {"opencode 1.18.33", ""}, "copilot": {"copilot 1.0.102", ""},
		"pi": {"pi", "chatcmpl-loop00000001"}, "crush": {"crush", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, _ := filepath.Abs(recordingOf(name, "hello"))
			m := acting(t, name, file, cli.Options{Model: "some-model"})
			end, err := llm.Collect(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("Who are you?")},
				System: "You are a seat at a table.", Dir: t.TempDir(), Session: "s"}))
			if err != nil || end.Program != want[0] || end.Request != want[1] {
				t.Errorf("%q, %q, %v; not %q", end.Program, end.Request, err, want)
			}
		})
	}
}
