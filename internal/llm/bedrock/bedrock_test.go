package bedrock_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/aws"
	"github.com/socrates-cli/socrates/internal/llm/bedrock"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

func TestExam(t *testing.T) {
	signs(t)
	llmtest.Exam(t, func(baseURL string) llm.Model { return model("us.anthropic.loop-1:0", access(baseURL)) })
}

// signs has the credentials that the loopback server knows.
func signs(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", llmtest.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", llmtest.Secret)
}

func access(baseURL string) bedrock.Access {
	return bedrock.Access{URL: baseURL, Region: llmtest.Region, Signer: &aws.Source{Learn: func(string) {}}}
}

func model(id string, to bedrock.Access) llm.Model {
	return bedrock.New(llm.Info{ID: id, Lineage: map[bool]string{true: "anthropic"}[strings.Contains(id, "anthropic")]}, to)
}

var hello = llm.Request{Messages: []llm.Message{llm.UserText("hello")}}

// TestEachMakersProtocol: a model is asked in the protocol of its maker, signed or with a Bedrock API key.
func TestEachMakersProtocol(t *testing.T) {
	signs(t)
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	keyed := access(s.URL)
	keyed.Key, keyed.Signer = "ABSK-key", nil
	for id, protocol := range map[string]string{
		"arn:aws:bedrock:eu-loop-1:123456789012:inference-profile/eu.anthropic.claude-opus-5-5": llmtest.Anthropic,
		"us.openai.gpt-6.1-sol": llmtest.Responses, "openai.gpt-oss-120b-1:0": llmtest.Chat, "qwen.qwen3-coder-480b": llmtest.Chat,
	} {
		for key, to := range map[string]bedrock.Access{llmtest.Key: access(s.URL), "ABSK-key": keyed} {
			_, err := llm.Collect(model(id, to).Stream(t.Context(), hello))
			if a := s.Calls()[len(s.Calls())-1]; err != nil || a.Protocol != protocol || a.Model != id || a.Key != key {
				t.Errorf("%s: %v; the server saw %s, %s, %s", id, err, a.Protocol, a.Model, a.Key)
			}
		}
	}
}

func TestWrongSecret(t *testing.T) {
	signs(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
	s := llmtest.NewServer(llmtest.Say(llmtest.Reply{Text: "x"}))
	defer s.Close()
	_, err := llm.Collect(model("anthropic.claude-x", access(s.URL)).Stream(t.Context(), hello))
	if e := trouble.As(err); e.Kind != trouble.Auth || !strings.Contains(e.Message, "signature") {
		t.Errorf("failed as %v", err)
	}
}

// TestExpiredCredentials: where newer credentials can be found, the request is made again with them.
func TestExpiredCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_CONFIG_FILE", file+".none")
	write := func(key string) {
		if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = "+key+"\naws_secret_access_key = s\naws_session_token = t\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, key, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
		key, _, _ = strings.Cut(key, "/")
		if asked = append(asked, key); key != "renewed" {
			write(map[string]string{"first": "renewed"}[key])
			w.Header().Set("X-Amzn-Errortype", "ExpiredTokenException")
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"message": "The security token included in the request is expired"}`)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		for _, event := range []string{`{"type":"message_start","message":{}}`, `{"type":"content_block_start","content_block":{"type":"text","text":"at last"}}`,
			`{"type":"content_block_stop"}`, `{"type":"message_stop"}`} {
			part, _ := json.Marshal(map[string][]byte{"bytes": []byte(event)})
			w.Write(llmtest.Frame(part, ":message-type", "event", ":event-type", "chunk"))
		}
	}))
	defer s.Close()
	to := access(s.URL)
	for _, first := range []string{"first", "renewed"} {
		write(first)
		end, err := llm.Collect(model("anthropic.claude-x", to).Stream(t.Context(), hello))
		if err != nil || end.Message.Text() != "at last" {
			t.Errorf("%v, %q", err, end.Message.Text())
		}
	}
	if fmt.Sprint(asked) != "[first renewed renewed]" {
		t.Errorf("asked with %v", asked)
	}
	write("spent")
	_, err := llm.Collect(model("anthropic.claude-x", access(s.URL)).Stream(t.Context(), hello))
	if e := trouble.As(err); e.Kind != trouble.Auth || !strings.Contains(e.Message, "expired") {
		t.Errorf("failed as %v", err)
	}
}
