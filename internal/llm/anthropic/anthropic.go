// Package anthropic speaks Anthropic's Messages protocol over the vendor's SDK.
//
// Of the SDK only the types and the stream of messages are used: retries, keys from the environment and telemetry are
// switched off, since package retry and the settings do the first two and nobody wants the third. [New] sends the
// key; [Over] leaves authorization to a client, for clouds.
//
// Three things are particular to this protocol. The request marks what is to be cached (keep): the system prompt and
// the ends of the last messages of a session. Thinking is signed and must go back with tool results; if the vendor
// rejects an old signature, the request is repeated once without it. And the protocol requires a limit of output
// tokens, so one is chosen if none is set.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// maker tags the signatures of this protocol.
const maker = "anthropic"

// redactor tags redacted thinking, of which the vendor sends only opaque data.
const redactor = maker + "/redacted"

// New returns a model at baseURL, which has no version in its path, for example https://api.anthropic.com.
func New(info llm.Info, baseURL, key string) llm.Model {
	return model{info, key, service(wire.HTTPClient(), option.WithBaseURL(baseURL), option.WithAPIKey(key))}
}

// Over returns a model at baseURL; client authorizes its requests.
func Over(client *http.Client, info llm.Info, baseURL string) llm.Model {
	return model{info, "", service(client, option.WithBaseURL(baseURL))}
}

// service returns the SDK's service for messages alone, not its client: the client reads keys from the environment
// and links every other service.
func service(client *http.Client, more ...option.RequestOption) sdk.MessageService {
	return sdk.NewMessageService(append(more, option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithoutOpenTelemetry())...)
}

// model is one model of one account. It is safe for concurrent use.
type model struct {
	info     llm.Info
	key      string
	messages sdk.MessageService
}

// Info returns what New was given.
func (m model) Info() llm.Info { return m.info }

// Stream sends one request. Breaking off the loop ends the connection.
func (m model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		params, err := request(m.info, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		err = m.read(ctx, params, yield)
		if e, ok := errors.AsType[*trouble.Error](err); ok && staleThinking(e) && forget(params.Messages) {
			if !yield(llm.Delta{Note: "the provider no longer accepts earlier reasoning; continuing without it"}, nil) {
				return
			}
			err = m.read(ctx, params, yield)
		}
		if err != nil && err != errLeft {
			yield(llm.Delta{}, err)
		}
	}
}

// errLeft ends the reading when the consumer has stopped.
var errLeft = errors.New("the reader left")

// read streams one answer to yield.
func (m model) read(ctx context.Context, params sdk.MessageNewParams, yield func(llm.Delta, error) bool) error {
	var head *http.Response
	stream := m.messages.NewStreaming(ctx, params, option.WithResponseInto(&head))
	defer stream.Close()
	a := answer{Draft: draft.New(m.info, yield)}
	if head != nil {
		a.Head(head.Header)
	}
	for stream.Next() {
		if !a.add(stream.Current()) {
			return errLeft
		}
	}
	switch err := stream.Err(); {
	case err != nil:
		return wire.CallError(ctx, m.explain(err))
	case !a.whole:
		return wire.CallError(ctx, wire.CutError())
	}
	a.End()
	return nil
}

// staleThinking reports whether a request was refused because of the thinking in its history. Thinking is valid only
// while what came before it, the model and the account are the same.
func staleThinking(e *trouble.Error) bool {
	about := strings.Contains(e.Message, "thinking") || strings.Contains(e.Message, "signature")
	return e.Kind == trouble.BadRequest && e.Status == 400 && about
}

// explain turns the SDK's error into ours; other errors stay as they are.
func (m model) explain(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Response == nil {
		return err
	}
	var body struct {
		Error struct {
			Type, Message string
			Details       json.RawMessage // their error_code distinguishes a spent monthly budget from a limit that passes with time
		}
	}
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil {
		body.Error.Message = e.RawJSON()
	}
	status := e.StatusCode
	if status == 200 { // the error came inside the stream
		status = 0
	}
	return wire.HTTPError(status, e.Response.Header, body.Error.Type+" "+string(body.Error.Details), body.Error.Message, m.key)
}

// answer builds the answer from the stream of one message.
type answer struct {
	*draft.Draft
	call      *llm.Call // the call whose arguments are arriving
	signature string    // of the thinking that is arriving
	whole     bool
}

// add processes one event; false means that the consumer has stopped.
func (a *answer) add(e sdk.MessageStreamEventUnion) bool {
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.Model = e.Message.Model
		return a.Count(cost.Usage{Input: int(u.InputTokens), Output: int(u.OutputTokens),
			CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens),
			CacheLong: int(u.CacheCreation.Ephemeral1hInputTokens)})
	case "content_block_start":
		switch b := e.ContentBlock; b.Type {
		case "tool_use":
			a.call = &llm.Call{ID: b.ID, Name: b.Name}
		case "redacted_thinking":
			a.Sign(draft.Signed(redactor, b.Data))
		case "text":
			return a.Text(b.Text)
		}
	case "content_block_delta":
		switch d := e.Delta; d.Type {
		case "text_delta":
			return a.Text(d.Text)
		case "thinking_delta":
			return a.Think(d.Thinking)
		case "signature_delta":
			a.signature += d.Signature
		case "input_json_delta":
			if a.call != nil {
				a.call.Args = append(a.call.Args, d.PartialJSON...)
			}
		}
	case "content_block_stop":
		return a.stopBlock()
	case "message_delta":
		a.finish(e)
	case "message_stop":
		a.whole = true
	}
	return true
}

// stopBlock ends a block of the answer: thinking with its signature, a call with its arguments.
func (a *answer) stopBlock() bool {
	if a.signature != "" {
		a.Sign(draft.Signed(maker, a.signature))
		a.signature = ""
	}
	if a.call == nil {
		a.Seal()
		return true
	}
	call := *a.call
	a.call = nil
	return a.Call(call)
}

// finish stores the stop reason and the final counts; counts that are left out keep the values from the start.
func (a *answer) finish(e sdk.MessageStreamEventUnion) {
	switch e.Delta.StopReason {
	case sdk.StopReasonMaxTokens, "model_context_window_exceeded":
		a.Stop = llm.StopLength
	case sdk.StopReasonRefusal:
		why := e.Delta.StopDetails
		a.Stop, a.Reason = llm.StopRefusal, cmp.Or(why.Explanation, strings.ReplaceAll(string(why.Category), "_", " "))
	}
	u := e.Usage
	for _, f := range []struct {
		to   *int
		from int64
	}{{&a.Usage.Input, u.InputTokens}, {&a.Usage.Output, u.OutputTokens}, {&a.Usage.CacheRead, u.CacheReadInputTokens},
		{&a.Usage.CacheWrite, u.CacheCreationInputTokens}, {&a.Usage.Reasoning, u.OutputTokensDetails.ThinkingTokens}} {
		if f.from > 0 {
			*f.to = int(f.from)
		}
	}
}
