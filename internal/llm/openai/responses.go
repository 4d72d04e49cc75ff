package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/wire"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// maker tags the signatures of this protocol.
const maker = "responses"

// object is a part of a request before it is encoded as JSON. Keys are sorted, so that equal requests are equal
// bytes.
type object = map[string]any

// responsesBody returns a request; summary asks for a summary of the model's thinking.
func responsesBody(info llm.Info, req llm.Request, summary bool) object {
	body := object{"model": info.ID, "stream": true, "store": false, "input": responsesInput(req.Messages)}
	if req.System != "" {
		body["instructions"] = req.System
	}
	if req.MaxTokens > 0 {
		body["max_output_tokens"] = req.MaxTokens
	}
	if key := cmp.Or(req.CacheKey, req.Session); key != "" {
		body["prompt_cache_key"] = key
	}
	if reasons(info.ID) {
		how := object{}
		if req.Effort != "" {
			how["effort"] = req.Effort
		}
		if summary && summarizes().MatchString(info.ID) {
			how["summary"] = "auto"
		}
		if len(how) > 0 {
			body["reasoning"] = how
		}
		body["include"] = []string{"reasoning.encrypted_content"}
	}
	if req.Schema != nil {
		body["text"] = object{"format": object{"type": "json_schema", "name": "answer", "schema": req.Schema, "strict": strict(req.Schema)}}
	}
	var tools []object
	for _, t := range req.Tools {
		tools = append(tools, object{"type": "function", "name": t.Name, "description": t.Doc, "parameters": parameters(t),
			"strict": false})
	}
	if tools != nil {
		body["tools"] = tools
	}
	return body
}

// reasons reports whether a model accepts the parameters of reasoning.
func reasons(id string) bool {
	return !strings.HasPrefix(id, "gpt-4") && !strings.HasPrefix(id, "gpt-3") && !strings.HasPrefix(id, "chatgpt-")
}

// summarizes matches the models that can summarize their reasoning.
var summarizes = pattern.Of(`^(gpt-([5-9]|\d\d)|o[1-9]|codex)`)

// responsesInput converts a history to items: messages, reasoning, calls and results, in order. Texts that the vendor
// distinguished by a phase go back as separate messages.
func responsesInput(history []llm.Message) []any {
	items := []any{}
	for _, m := range history {
		var content []object // of the growing message
		var phase string     // of an assistant's message: whether it is commentary or the answer
		flush := func() {
			if content == nil {
				return
			}
			message := object{"type": "message", "role": m.Role, "content": content}
			if phase != "" {
				message["phase"] = phase
			}
			items = append(items, message)
			content, phase = nil, ""
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				kind := "input_text"
				if m.Role == llm.Assistant {
					kind = "output_text"
				}
				if p.Text != "" {
					content = append(content, object{"type": kind, "text": p.Text})
				}
				if said, ok := draft.SignedBy(maker, p.Signature); ok {
					phase = said
					flush()
				}
			case llm.Attachment:
				if p.MIME == llm.PDF {
					content = append(content, object{"type": "input_file", "filename": fileName(p), "file_data": dataURL(p)})
				} else {
					content = append(content, object{"type": "input_image", "image_url": dataURL(p)})
				}
			case llm.Think:
				if item := reasoningItem(p); item != nil {
					flush()
					items = append(items, item)
				}
			case llm.Call:
				flush()
				items = append(items, object{"type": "function_call", "call_id": p.ID, "name": p.Name, "arguments": string(p.Args)})
			case llm.Result:
				flush()
				items = append(items, object{"type": "function_call_output", "call_id": p.ID, "output": resultText(p)})
			}
		}
		flush()
	}
	return items
}

// reasoningItem returns reasoning unchanged for the protocol that signed it; nil for any other.
func reasoningItem(t llm.Think) json.RawMessage {
	signed, _ := draft.SignedBy(maker, t.Signature)
	if !strings.HasPrefix(signed, "{") {
		return nil
	}
	return json.RawMessage(signed)
}

// resultText returns a result as text; the protocols have no flag for failure.
func resultText(r llm.Result) string {
	if r.Failed {
		return "Error: " + r.Text
	}
	return r.Text
}

