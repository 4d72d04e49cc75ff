// Package openai speaks OpenAI's two wire protocols, Responses and Chat Completions, which many other vendors and
// local servers speak as well.
//
// Responses (responses.go) is stateless here: nothing is stored at the vendor, and encrypted reasoning goes back
// with the next request. Chat (chat.go) is spoken by servers that differ in nearly everything: names of reasoning,
// pieces of tool calls (calls.go), usage, error bodies, what they want back. Each deviation is handled where it is
// read. A server that says less than the protocol asks for is believed as long as its answer is whole.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Wire is which of the two protocols a server speaks.
type Wire string

// The protocols.
const (
	Responses Wire = "responses"
	Chat      Wire = "chat"
)

// New is a model at baseURL, which ends in the version, for example https://api.openai.com/v1. An empty key sends
// none, as local servers like it.
func New(info llm.Info, baseURL, key string, wire Wire) llm.Model {
	return model{info, strings.TrimRight(baseURL, "/"), key, wire, nil}
}

// Over is a model at baseURL that client authorizes requests to.
func Over(client *http.Client, info llm.Info, baseURL string, wire Wire) llm.Model {
	return model{info, strings.TrimRight(baseURL, "/"), "", wire, client}
}

// model is one model at one address. It is safe for concurrent use.
type model struct {
	info      llm.Info
	base, key string
	wire      Wire
	client    *http.Client
}

// Info is what New was told.
func (m model) Info() llm.Info { return m.info }

// Stream posts one request and reads its answer. Leaving early closes the connection, by which the vendor stops.
func (m model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		draft := draft.New(m.info, yield)
		in, err := m.post(ctx, req)
		if err == nil {
			defer in.Close()
			draft.Request = in.Request
			err = m.read(in, draft)
		}
		switch {
		case err == errLeft:
		case err != nil:
			yield(llm.Delta{}, wire.CallError(ctx, m.explain(err)))
		default:
			draft.End()
		}
	}
}

// noSummary are the servers, with their keys, that refuse to sum reasoning up: the vendor wants its accounts verified first.
var noSummary sync.Map

// post sends a request. One that is refused for asking for a summary of the reasoning is sent again without.
func (m model) post(ctx context.Context, req llm.Request) (*wire.Events, error) {
	if m.wire == Chat {
		return wire.Post(ctx, m.to("/chat/completions"), chatBody(m.info, req), m.refused)
	}
	account := m.base + " " + m.key
	_, plain := noSummary.Load(account)
	in, err := wire.Post(ctx, m.to("/responses"), responsesBody(m.info, req, !plain), m.refused)
	if e, ok := errors.AsType[*trouble.Error](err); ok && !plain && e.Status == 400 && strings.Contains(e.Message, "summar") {
		noSummary.Store(account, true)
		in, err = wire.Post(ctx, m.to("/responses"), responsesBody(m.info, req, false), m.refused)
	}
	return in, err
}

// read fills a draft from the stream of either protocol.
func (m model) read(in *wire.Events, d *draft.Draft) error {
	if m.wire == Chat {
		return readChat(in, d)
	}
	return readResponses(in, d)
}

// errLeft ends a reading whose listener has left.
var errLeft = fmt.Errorf("the reader left")

// to is where a request goes.
func (m model) to(path string) wire.Target {
	to := wire.Target{URL: m.base + path, Client: m.client}
	if m.key != "" {
		to.Header = http.Header{"Authorization": {"Bearer " + m.key}}
	}
	return to
}

// refused makes our error of the vendor's error answer.
func (m model) refused(res *http.Response, text []byte) error {
	f := faultOf(text)
	return wire.HTTPError(res.StatusCode, res.Header, f.codes, f.message, m.key)
}

// explain turns an error told inside the stream into ours; others stay as they are.
func (m model) explain(err error) error {
	if f, ok := err.(*fault); ok {
		return wire.HTTPError(f.status, nil, f.codes, f.message, m.key)
	}
	return err
}

// fault is an error as the vendor tells it. status is the one it names, 0 if it names none.
type fault struct {
	status         int
	codes, message string
}

// Error is the vendor's message, without its kind.
func (f *fault) Error() string { return f.message }

// faultOf reads an error answer: {"error": {...}}, {"error": "text"}, the inside of either, or any text.
func faultOf(raw []byte) *fault {
	var outer struct{ Error json.RawMessage }
	if json.Unmarshal(raw, &outer) == nil && len(outer.Error) > 0 && string(outer.Error) != "null" {
		raw = outer.Error
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &fault{message: text}
	}
	var inner struct {
		Message, Type string
		Code          any // a word, or a reseller's number
		Metadata      struct {
			LimitSource string `json:"limit_source"` // of a reseller: what is used up
		}
	}
	if json.Unmarshal(raw, &inner) != nil || inner.Message == "" {
		return &fault{message: string(raw)}
	}
	f := &fault{codes: fmt.Sprint(inner.Type, " ", inner.Code, " ", inner.Metadata.LimitSource), message: inner.Message}
	if n, ok := inner.Code.(float64); ok && n >= 400 && n < 600 {
		f.status = int(n)
	}
	return f
}
