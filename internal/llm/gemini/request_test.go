package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/gemini"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// sent is the request the server gets for req.
func sent(t *testing.T, id string, req llm.Request) string {
	t.Helper()
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	if _, err := llm.Collect(gemini.New(llm.Info{ID: id, Lineage: "test"}, s.URL+"/", llmtest.Key).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	return string(s.Calls()[0].Body)
}

func TestEffort(t *testing.T) {
	for id, want := range map[string]string{"gemini-3.8-flash": `"thinkingLevel":"LOW"`, "gemini-2.5-pro": `"thinkingBudget":1024`,
		"models/gemini-2.5-pro": `"thinkingBudget":1024`} {
		if body := sent(t, id, llm.Request{Messages: []llm.Message{llm.UserText("go")}, Effort: "low"}); !strings.Contains(body, want) {
			t.Errorf("%s: %s has no %s", id, body, want)
		}
	}
}

// The service refuses lists of values with an empty one.
func TestNoEmptyValue(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"z":{"enum":["a",""],"type":"string"},"a":{"type":"string","enum": ["", "b"]}}}`:  `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`,
		`{"properties":{"enum":{"enum":["x","]\"\",","y"]},"b":{"enum":[null,1]}}}`:                                       `{"properties":{"enum":{"enum":["x","]\"\",","y"]},"b":{}}}`,
		`{"type":"array","items":{"type":"string","enum":["one"]},"description":"say \"enum\":[\"\"] or leave it empty"}`: `{"type":"array","items":{"type":"string","enum":["one"]},"description":"say \"enum\":[\"\"] or leave it empty"}`,
	} {
		req := llm.Request{Messages: []llm.Message{llm.UserText("go")}, Schema: json.RawMessage(schema), Tools: []llm.Spec{{Name: "t", Schema: json.RawMessage(schema)}}}
		if body := sent(t, "gemini-3.8-flash", req); strings.Count(body, want) != 2 {
			t.Errorf("%s is sent as %s", schema, body)
		}
	}
}

func TestSignaturesGoBackWhereTheyCameFrom(t *testing.T) {
	mine := draft.Signed("gemini", "c2lnLTE=")
	history := []llm.Message{llm.UserText("one"), {Role: llm.Assistant, Parts: []llm.Part{llm.Think{Text: "hm"}, llm.Text{Text: "two"}, llm.Think{Signature: mine},
		llm.Call{ID: "c1", Name: "read", Args: json.RawMessage(`{}`), Signature: mine}, llm.Call{ID: "c2", Name: "ls", Signature: "other:" + mine}}},
		{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c1", Text: "three"}}}}
	body := sent(t, "gemini-3.8-flash", llm.Request{Messages: history})
	if strings.Count(body, `"thoughtSignature":"c2lnLTE="`) != 2 || strings.Count(body, "thoughtSignature") != 2 || strings.Contains(body, `"hm"`) || !strings.Contains(body, `"name":"read","response"`) {
		t.Errorf("sent %s", body)
	}
}

func TestNoKeyIsNotLookedForElsewhere(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "planted")
	_, err := llm.Collect(gemini.New(llm.Info{ID: "m"}, "http://127.0.0.1:1", "").Stream(t.Context(), llm.Request{}))
	if e := trouble.As(err); e == nil || e.Kind != trouble.Auth {
		t.Errorf("without a key: %v", err)
	}
}

func TestWhenToTryAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(429)
		io.WriteString(w, `{"error":{"code":429,"message":"Slowly.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}`)
	}))
	defer server.Close()
	_, err := llm.Collect(gemini.New(llm.Info{ID: "m"}, server.URL, "k").Stream(t.Context(), llm.Request{}))
	if e := trouble.As(err); e == nil || e.Kind != trouble.RateLimit || e.RetryAfter != 7*time.Second {
		t.Errorf("told to wait: %+v", e)
	}
}
