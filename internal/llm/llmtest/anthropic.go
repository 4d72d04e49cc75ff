package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// anthropicProtocol is Messages.
var anthropicProtocol = protocol{
	read: readAnthropic, whole: wholeAnthropic, events: eventsAnthropic, refuse: refuseAnthropic,
	broken: func() event {
		_, body := refuseAnthropic(fault.Overloaded)
		return event{name: "error", data: body}
	},
}

// anthropicBlock is a block of content, whatever its type.
type anthropicBlock struct {
	Type, Text, Thinking, Signature, Data, ID, Name string
	Input, Content                                  json.RawMessage
	ToolUseID                                       string `json:"tool_use_id"`
	IsError                                         bool   `json:"is_error"`
	Title                                           string
	Source                                          struct {
		MediaType string `json:"media_type"`
		Data      []byte
	}
}

// readAnthropic accepts the key in either header: gateways want one, the vendor the other.
func readAnthropic(r *http.Request, body []byte) (Ask, bool, error) {
	var in struct {
		Model    string
		System   json.RawMessage
		Stream   bool
		Messages []struct {
			Role    llm.Role
			Content json.RawMessage
		}
		Tools []struct {
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Ask{}, false, err
	}
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = bearer(r.Header)
	}
	ask := Ask{Protocol: Anthropic, Model: in.Model, Key: key, Schema: dig(body, "output_config", "format", "schema")}
	system, err := anthropicParts(in.System)
	if err != nil {
		return Ask{}, false, fmt.Errorf("system: %w", err)
	}
	ask.System = llm.Message{Parts: system}.Text()
	for _, m := range in.Messages {
		parts, err := anthropicParts(m.Content)
		if err != nil {
			return Ask{}, false, fmt.Errorf("messages: %w", err)
		}
		ask.Messages = append(ask.Messages, llm.Message{Role: m.Role, Parts: parts})
	}
	for _, t := range in.Tools {
		ask.Tools = append(ask.Tools, llm.Spec{Name: t.Name, Doc: t.Description, Schema: t.InputSchema})
	}
	return ask, in.Stream, nil
}

// anthropicParts reads content, which is a string or a list of blocks.
func anthropicParts(raw json.RawMessage) ([]llm.Part, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []llm.Part{llm.Text{Text: text}}, nil
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, err
	}
	var parts []llm.Part
	for _, b := range blocks {
		switch b.Type {
		case "text":
			parts = append(parts, llm.Text{Text: b.Text})
		case "thinking":
			parts = append(parts, llm.Think{Text: b.Thinking, Signature: b.Signature})
		case "redacted_thinking":
			parts = append(parts, llm.Think{Signature: b.Data})
		case "image", "document":
			parts = append(parts, llm.Attachment{MIME: b.Source.MediaType, Data: b.Source.Data, Name: b.Title})
		case "tool_use":
			parts = append(parts, llm.Call{ID: b.ID, Name: b.Name, Args: b.Input})
		case "tool_result":
			inner, err := anthropicParts(b.Content)
			if err != nil {
				return nil, err
			}
			parts = append(parts, llm.Result{ID: b.ToolUseID, Text: llm.Message{Parts: inner}.Text(), Failed: b.IsError})
		}
	}
	return parts, nil
}

// anthropicBlocks returns the content of the answer. Thoughts are signed by the number of the turn, so that a test
// sees whether they come back.
func (t exchange) anthropicBlocks() []object {
	var blocks []object
	if t.Think != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": t.Think, "signature": t.id("sig-")})
	}
	if t.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": t.Text})
	}
	for i, c := range t.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": t.callID("toolu_", i), "name": c.Name, "input": arguments(c)})
	}
	return blocks
}

// anthropicUsage counts input without what was cached, as this vendor does.
func (t exchange) anthropicUsage() object {
	u := t.usage()
	return object{"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead,
		"output_tokens": u.Output, "service_tier": "standard",
		"output_tokens_details": object{"thinking_tokens": u.Reasoning}}
}