// fileName returns the name of a document; the protocols require one.
func fileName(a llm.Attachment) string { return cmp.Or(a.Name, "document.pdf") }

// dataURL encodes an attachment as a data URL (RFC 2397).
func dataURL(i llm.Attachment) string {
	return "data:" + i.MIME + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// parameters returns the schema of a tool's arguments; a tool without one takes none.
func parameters(t llm.Spec) json.RawMessage {
	if t.Schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

// responsesEvent combines all relevant events of the stream in one type. Response is set in those that end the
// stream.
type responsesEvent struct {
	Type, Delta  string
	SummaryIndex int `json:"summary_index"`
	Item         json.RawMessage
	Response     struct {
		ID, Model         string
		Error             json.RawMessage
		IncompleteDetails struct{ Reason string } `json:"incomplete_details"`
		Usage             *struct {
			InputTokens  int `json:"input_tokens"`
			OutputTokens int `json:"output_tokens"`
			In           struct {
				Cached int `json:"cached_tokens"`
				Write  int `json:"cache_write_tokens"`
			} `json:"input_tokens_details"`
			Out struct {
				Reasoning int `json:"reasoning_tokens"`
			} `json:"output_tokens_details"`
		}
	}
}

// readResponses fills d from the stream. It returns nil once the answer is complete. Streamed deltas are only
// forwarded; what must go back is taken from completed items. A stream that ends before the closing event was cut,
// whatever it contained.
func readResponses(in *wire.Events, d *draft.Draft) error {
	for {
		data, err := in.Next()
		if errors.Is(err, io.EOF) {
			return wire.CutError()
		}
		if err != nil {
			return err
		}
		if string(data) == "[DONE]" {
			return wire.CutError() // not part of this protocol; the closing event should have come
		}
		var e responsesEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		on := true
		switch e.Type {
		case "response.output_text.delta":
			on = d.Text(e.Delta)
		case "response.refusal.delta":
			d.Stop = llm.StopRefusal
			on = d.Text(e.Delta)
		case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
			on = d.Think(e.Delta)
		case "response.reasoning_summary_part.added":
			if e.SummaryIndex > 0 {
				on = d.Think("\n\n")
			}
		case "response.output_item.done":
			on, err = take(e.Item, d)
			if err != nil {
				return err
			}
		case "response.completed", "response.incomplete":
			e.finish(d)
			return nil
		case "response.failed":
			if !d.Count(e.usage()) {
				return errLeft
			}
			return faultOf(e.Response.Error)
		case "error":
			return faultOf(data)
		}
		if !on {
			return errLeft
		}
	}
}

// take adds a complete item; on is false once the reader has left.
func take(raw json.RawMessage, d *draft.Draft) (on bool, err error) {
	var it struct {
		Type, Name, Arguments, Phase string
		CallID                       string `json:"call_id"`
		EncryptedContent             string `json:"encrypted_content"`
	}
	if err := json.Unmarshal(raw, &it); err != nil {
		return false, err
	}
	switch it.Type {
	case "function_call":
		return d.Call(llm.Call{ID: it.CallID, Name: it.Name, Args: json.RawMessage(it.Arguments)}), nil
	case "message":
		d.SignText(draft.Signed(maker, it.Phase))
		d.Seal()
	case "reasoning":
		if it.EncryptedContent != "" { // without it the server could not continue
			d.Sign(draft.Signed(maker, string(raw)))
		}
	}
	return true, nil
}

// finish reads what the last event says about the whole answer.
func (e responsesEvent) finish(d *draft.Draft) {
	r := e.Response
	d.Model, d.Request = r.Model, cmp.Or(d.Request, r.ID)
	switch r.IncompleteDetails.Reason {
	case "max_output_tokens":
		d.Stop = llm.StopLength
	case "content_filter":
		d.Stop = llm.StopRefusal
	}
	d.Usage = e.usage()
}

// usage returns what the vendor counted; zero if it did not.
func (e responsesEvent) usage() (out cost.Usage) {
	if u := e.Response.Usage; u != nil {
		out = cost.Usage{Input: max(0, u.InputTokens-u.In.Cached-u.In.Write), Output: u.OutputTokens,
			CacheRead: u.In.Cached, CacheWrite: u.In.Write, Reasoning: u.Out.Reasoning}
	}
	return out
}
