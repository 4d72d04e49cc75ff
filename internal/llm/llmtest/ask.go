package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
)

// The protocols a Server speaks.
const (
	Anthropic = "anthropic" // Messages
	Responses = "responses" // OpenAI Responses
	Chat      = "chat"      // OpenAI Chat Completions
	Gemini    = "gemini"    // generateContent
)

// Ask is one request as the server understood it.
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
	spaced   map[string][2]string // tools of a namespace, which a call must name apart: namespace and name, by both joined
}

// Last is the text of the last user message; empty if there is none.
func (a Ask) Last() string {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if a.Messages[i].Role == llm.User {
			return a.Messages[i].Text()
		}
	}
	return ""
}

// Reply is what the server answers. The zero value is an empty answer.
type Reply struct {
	Think string // sent before the text, signed where the protocol signs
	Text  string
	Calls []llm.Call // sent after the text; an empty ID is made up, except by Gemini, which sends none
	Fault Fault
	Delay time.Duration // waited before the head of the answer and before each delta
	Usage *llm.Usage    // nil: a quarter of the bytes
	// Raw is sent as it is, with Status if that is not 0, instead of all this: a recording.
	Raw    string
	Status int
	// RetryAfter is sent as that header; RetryAfterMS too. Empty: none.
	RetryAfter, RetryAfterMS string
}

// Fault is a way for an answer to go wrong.
type Fault string

// The faults. Those with a status answer with it at once; the others spoil the stream.
const (
	Unauthorized Fault = "401"
	Unpaid       Fault = "402"
	Limited      Fault = "429"
	Broken       Fault = "500"
	Overloaded   Fault = "529"
	TooLarge     Fault = "413"
	TooLong      Fault = "too-long"  // 400 in the vendor's words for a full window
	Exhausted    Fault = "quota"     // the vendor's own status and words for an empty account
	Page         Fault = "page"      // 502 with an HTML page, as a proxy sends
	Stall        Fault = "stall"     // nothing comes until the client leaves
	Freeze       Fault = "freeze"    // the first delta, then nothing until the client leaves
	Cut          Fault = "cut"       // the first delta, then the connection is cut
	Short        Fault = "short"     // the first delta, then a clean end without the closing events
	Garbled      Fault = "malformed" // a line that is not JSON after the first delta
	ErrorEvent   Fault = "error"     // the first delta, then the protocol's error event: overloaded
	SplitRunes   Fault = "split"     // every byte is its own write
	LongLine     Fault = "long"      // the whole text is one delta
	Refused      Fault = "refusal"   // the vendor's refusal; Text is what it says
	OutOfTokens  Fault = "length"    // the answer ends for its length
	NoUsage      Fault = "no-usage"  // the counts are left out, as some local servers do
)

// Failing is an answer function that gives fault to the first n calls and leaves the rest to then.
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

// Say is an answer function that always answers r.
func Say(r Reply) func(Ask) Reply { return func(Ask) Reply { return r } }

// pieces cuts s into several parts at rune borders, so that any stream of it has more than one delta.
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

func bearer(h http.Header) string {
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}
