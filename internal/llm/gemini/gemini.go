// Package gemini speaks Google's generateContent protocol over the vendor's SDK.
package gemini

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/socrates-cli/socrates/internal/llm"
)

// maker tags the signatures of this protocol.
const maker = "gemini"

// New is a model at baseURL, which is without the version, for example https://generativelanguage.googleapis.com.
func New(info llm.Info, baseURL, key string) llm.Model { return model{info, baseURL, key} }

type model struct {
	info      llm.Info
	base, key string
}

func (m model) Info() llm.Info { return m.info }

func (m model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		line := new(line)
		client, err := m.client(ctx, line)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		a := answer{Draft: llm.NewDraft(m.info, yield)}
		for chunk, err := range client.Models.GenerateContentStream(ctx, m.info.ID, contents(req.Messages), config(m.info.ID, req)) {
			if err != nil {
				yield(llm.Delta{}, llm.CallError(ctx, m.explain(err, line)))
				return
			}
			if !a.add(chunk) {
				return
			}
		}
		switch {
		case line.err != nil:
			yield(llm.Delta{}, llm.CallError(ctx, line.err))
		case !a.whole:
			yield(llm.Delta{}, llm.CallError(ctx, llm.CutError()))
		default:
			a.End()
		}
	}
}

// client is the SDK's, for one call. Without a key the SDK would look for one in the environment.
func (m model) client(ctx context.Context, l *line) (*genai.Client, error) {
	if m.key == "" {
		return nil, &llm.Error{Kind: llm.Auth, Message: "no API key"}
	}
	c, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: m.key, Backend: genai.BackendGeminiAPI,
		HTTPClient: l.client(), HTTPOptions: genai.HTTPOptions{BaseURL: m.base}})
	if err != nil { // its text holds the whole configuration
		return nil, &llm.Error{Kind: llm.BadRequest, Message: "the client could not be configured"}
	}
	return c, nil
}

// explain turns the SDK's error into ours.
func (m model) explain(err error, l *line) error {
	e, ok := errors.AsType[genai.APIError](err)
	if !ok {
		if strings.HasPrefix(err.Error(), "iterateResponseStream") { // repeats the whole line
			return &llm.Error{Kind: llm.Malformed, Message: "a line of the stream is not JSON"}
		}
		return err
	}
	details, _ := json.Marshal(e.Details)
	status := l.status
	if status == 200 { // told inside the stream
		status = 0
	}
	out := llm.HTTPError(status, l.header, e.Status+" "+string(details), e.Message, m.key)
	for _, d := range e.Details {
		if s, ok := d["retryDelay"].(string); ok && out.RetryAfter == 0 {
			out.RetryAfter, _ = time.ParseDuration(s)
		}
	}
	return out
}

// answer follows the stream of one answer.
type answer struct {
	*llm.Draft
	whole bool
}

// add takes one chunk; false once the reader has left.
func (a *answer) add(chunk *genai.GenerateContentResponse) bool {
	if chunk.ModelVersion != "" {
		a.Model = chunk.ModelVersion
	}
	if u := chunk.UsageMetadata; u != nil {
		a.Usage = llm.Usage{Input: int(max(0, u.PromptTokenCount+u.ToolUsePromptTokenCount-u.CachedContentTokenCount)),
			CacheRead: int(u.CachedContentTokenCount), Output: int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
			Reasoning: int(u.ThoughtsTokenCount)}
	}
	if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
		a.whole, a.Stop = true, llm.StopRefusal
		return a.Text(f.BlockReasonMessage)
	}
	for _, c := range chunk.Candidates {
		if c.Content != nil {
			for _, p := range c.Content.Parts {
				if !a.part(p) {
					return false
				}
			}
		}
		if c.FinishReason != "" {
			a.whole, a.Stop = true, stop(c.FinishReason)
		}
	}
	return true
}

func (a *answer) part(p *genai.Part) bool {
	signature := llm.Signed(maker, base64.StdEncoding.EncodeToString(p.ThoughtSignature))
	switch {
	case p.FunctionCall != nil:
		args, err := json.Marshal(p.FunctionCall.Args)
		if err != nil || p.FunctionCall.Args == nil {
			args = nil
		}
		id := p.FunctionCall.ID
		if id == "" { // the protocol pairs by name and order then, we by id
			id = "call_" + rand.Text()
		}
		return a.Call(llm.Call{ID: id, Name: p.FunctionCall.Name, Args: args, Signature: signature})
	case p.Thought:
		on := a.Think(p.Text)
		a.Sign(signature)
		return on
	default:
		on := a.Text(p.Text)
		a.Sign(signature)
		return on
	}
}

func stop(r genai.FinishReason) llm.Stop {
	switch r {
	case genai.FinishReasonMaxTokens:
		return llm.StopLength
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII:
		return llm.StopRefusal
	}
	return ""
}
