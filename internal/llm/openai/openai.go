// Package openai speaks OpenAI's two wire protocols, Responses and Chat Completions, which many other vendors and
// local servers speak as well.
//
// Responses (responses.go) is stateless here: nothing is stored at the vendor, and encrypted reasoning goes back with
// the next request. Chat (chat.go) is spoken by servers that differ in nearly everything: names of reasoning, pieces
// of tool calls (calls.go), usage, error bodies, what they want back. Each deviation is handled where it is read. A
// server that sends less than the protocol requires is accepted as long as its answer is complete.
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

// Wire says which of the two protocols a server speaks.
type Wire string

// The protocols.
const (
	Responses Wire = "responses"
	Chat      Wire = "chat"
)

// New returns a model at baseURL, which ends in the version, for example https://api.openai.com/v1. An empty key
// sends none, as local servers expect.
func New(info llm.Info, baseURL, key string, wire Wire) llm.Model {
	return model{info, strings.TrimRight(baseURL, "/"), key, wire, nil}
}

// Over returns a model at baseURL; client authorizes its requests.
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

// Info returns what New was given.
func (m model) Info() llm.Info { return m.info }

// Stream posts one request and reads its answer. Leaving early closes the connection, which stops the vendor.
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

// noSummary remembers the servers, with their keys, that refuse to summarize reasoning: the vendor first requires a
// verified account.
var noSummary sync.Map

// post sends a request. If it is refused for asking for a summary of the reasoning, it is sent again without.
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

// errLeft ends the reading when the consumer has stopped.
var errLeft = fmt.Errorf("the reader left")

// to returns where a request goes.
func (m model) to(path string) wire.Target {
	to := wire.Target{URL: m.base + path, Client: m.client}
	if m.key != "" {
		to.Header = http.Header{"Authorization": {"Bearer " + m.key}}
	}
	return to
}

// refused converts the vendor's error answer to our error.
func (m model) refused(res *http.Response, text []byte) error {
	f := faultOf(text)
	return wire.HTTPError(res.StatusCode, res.Header, f.codes, f.message, m.key)
}

// explain converts an error inside the stream to ours; others stay as they are.
func (m model) explain(err error) error {
	if f, ok := err.(*fault); ok {
		return wire.HTTPError(f.status, nil, f.codes, f.message, m.key)
	}
	return err
}

// fault is an error as the vendor reports it. status is the one it names, 0 if it names none.
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
			LimitSource string `json:"limit_source"` // of a reseller: what is exhausted
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
