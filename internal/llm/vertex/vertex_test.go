package vertex_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/vertex"
)

// model is one of the server at base, for whoever has gcloud's login.
func model(t *testing.T, id, base, refresh string) llm.Model {
	t.Helper()
	raw, _ := json.Marshal(map[string]string{"type": "authorized_user", "client_id": "id", "client_secret": "s3cr3t", "refresh_token": refresh,
		"token_uri": base + "/token", "quota_project_id": "counted"})
	file := filepath.Join(t.TempDir(), "login.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	return vertex.New(llm.Info{ID: id, Lineage: "test"}, vertex.Access{URL: base + "/v1", Project: "p", Location: "global",
		Login: &vertex.Login{Learn: func(string) {}}})
}

func TestExam(t *testing.T) {
	llmtest.Exam(t, func(baseURL string) llm.Model { return model(t, "claude-loop-1", baseURL, llmtest.Refresh) })
}

// TestEachMakersProtocol: a model is asked in the protocol of its maker, with the token that the login is good for. A call and its
// result come back without ids, which Google's cloud refuses.
func TestEachMakersProtocol(t *testing.T) {
	call := llm.Call{Name: "read", Args: json.RawMessage(`{"path":"a"}`)}
	s := llmtest.NewServer(func(a llmtest.Ask) llmtest.Reply {
		if a.Last() == "begin" {
			return llmtest.Reply{Think: "hm", Calls: []llm.Call{call, call}}
		}
		return llmtest.Reply{Text: "done"}
	})
	defer s.Close()
	for id, protocol := range map[string]string{"claude-opus-5-5": llmtest.Anthropic, "gemini-3.8-flash": llmtest.Gemini, "meta/llama-4-maverick": llmtest.Chat} {
		m := model(t, id, s.URL, llmtest.Refresh)
		req := llm.Request{Messages: []llm.Message{llm.UserText("begin")}, Tools: []llm.Spec{{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}}}
		end, err := llm.Collect(m.Stream(t.Context(), req))
		if err != nil || len(end.Message.Calls()) != 2 {
			t.Fatalf("%s: %v, %+v", id, err, end.Message)
		}
		results := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "so"}}}
		for i, c := range end.Message.Calls() {
			results.Parts = append(results.Parts, llm.Result{ID: c.ID, Name: "read", Text: []string{"A", "B"}[i]})
		}
		req.Messages = append(req.Messages, end.Message, results)
		end, err = llm.Collect(m.Stream(t.Context(), req))
		a := s.Calls()[len(s.Calls())-1]
		if err != nil || end.Message.Text() != "done" || a.Protocol != protocol || a.Model != id || a.Key != llmtest.Key || a.Header.Get("X-Goog-User-Project") != "counted" {
			t.Errorf("%s: %v; the server saw %s, %s, %s, %v", id, err, a.Protocol, a.Model, a.Key, a.Header)
		}
		if body := string(a.Body); protocol == llmtest.Gemini && (strings.Contains(body, `"id"`) || strings.Index(body, `"A"`) > strings.Index(body, `"B"`)) {
			t.Errorf("sent %s", body)
		}
	}
}

// TestErrors: the cloud's own, in either form, and a token that is refused although it has not expired.
func TestErrors(t *testing.T) {
	asked := 0
	var answer string
	status := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/token" {
			json.NewEncoder(w).Encode(map[string]any{"access_token": []string{"old", "new", "newer"}[min(asked, 2)], "expires_in": 3599})
			return
		}
		asked++
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	defer s.Close()
	for _, tc := range []struct {
		status int
		answer string
		kind   trouble.Kind
		says   string
		asked  int
	}{
		{429, `[{"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model","status":"RESOURCE_EXHAUSTED"}}]`, trouble.RateLimit, "Quota exceeded", 1},
		{404, `{"error":{"code":404,"message":"Publisher Model was not found or your project does not have access to it.","status":"NOT_FOUND"}}`, trouble.BadRequest, "does not have access", 1},
		{403, `{"error":{"code":403,"message":"Permission 'aiplatform.endpoints.predict' denied","status":"PERMISSION_DENIED"}}`, trouble.Auth, "denied", 1},
		{401, `{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}`, trouble.Auth, "invalid authentication", 2},
	} {
		for _, id := range []string{"claude-x", "gemini-x"} {
			asked, status, answer = 0, tc.status, tc.answer
			_, err := llm.Collect(model(t, id, s.URL, llmtest.Refresh).Stream(t.Context(), llm.Request{Messages: []llm.Message{llm.UserText("hello")}}))
			if e := trouble.As(err); e.Kind != tc.kind || e.Status != tc.status || !strings.Contains(e.Message, tc.says) || asked != tc.asked {
				t.Errorf("%d of %s: %v, asked %d times", tc.status, id, err, asked)
			}
		}
	}
}

func TestAddress(t *testing.T) {
	for location, want := range map[string]string{"global": "https://aiplatform.googleapis.com", "eu": "https://aiplatform.eu.rep.googleapis.com",
		"europe-west1": "https://europe-west1-aiplatform.googleapis.com"} {
		if got := vertex.Address(location); got != want {
			t.Errorf("%s is asked at %s", location, got)
		}
	}
}
