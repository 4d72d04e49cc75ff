// Package gemini speaks Google's generateContent protocol.
//
// The stream is server-sent events of whole chunks; an answer is whole once a candidate has a reason to stop. Thought
// signatures belong to the part they came with and go back with it, also with a part whose text is empty. Calls and
// results are paired by ids where the service accepts them, otherwise by their order (Over). Schemas are adapted to
// what the service accepts (schema.go).
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// maker tags the signatures of this protocol.
const maker = "gemini"

// New returns a model at baseURL, which has no version in its path, for example
// https://generativelanguage.googleapis.com.
func New(info llm.Info, baseURL, key string) llm.Model {
	return model{info: info, base: strings.TrimRight(baseURL, "/"), key: key}
}

// Over returns a model at baseURL; client authorizes its requests. It pairs calls and results by their order: the
// service that needs this refuses requests with ids.
func Over(client *http.Client, info llm.Info, baseURL string) llm.Model {
	return model{info: info, base: strings.TrimRight(baseURL, "/"), client: client}
}

// model is one model of one account. It is safe for concurrent use.
type model struct {
	info      llm.Info
	base, key string
	client    *http.Client // nil: the key authorizes
}

// Info returns what New was given.
func (m model) Info() llm.Info { return m.info }

// Stream posts one request and reads its answer. Leaving early closes the connection, which stops the vendor.
func (m model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if m.key == "" && m.client == nil {
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.Auth, Message: "no API key"})
			return
		}
		a := answer{Draft: draft.New(m.info, yield)}
		in, err := wire.Post(ctx, m.to(), m.body(req), m.refused)
		if err == nil {
			defer in.Close()
			a.Request = in.Request
			err = m.read(in, &a)
		}
		switch {
		case err == errLeft:
		case err != nil:
			yield(llm.Delta{}, wire.CallError(ctx, err))
		case a.unsigned: // the same history would be refused again
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.BadRequest, Message: "a thought signature is missing from the history"})
		case a.broken != "":
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.Malformed, Message: a.broken})
		default:
			a.End()
		}
	}
}

// to returns where a request goes. The key is in a header, not in the address, which proxies log.
func (m model) to() wire.Target {
	to := wire.Target{URL: m.address(), Client: m.client}
	if m.client == nil {
		to.Header = http.Header{"X-Goog-Api-Key": {m.key}}
	}
	return to
}

// body returns the request for this kind of access.
func (m model) body(req llm.Request) body {
	b := bodyOf(m.info.ID, req)
	if m.client != nil {
		b.forgetIDs()
	}
	return b
}

// address returns the address where the model streams. The name of a tuned model contains its own path.
func (m model) address() string {
	id := m.info.ID
	if !strings.HasPrefix(id, "models/") && !strings.HasPrefix(id, "tunedModels/") {
		id = "models/" + id
	}
	return m.base + "/v1beta/" + (&url.URL{Path: id}).EscapedPath() + ":streamGenerateContent?alt=sse"
}

// errLeft ends the reading when the consumer has stopped.
var errLeft = errors.New("the reader left")

// read fills a from the stream. It returns nil once the answer is complete.
func (m model) read(in *wire.Events, a *answer) error {
	for {
		data, err := in.Next()
		if errors.Is(err, io.EOF) && a.whole {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return wire.CutError()
		}
		if err != nil {
			return err
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if c.Error != nil {
			return m.explain(c.Error, 0, nil)
		}
		if !a.add(c) {
			return errLeft
		}
	}
}

// fault is an error as the vendor reports it.
type fault struct {
	Message, Status string
	Details         json.RawMessage
}

// refused converts the vendor's error answer to our error.
func (m model) refused(res *http.Response, text []byte) error {
	var c chunk
	if json.Unmarshal(text, &c) != nil || c.Error == nil { // sent by a proxy between us and the vendor
		c.Error = &fault{Message: string(text)}
	}
	return m.explain(c.Error, res.StatusCode, res.Header)
}

// explain converts the vendor's error to ours. The status is 0 if the error came inside the stream.
func (m model) explain(f *fault, status int, h http.Header) error {
	out := wire.HTTPError(status, h, f.Status+" "+string(f.Details), f.Message, m.key)
	var details []struct{ RetryDelay string }
	json.Unmarshal(f.Details, &details) // in another form none of them says when to try again
	for _, d := range details {
		if out.RetryAfter == 0 {
			out.RetryAfter, _ = time.ParseDuration(d.RetryDelay)
		}
	}
	return out
}
