// Package gemini speaks Google's generateContent protocol.
//
// The stream is server-sent events of whole chunks; an answer is whole once a candidate has a reason to stop.
// Thought signatures belong to the part they came with and go back with it, also with a part whose text is empty.
// Calls and results are paired by ids where the service takes them, and else by their order (Over). Schemas are
// adapted to what the service accepts (schema.go).
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

// New is a model at baseURL, which is without the version, for example https://generativelanguage.googleapis.com.
func New(info llm.Info, baseURL, key string) llm.Model {
	return model{info: info, base: strings.TrimRight(baseURL, "/"), key: key}
}

// Over is a model at baseURL that client authorizes requests to. It pairs calls and results by their order: where this is needed the
// service refuses requests that name them by an id.
func Over(client *http.Client, info llm.Info, baseURL string) llm.Model {
	return model{info: info, base: strings.TrimRight(baseURL, "/"), client: client}
}

// model is one model of one account. It is safe for concurrent use.
type model struct {
	info      llm.Info
	base, key string
	client    *http.Client // nil: the key authorizes
}

// Info is what New was told.
func (m model) Info() llm.Info { return m.info }

// Stream posts one request and reads its answer. Leaving early closes the connection, by which the vendor stops.
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

// to is where a request goes, with the key in a header, not in the address, which proxies log.
func (m model) to() wire.Target {
	to := wire.Target{URL: m.address(), Client: m.client}
	if m.client == nil {
		to.Header = http.Header{"X-Goog-Api-Key": {m.key}}
	}
	return to
}

// body is a request for this kind of access.
func (m model) body(req llm.Request) body {
	b := bodyOf(m.info.ID, req)
	if m.client != nil {
		b.forgetIDs()
	}
	return b
}

// address is where the model streams. The name of one that was tuned says so itself.
func (m model) address() string {
	id := m.info.ID
	if !strings.HasPrefix(id, "models/") && !strings.HasPrefix(id, "tunedModels/") {
		id = "models/" + id
	}
	return m.base + "/v1beta/" + (&url.URL{Path: id}).EscapedPath() + ":streamGenerateContent?alt=sse"
}

// errLeft ends a reading whose listener has left.
var errLeft = errors.New("the reader left")

// read fills a from the stream. It is nil once the answer is whole.
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

// fault is an error as the vendor tells it.
type fault struct {
	Message, Status string
	Details         json.RawMessage
}

// refused makes our error of the vendor's error answer.
func (m model) refused(res *http.Response, text []byte) error {
	var c chunk
	if json.Unmarshal(text, &c) != nil || c.Error == nil { // somebody between us and the vendor
		c.Error = &fault{Message: string(text)}
	}
	return m.explain(c.Error, res.StatusCode, res.Header)
}

// explain makes our error of the vendor's. The status is 0 if it was told inside the stream.
func (m model) explain(f *fault, status int, h http.Header) error {
	out := wire.HTTPError(status, h, f.Status+" "+string(f.Details), f.Message, m.key)
	var details []struct{ RetryDelay string }
	json.Unmarshal(f.Details, &details) // of another form: none of them says when to try again
	for _, d := range details {
		if out.RetryAfter == 0 {
			out.RetryAfter, _ = time.ParseDuration(d.RetryDelay)
		}
	}
	return out
}
