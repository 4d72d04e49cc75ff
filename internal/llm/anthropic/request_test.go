package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// sent is the request the server gets for req.
func sent(t *testing.T, info llm.Info, req llm.Request) (body map[string]any, raw string) {
	t.Helper()
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	if _, err := llm.Collect(anthropic.New(info, s.URL, llmtest.Key).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	call := s.Calls()[0]
	if err := json.Unmarshal(call.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body, string(call.Body)
}

func TestCacheMarks(t *testing.T) {
	history := []llm.Message{llm.UserText("one"), llm.AssistantText("two"), llm.UserText("three")}
	body, raw := sent(t, llm.Info{ID: "claude-x"}, llm.Request{System: "sys", Messages: history, Session: "s1"})
	system := body["system"].([]any)[0].(map[string]any)
	messages := body["messages"].([]any)
	last := messages[2].(map[string]any)["content"].([]any)[0].(map[string]any)
	if system["cache_control"] == nil || last["cache_control"] == nil || strings.Count(raw, "cache_control") != 2 {
		t.Errorf("a session: %s", raw)
	}
	if _, raw = sent(t, llm.Info{ID: "claude-x"}, llm.Request{System: "sys", Messages: history}); strings.Count(raw, "cache_control") != 1 {
		t.Errorf("a single call: %s", raw)
	}
}

func TestEffort(t *testing.T) {
	for _, tc := range []struct{ id, effort, thinking, said string }{
		{"claude-opus-5-5", "high", "adaptive", "high"},
		{"claude-opus-5-5", "", "", ""},
		{"claude-opus-4-5", "low", "", "low"},
		{"claude-sonnet-4-5-20250929", "high", "enabled", ""},
		{"claude-haiku-4-5", "low", "", ""},
		{"claude-opus-4-8", "medium", "adaptive", "medium"},
	} {
		body, raw := sent(t, llm.Info{ID: tc.id, Output: 64000}, llm.Request{Messages: []llm.Message{llm.UserText("go")}, Effort: tc.effort})
		thinking, _ := body["thinking"].(map[string]any)
		config, _ := body["output_config"].(map[string]any)
		kind, _ := thinking["type"].(string)
		said, _ := config["effort"].(string)
		if kind != tc.thinking || said != tc.said || body["max_tokens"] != 64000.0 {
			t.Errorf("%s with effort %q: %s", tc.id, tc.effort, raw)
		}
	}
}

func TestHistoryIsMadeToFit(t *testing.T) {
	history := []llm.Message{llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: " "}, llm.Call{ID: "functions.read:0", Name: "read", Args: json.RawMessage(`{"a":1}`)}}},
		{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "and"}, llm.Result{ID: "functions.read:0", Text: "done"}}}}
	_, raw := sent(t, llm.Info{ID: "claude-x"}, llm.Request{Messages: history})
	if strings.Count(raw, `"functions_read_0"`) != 2 || strings.Contains(raw, `"text":" "`) || strings.Index(raw, "tool_result") > strings.Index(raw, `"and"`) {
		t.Errorf("sent %s", raw)
	}
}

// TestOneRequestIsAlwaysTheSameBytes: vendors cache what requests begin with, tools first, and charge for the rest.
func TestOneRequestIsAlwaysTheSameBytes(t *testing.T) {
	schema := json.RawMessage(`{"type": "object", "properties": {"b": {"type": "string", "description": "x"}, "a": {"type": "object", "properties": {"d": {}, "c": {}}}},
 "required": ["b"], "additionalProperties": false, "title": "t"}`)
	req := llm.Request{System: "sys", Messages: []llm.Message{llm.UserText("one")}, Schema: schema, Session: "s",
		Tools: []llm.Spec{{Name: "one", Doc: "first", Schema: schema}, {Name: "two", Doc: "none"}}}
	_, first := sent(t, llm.Info{ID: "claude-x"}, req)
	for range 20 {
		if _, again := sent(t, llm.Info{ID: "claude-x"}, req); again != first {
			t.Fatalf("once\n%s\nand once\n%s", first, again)
		}
	}
}
