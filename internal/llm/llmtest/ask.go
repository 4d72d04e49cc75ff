package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// The protocols a Server speaks.
const (
	Anthropic = "anthropic" // Messages
	Responses = "responses" // OpenAI Responses
	Chat      = "chat"      // OpenAI Chat Completions
	Gemini    = "gemini"    // generateContent
)

// Ask is one request as the server understood it, in our terms. Body and Header are what was really sent.
type Ask struct {
	Protocol, Model, System string
	Messages                []llm.Message
	Tools                   []llm.Spec
	Schema                  json.RawMessage // of the answer; nil: free text
	Key                     string          // bearer token, x-api-key or x-goog-api-key
	Header                  http.Header
	Peer                    string          // the address of the client
	Body                    json.RawMessage // the request as it came

	freeform map[string]bool      // tools whose argument is text, not JSON
	spaced   map[string][2]string // tools of a namespace, which a call must name separately: namespace and name, by the joined name
}

// Last returns the text of the last user message; empty if there is none.
func (a Ask) Last() string {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if a.Messages[i].Role == llm.User {
			return a.Messages[i].Text()
		}
	}
	return ""
}

// Reply is what the server answers. The zero value is an empty answer. Think comes first, then Text, then Calls, each
// cut into several deltas.
type Reply struct {
	Think string // sent before the text, signed where the protocol signs
	Text  string
	Calls []llm.Call // sent after the text; an empty ID is filled in, except by Gemini, which sends none
	Fault fault.Fault
	Delay time.Duration // wait before the head of the answer and before each delta
	Usage *cost.Usage   // nil: a quarter of the bytes
	// Raw is a recording that is sent as it is instead of all this, with Status if that is not 0.
	Raw    string
	Status int
	// RetryAfter and RetryAfterMS are sent as those headers; empty: none.
	RetryAfter, RetryAfterMS string
}

// Failing returns an answer function that gives fault to the first n calls and passes the rest to then. It counts the
// calls of all clients.
func Failing(n int, fault Reply, then func(Ask) Reply) func(Ask) Reply {
	var mu sync.Mutex
	return func(a Ask) Reply {
		mu.Lock()
		n--
		failed := n >= 0
		mu.Unlock()
		if failed {
			return fault
		}
		return then(a)
	}
}

// Say returns an answer function that always answers r.
func Say(r Reply) func(Ask) Reply { return func(Ask) Reply { return r } }

// pieces cuts s into several parts between runes, so that any stream of it has more than one delta.
func pieces(s string) []string {
	size := max(1, min(24, (len(s)+2)/3))
	var out []string
	for len(s) > size {
		n := size
		for n < len(s) && s[n]&0xC0 == 0x80 {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

// bearer returns the token in the header that most vendors use.
func bearer(h http.Header) string {
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}
