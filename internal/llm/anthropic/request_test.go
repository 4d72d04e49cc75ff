package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/draft"
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
	if system["cache_control"] == nil || last["cache_control"] == nil || strings.Count(raw, "cache_control") != 4 {
		t.Errorf("a session: %s", raw)
	}
	if _, raw = sent(t, llm.Info{ID: "claude-x"}, llm.Request{System: "sys", Messages: history}); strings.Count(raw, "cache_control") != 1 {
		t.Errorf("a single call: %s", raw)
	}
	body, raw = sent(t, llm.Info{ID: "claude-x"}, llm.Request{System: "shared and own", Shared: 6, Messages: history, Session: "s1"})
	blocks := body["system"].([]any)
	first := blocks[0].(map[string]any)
	if len(blocks) != 2 || first["text"] != "shared" || first["cache_control"].(map[string]any)["ttl"] != "1h" || strings.Count(raw, "cache_control") != 4 {
		t.Errorf("a prompt whose beginning is shared: %s", raw)
	}
}

// TestWhatWasCachedIsFound: the server looks back over twenty blocks from each mark, so that a mark must be so near to where the last
// request ended.
func TestWhatWasCachedIsFound(t *testing.T) {
	for _, calls := range []int{1, 14, 19} {
		history := []llm.Message{llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{llm.Think{Signature: draft.Signed("anthropic", "s")}}}, {Role: llm.User}}
		for i := range calls {
			id := fmt.Sprint("c", i)
			history[1].Parts = append(history[1].Parts, llm.Call{ID: id, Name: "read", Args: json.RawMessage(`{}`)})
			history[2].Parts = append(history[2].Parts, llm.Result{ID: id, Text: "x"})
		}
		body, raw := sent(t, llm.Info{ID: "claude-x"}, llm.Request{System: "shared and own", Shared: 6, Messages: history, Session: "s1"})
		since, nearest := 0, 1000 // blocks since the end of the last request, which was the first message
		for _, m := range body["messages"].([]any)[1:] {
			for _, b := range m.(map[string]any)["content"].([]any) {
				if since++; b.(map[string]any)["cache_control"] != nil {
					nearest = min(nearest, since)
				}
			}
		}
		if nearest > 20 || strings.Count(raw, "cache_control") > 4 {
			t.Errorf("%d calls: the nearest mark is %d blocks away in %s", calls, nearest, raw)
		}
	}
}

// TestThinkingThatIsRefused: thinking holds only while what came before it is the same. Where it does not, the request goes without.
func TestThinkingThatIsRefused(t *testing.T) {
	refusal := llmtest.Reply{Status: 400, Raw: `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid signature in thinking block"}}`}
	s := llmtest.NewServer(llmtest.Failing(1, refusal, llmtest.Say(llmtest.Reply{Text: "x"})))
	defer s.Close()
	history := []llm.Message{llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{llm.Think{Signature: draft.Signed("anthropic", "s")}, llm.Text{Text: "two"}}}, llm.UserText("three")}
	end, err := llm.Collect(anthropic.New(llm.Info{ID: "m"}, s.URL, llmtest.Key).Stream(t.Context(), llm.Request{Messages: history}))
	if err != nil || end.Message.Text() != "x" || len(s.Calls()) != 2 || !strings.Contains(string(s.Calls()[0].Body), "thinking") || strings.Contains(string(s.Calls()[1].Body), "thinking") {
		t.Errorf("%v, %d calls", err, len(s.Calls()))
	}
}

func TestEffort(t *testing.T) {
	for _, tc := range []struct{ id, effort, thinking, said string }{
		{"claude-opus-5-5", "high", "adaptive", "high"},
		{"claude-opus-5-5", "", "adaptive", ""},
		{"claude-opus-5-5", "xhigh", "adaptive", "xhigh"},
		{"claude-opus-4-8", "", "", ""},
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
