package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/openai"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// replay answers one call with these events and returns its end.
func replay(t *testing.T, wire openai.Wire, lines ...string) (llm.End, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, l := range lines {
			io.WriteString(w, l)
		}
	}))
	defer server.Close()
	m := openai.New(llm.Info{ID: "m", Lineage: "test"}, server.URL, "", wire)
	return llm.Collect(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("go")}}))
}

func calls(fragments string) string {
	return `data: {"choices":[{"delta":{"tool_calls":` + fragments + `}}]}` + "\n\n"
}

const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"

func TestChatCallsOfOddServers(t *testing.T) {
	const want = `a:1 {"x":1}, b:2 {"y":2}`
	for name, lines := range map[string][]string{
		"whole, in one event": {calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}},{"index":1,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}]`), stop},
		"pieces that alternate": {calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":""}}]`), calls(`[{"index":1,"id":"2","function":{"name":"b"}}]`),
			calls(`[{"index":1,"function":{"arguments":"{\"y\""}}]`), calls(`[{"index":0,"function":{"arguments":"{\"x\":1}"}}]`), calls(`[{"index":1,"function":{"arguments":":2}"}}]`), stop},
		"all with index 0": {calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\":1}"}}]`), calls(`[{"index":0,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}]`), stop},
		"no index": {calls(`[{"id":"1","function":{"name":"a","arguments":"{\"x\":"}}]`), calls(`[{"function":{"arguments":"1}"}}]`),
			calls(`[{"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}]`), stop},
		"id and name with every piece": {calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":"{\"x\""}}]`), calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":":1}"}}]`),
			calls(`[{"index":1,"id":"2","function":{"name":"b","arguments":"{\"y\":2}"}}]`), stop},
		"arguments as objects": {calls(`[{"index":0,"id":"1","function":{"name":"a","arguments":{"x":1}}},{"index":1,"id":"2","function":{"name":"b","arguments":{"y":2}}}]`), stop},
	} {
		end, err := replay(t, openai.Chat, lines...)
		var got []string
		for _, c := range end.Message.Calls() {
			got = append(got, c.Name+":"+c.ID+" "+string(c.Args))
		}
		if err != nil || end.Stop != llm.StopTools || strings.Join(got, ", ") != want {
			t.Errorf("%s: %q %v, %v", name, end.Stop, got, err)
		}
	}
}

