package openai

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// chatBody returns a request of Chat Completions.
func chatBody(info llm.Info, req llm.Request) object {
	body := object{"model": info.ID, "stream": true, "stream_options": object{"include_usage": true}, "messages": chatMessages(req)}
	if strings.HasPrefix(info.ID, "anthropic/") { // a reseller's model: it caches nothing of this family without marks
		keep(body["messages"].([]object), req)
	}
	if req.MaxTokens > 0 {
		body["max_tokens"] = req.MaxTokens
	}
	if req.Effort != "" {
		body["reasoning_effort"] = req.Effort
	}
	if req.Schema != nil {
		body["response_format"] = object{"type": "json_schema",
			"json_schema": object{"name": "answer", "schema": req.Schema, "strict": strict(req.Schema)}}
	}
	var tools []object
	for _, t := range req.Tools {
		tools = append(tools, object{"type": "function", "function": object{"name": t.Name, "description": t.Doc,
			"parameters": parameters(t)}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	return body
}

// chatMessages converts a history to the protocol's form: results are messages of their own, directly after the
// calls.
func chatMessages(req llm.Request) []object {
	out := []object{}
	if req.System != "" {
		out = append(out, object{"role": "system", "content": req.System})
	}
	for _, m := range req.Messages {
		if m.Role == llm.Assistant {
			out = append(out, chatAssistant(m))
			continue
		}
		var content []object
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Result: // results directly follow their calls
				out = append(out, object{"role": "tool", "tool_call_id": p.ID, "content": resultText(p)})
			case llm.Text:
				content = append(content, object{"type": "text", "text": p.Text})
			case llm.Attachment:
				if p.MIME == llm.PDF {
					content = append(content, object{"type": "file", "file": object{"filename": fileName(p), "file_data": dataURL(p)}})
				} else {
					content = append(content, object{"type": "image_url", "image_url": object{"url": dataURL(p)}})
				}
			}
		}
		if len(content) == 1 && content[0]["type"] == "text" { // the form every server understands
			out = append(out, object{"role": "user", "content": content[0]["text"]})
		} else if content != nil {
			out = append(out, object{"role": "user", "content": content})
		}
	}
	return out
}

// chatAssistant returns what the model said, with what its server attached to it.
func chatAssistant(m llm.Message) object {
	out := object{"role": "assistant", "content": m.Text()}
	var calls []object
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Call:
			call := object{"id": p.ID, "type": "function", "function": object{"name": p.Name, "arguments": string(p.Args)}}
			if extra, ok := draft.SignedBy(extras, p.Signature); ok {
				call["extra_content"] = json.RawMessage(extra)
			}
			calls = append(calls, call)
		case llm.Text:
			if extra, ok := draft.SignedBy(extras, p.Signature); ok {
				out["extra_content"] = json.RawMessage(extra)
			}
		case llm.Think:
			if extra, ok := draft.SignedBy(extras, p.Signature); ok { // attached to an answer without text
				out["extra_content"] = json.RawMessage(extra)
			} else if list, ok := draft.SignedBy(details, p.Signature); ok {
				out["reasoning_details"] = json.RawMessage(list)
			} else if field, ok := draft.SignedBy("chat", p.Signature); ok { // under its original name
				so, _ := out[field].(string)
				out[field] = so + p.Text
			}
		}
	}
	if calls != nil {
		out["tool_calls"] = calls
		if out["content"] == "" {
			out["content"] = nil
		}
	}
	return out
}

// What servers attach to an answer and want back unchanged: the reasoning details of a reseller, or another vendor's
// own signatures.
const details, extras = "chat/details", "chat/extra"

// chunk is one event. Servers use different names for reasoning. Usage may come with every event, with the last one,
// or in one without choices.
type chunk struct {
	ID      json.RawMessage // a word, or a number from some servers
	Model   string
	Error   json.RawMessage
	Choices []struct {
		Delta struct {
			Content, Refusal, Reasoning string
			ReasoningContent            string          `json:"reasoning_content"`
			Details                     []detail        `json:"reasoning_details"`
			Extra                       json.RawMessage `json:"extra_content"`
			ToolCalls                   []fragment      `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		In         struct {
			Cached int `json:"cached_tokens"`
			Write  int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		Cost *float64 // in dollars, if a reseller reports it
	}
}

// readChat fills d from the stream. It returns nil once the answer is complete: after [DONE], or at the end of a
// stream that gave a reason to stop.
//
// Reasoning comes under one of several names, and goes back under the same one. If details of it come as well, these
// go back, and the text is only shown. Calls and signatures are known to be complete only at the end, so they are
// forwarded then.
func readChat(in *wire.Events, d *draft.Draft) error {
	var calls callDrafts
	var thought string // the field that had the reasoning
	var reasons []detail
	var extra json.RawMessage
	finished := false
	for {
		data, err := in.Next()
		if errors.Is(err, io.EOF) && !finished {
			return wire.CutError()
		}
		if errors.Is(err, io.EOF) || err == nil && string(data) == "[DONE]" {
			break
		}
		if err != nil {
			return err
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return faultOf(c.Error)
		}
		if !c.usage(d) {
			return errLeft
		}
		for _, ch := range c.Choices {
			text, field := ch.Delta.ReasoningContent, "reasoning_content"
			if text == "" {
				text, field = ch.Delta.Reasoning, "reasoning"
			}
			reasons = merge(reasons, ch.Delta.Details)
			if len(ch.Delta.Extra) > 0 {
				extra = ch.Delta.Extra
			}
			if text != "" && reasons == nil {
				thought = field
			} else if thought != "" && (ch.Delta.Content != "" || len(ch.Delta.ToolCalls) > 0) {
				d.Sign(draft.Signed("chat", thought))
				thought = ""
			}
			if ch.Delta.Refusal != "" {
				d.Stop = llm.StopRefusal
			}
			if !d.Think(text) || !d.Text(ch.Delta.Content) || !d.Text(ch.Delta.Refusal) {
				return errLeft
			}
			calls.add(ch.Delta.ToolCalls)
			finished = finished || ch.FinishReason != ""
			switch ch.FinishReason {
			case "length":
				d.Stop = llm.StopLength
			case "content_filter":
				d.Stop = llm.StopRefusal
			}
		}
	}
	if len(extra) > 0 {
		d.SignText(draft.Signed(extras, string(extra)))
	}
	if reasons != nil {
		raw, err := json.Marshal(reasons)
		if err != nil {
			return err
		}
		d.Seal()
		d.Sign(draft.Signed(details, string(raw)))
	}
	for _, c := range calls.list {
		if c.ID == "" { // unique in the conversation: a vendor that continues it may require that
			c.ID = "call_" + rand.Text()
		}
		if !d.Call(llm.Call{ID: c.ID, Name: c.Name, Args: json.RawMessage(c.args), Signature: draft.Signed(extras, string(c.extra))}) {
			return errLeft
		}
	}
	return nil
}

// usage forwards what the server has counted; false means that the reader has left.
func (c chunk) usage(d *draft.Draft) bool {
	if c.Model != "" {
		d.Model = c.Model
	}
	d.Request = cmp.Or(d.Request, strings.Trim(string(c.ID), `"`))
	u := c.Usage
	if u == nil {
		return true
	}
	now := cost.Usage{Input: max(0, u.Prompt-u.In.Cached-u.In.Write), Output: u.Completion,
		CacheRead: u.In.Cached, CacheWrite: u.In.Write, Reasoning: u.Out.Reasoning}
	if u.Cost != nil {
		now.USD, now.Source = *u.Cost, cost.Provider
	}
	return d.Count(now)
}