// anthropicStop returns why the answer ended.
func (t exchange) anthropicStop() string {
	switch {
	case t.Fault == fault.Refused:
		return "refusal"
	case t.Fault == fault.OutOfTokens:
		return "max_tokens"
	case len(t.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// wholeAnthropic returns the answer in one piece; its content is a list even if it is empty.
func wholeAnthropic(t exchange) object {
	blocks := t.anthropicBlocks()
	if blocks == nil {
		blocks = []object{}
	}
	return object{"id": t.id("msg_"), "type": "message", "role": "assistant", "model": t.Model, "content": blocks,
		"stop_reason": t.anthropicStop(), "stop_sequence": nil, "usage": t.anthropicUsage()}
}

// eventsAnthropic returns the answer as a stream. The counts come twice: of the input at the beginning, of everything
// at the end.
func eventsAnthropic(t exchange) []event {
	start := wholeAnthropic(t)
	start["content"], start["stop_reason"] = []object{}, nil
	begun := t.anthropicUsage()
	begun["output_tokens"] = 1
	start["usage"] = begun
	out := []event{{name: "message_start", data: object{"type": "message_start", "message": start}},
		{name: "ping", data: object{"type": "ping"}}}
	for i, b := range t.anthropicBlocks() {
		out = append(out, t.anthropicBlock(i, b)...)
	}
	return append(out,
		event{name: "message_delta", data: object{"type": "message_delta", "usage": t.anthropicUsage(),
			"delta": object{"stop_reason": t.anthropicStop(), "stop_sequence": nil}}},
		event{name: "message_stop", data: object{"type": "message_stop"}})
}

// anthropicBlock returns the events of one block: its beginning, in which what will stream is empty, its deltas and
// its end.
func (t exchange) anthropicBlock(index int, b object) []event {
	empty := object{"type": b["type"]}
	var deltas []object
	switch b["type"] {
	case "text":
		empty["text"] = ""
		for _, s := range t.deltas(b["text"].(string)) {
			deltas = append(deltas, object{"type": "text_delta", "text": s})
		}
	case "thinking":
		empty["thinking"], empty["signature"] = "", ""
		for _, s := range t.deltas(b["thinking"].(string)) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": s})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": b["signature"]})
	case "tool_use":
		empty["id"], empty["name"], empty["input"] = b["id"], b["name"], object{}
		for _, s := range t.deltas(string(b["input"].(json.RawMessage))) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": s})
		}
	}
	out := []event{{name: "content_block_start", data: object{"type": "content_block_start", "index": index, "content_block": empty}}}
	for _, d := range deltas {
		out = append(out, event{name: "content_block_delta", delta: true,
			data: object{"type": "content_block_delta", "index": index, "delta": d}})
	}
	return append(out, event{name: "content_block_stop", data: object{"type": "content_block_stop", "index": index}})
}

// refuseAnthropic words a fault as this vendor does. An account without money is a bad request there.
func refuseAnthropic(f fault.Fault) (int, object) {
	status, kind, message := 500, "api_error", "Internal server error"
	switch f {
	case fault.Unauthorized:
		status, kind, message = 401, "authentication_error", "invalid x-api-key"
	case fault.Unpaid:
		status, kind, message = 402, "billing_error", "There is a problem with your billing."
	case fault.Exhausted:
		status, kind, message = 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
	case fault.Limited:
		status, kind, message = 429, "rate_limit_error", "This request would exceed your rate limit."
	case fault.Overloaded, fault.ErrorEvent:
		status, kind, message = 529, "overloaded_error", "Overloaded"
	case fault.TooLarge:
		status, kind, message = 413, "request_too_large", "Request exceeds the maximum size"
	case fault.TooLong:
		status, kind, message = 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
	}
	return status, object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_1"}
}