// Calls that come without ids get some that no other call of the conversation has: vendors that are sent two of a name refuse the history.
func TestChatCallsWithoutIDs(t *testing.T) {
	seen := map[string]bool{"": true}
	for range 2 {
		end, err := replay(t, openai.Chat, calls(`[{"function":{"name":"a","arguments":"{}"}},{"function":{"name":"b","arguments":"{}"}}]`), stop)
		got := end.Message.Calls()
		if err != nil || len(got) != 2 || got[1].Name != "b" {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, c := range got {
			if seen[c.ID] {
				t.Errorf("another call has the id %q", c.ID)
			}
			seen[c.ID] = true
		}
	}
}

func TestChatStreamsOfOddServers(t *testing.T) {
	const hi = `data: {"choices":[{"delta":{"content":"hi"}}]}`
	for name, tc := range map[string]struct {
		lines []string
		kind  trouble.Kind
	}{
		"no DONE":                     {[]string{hi, "\n\n", stop}, ""},
		"CRLF, comments, no space":    {[]string{": OPENROUTER PROCESSING\r\n\r\n", strings.Replace(hi, ": ", ":", 1), "\r\n\r\n", "data: [DONE]\r\n\r\n"}, ""},
		"empty events":                {[]string{"data:\n\n", hi, "\n\n", "data: \n\n", stop}, ""},
		"usage with empty choices":    {[]string{hi, "\n\n", `data: {"choices":[],"usage":null}`, "\n\n", stop}, ""},
		"a reseller's error":          {[]string{hi, "\n\n", `data: {"error":{"code":429,"message":"busy upstream"}}`, "\n\n"}, trouble.RateLimit},
		"error as text":               {[]string{hi, "\n\n", `data: {"error":"model crashed"}`, "\n\n"}, trouble.BadRequest},
		"cut before a reason to stop": {[]string{hi, "\n\n"}, trouble.Network},
		"cut inside the last event":   {[]string{hi, "\n\n", stop[:20]}, trouble.Network},
		"not a stream at all":         {[]string{"<html>welcome</html>"}, trouble.Network},
	} {
		end, err := replay(t, openai.Chat, tc.lines...)
		if tc.kind != "" {
			if trouble.As(err) == nil || trouble.As(err).Kind != tc.kind {
				t.Errorf("%s: %v, want %s", name, err, tc.kind)
			}
		} else if err != nil || end.Message.Text() != "hi" {
			t.Errorf("%s: %q, %v", name, end.Message.Text(), err)
		}
	}
}

func TestChatTakesTheCostAResellerTells(t *testing.T) {
	end, err := replay(t, openai.Chat, `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"cost":0.25}}`+"\n\n", "data: [DONE]\n\n")
	if err != nil || end.Usage.USD != 0.25 || end.Usage.Source != cost.Provider || end.Usage.Input != 9 {
		t.Errorf("%+v, %v", end.Usage, err)
	}
}

func TestResponsesFailure(t *testing.T) {
	_, err := replay(t, openai.Responses, `data: {"type":"response.failed","response":{"error":{"code":"insufficient_quota","message":"no money"}}}`+"\n\n")
	if e := trouble.As(err); e == nil || e.Kind != trouble.Quota || e.Message != "no money" {
		t.Errorf("%v", err)
	}
}

// body is what the server is sent for req.
func body(t *testing.T, wire openai.Wire, id string, req llm.Request) map[string]any {
	t.Helper()
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	req.Messages = []llm.Message{llm.UserText("go")}
	if _, err := llm.Collect(openai.New(llm.Info{ID: id, Lineage: "test"}, s.URL+"/v1/", "", wire).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	call := s.Calls()[0]
	if call.Key != "" {
		t.Errorf("an empty key was sent as %q", call.Key)
	}
	var out map[string]any
	json.Unmarshal(call.Body, &out)
	return out
}

func TestResponsesBody(t *testing.T) {
	new := body(t, openai.Responses, "gpt-6-luna", llm.Request{Session: "s1", Effort: "low"})
	old := body(t, openai.Responses, "gpt-4.1", llm.Request{Effort: "low"})
	if new["prompt_cache_key"] != "s1" || new["store"] != false || new["reasoning"].(map[string]any)["effort"] != "low" {
		t.Errorf("%v", new)
	}
	if old["reasoning"] != nil || old["include"] != nil || old["prompt_cache_key"] != nil {
		t.Errorf("a model that does not reason is asked to: %v", old)
	}
}

// TestSummaries: accounts that are not verified are refused for asking what a model thinks, and then not asked again.
func TestSummaries(t *testing.T) {
	refusal := llmtest.Reply{Status: 400, Raw: `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`}
	s := llmtest.NewServer(llmtest.Failing(1, refusal, llmtest.Say(llmtest.Reply{Text: "x"})))
	defer s.Close()
	m := openai.New(llm.Info{ID: "gpt-6-luna", Lineage: "test"}, s.URL+"/v1", "k", openai.Responses)
	for range 2 {
		if _, err := llm.Collect(m.Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("go")}})); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains(string(s.Calls()[i].Body), `"summary":"auto"`); got != want {
			t.Errorf("request %d asks for a summary: %v", i, got)
		}
	}
}

// TestCacheMarksOfAReseller: it caches models of one family only where it is told to.
func TestCacheMarksOfAReseller(t *testing.T) {
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	for id, want := range map[string]int{"anthropic/claude-opus-5.5": 4, "google/gemini-3.8-flash": 0} {
		req := llm.Request{System: "shared and own", Shared: 6, Session: "s", Messages: []llm.Message{llm.UserText("one"), llm.AssistantText("two"), llm.UserText("three")}}
		if _, err := llm.Collect(openai.New(llm.Info{ID: id, Lineage: "test"}, s.URL+"/v1", "k", openai.Chat).Stream(t.Context(), req)); err != nil {
			t.Fatal(err)
		}
		calls := s.Calls()
		if raw := string(calls[len(calls)-1].Body); strings.Count(raw, "cache_control") != want {
			t.Errorf("%s: %s", id, raw)
		}
	}
}

func TestStrictOnlyWhereTheSchemaAllowsIt(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                                                       true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`:                                                                          false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                                                    false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`:                                              false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}},"required":["a"],"additionalProperties":false}`: true,
	} {
		out := body(t, openai.Chat, "m", llm.Request{Schema: json.RawMessage(schema)})
		if got := out["response_format"].(map[string]any)["json_schema"].(map[string]any)["strict"]; got != want {
			t.Errorf("%s: strict %v, want %v", schema, got, want)
		}
	}
}
