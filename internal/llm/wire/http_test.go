package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

func TestHTTPError(t *testing.T) {
	for _, tc := range []struct {
		status         int
		codes, message string
		want           trouble.Kind
	}{
		{401, "", "no", trouble.Auth},
		{403, "permission_error", "no", trouble.Auth},
		{400, "INVALID_ARGUMENT API_KEY_INVALID", "API key not valid.", trouble.Auth},
		{402, "", "pay", trouble.Quota}, {402, "in_flight_budget", "too much at once", trouble.RateLimit}, {403, "key_limit", "spent", trouble.Quota},
		{429, "insufficient_quota", "check your plan", trouble.Quota},
		{429, "RESOURCE_EXHAUSTED GenerateRequestsPerDayPerProject", "quota", trouble.Quota},
		{429, "RESOURCE_EXHAUSTED", "quota", trouble.RateLimit},
		{429, "rate_limit_error", "your limit of input tokens; see the context window", trouble.RateLimit},
		{400, "", "This model's maximum context length is 8192 tokens.", trouble.Context},
		{413, "", "", trouble.Context},
		{500, "server_error", "the request exceeds the available context size", trouble.Context},
		{400, "", "the service is unavailable in this field", trouble.BadRequest},
		{404, "model_not_found", "no such model", trouble.BadRequest},
		{503, "", "", trouble.Overloaded},
		{529, "overloaded_error", "Overloaded", trouble.Overloaded},
		{302, "", "", trouble.BadRequest},
		{0, "overloaded_error", "Overloaded", trouble.Overloaded},
		{0, "rate_limit_exceeded", "slow down", trouble.RateLimit},
		{0, "context_length_exceeded", "too long", trouble.Context},
		{0, "", "something else", trouble.BadRequest},
	} {
		if e := wire.HTTPError(tc.status, nil, tc.codes, tc.message, ""); e.Kind != tc.want || e.Message == "" && tc.status >= 300 {
			t.Errorf("%d %s %q: %v, want %s", tc.status, tc.codes, tc.message, e, tc.want)
		}
	}
}

func TestHTTPErrorMessage(t *testing.T) {
	long := strings.Repeat("é", 500)
	for in, want := range map[string]string{
		"two\n  lines\t\x1b[31m":           "two lines [31m",
		"Incorrect key: sk-secret, really": "Incorrect key: ***, really",
		"<html>\n<body>Bad Gateway":        "502 Bad Gateway",
		"":                                 "502 Bad Gateway",
		long:                               long[:800] + "…",
	} {
		if got := wire.HTTPError(502, nil, "", in, "sk-secret").Message; got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "12", 12 * time.Second}, {"Retry-After", "0.5", 500 * time.Millisecond}, {"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT", 0}, {"Retry-After", "-3", 0}, {"Retry-After", "soon", 0}, {"Retry-After", "1e300", 0},
	} {
		h := http.Header{}
		h.Set(tc.name, tc.value)
		if got := wire.HTTPError(429, h, "", "", "").RetryAfter; got != tc.want {
			t.Errorf("%s: %s means %v, want %v", tc.name, tc.value, got, tc.want)
		}
	}
}

func TestCallError(t *testing.T) {
	syntax := json.Unmarshal([]byte("{"), new(any))
	mismatch := json.Unmarshal([]byte("1"), new(string))
	for _, tc := range []struct {
		err  error
		want trouble.Kind
		says string
	}{
		{io.ErrUnexpectedEOF, trouble.Network, "the connection broke"}, {syntax, trouble.Malformed, "the response cannot be read: it is incomplete"},
		{mismatch, trouble.Malformed, "the response"}, {&trouble.Error{Kind: trouble.Quota}, trouble.Quota, ""},
		{&url.Error{Op: "Post", URL: "http://host/secret", Err: errors.New("refused")}, trouble.Network, "refused"},
	} {
		err := wire.CallError(t.Context(), tc.err)
		if e := trouble.As(err); e.Kind != tc.want || strings.Contains(e.Error(), "secret") || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%v is %v, want %s", tc.err, e, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wire.CallError(ctx, io.ErrUnexpectedEOF); err != context.Canceled {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestHTTPClientKeepsKeys(t *testing.T) {
	stolen := ""
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stolen = r.Header.Get("X-Api-Key") }))
	defer thief.Close()
	vendor := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer vendor.Close()
	req, _ := http.NewRequest("POST", vendor.URL, strings.NewReader("{}"))
	req.Header.Set("X-Api-Key", "sk-secret")
	res, err := wire.HTTPClient().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if stolen != "" || res.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("status %d, and the redirect got key %q", res.StatusCode, stolen)
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	plain, _ := http.NewRequest("GET", "http://models.example/v1", nil)
	if proxy, err := wire.ProxyOf(wire.HTTPClient(), plain); proxy != nil || err != nil {
		t.Errorf("a request in the clear goes through %v (%v)", proxy, err)
	}
}
