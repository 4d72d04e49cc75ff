package llmtest

import (
	"encoding/json"
	"net/http"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// chatProtocol is Chat Completions as the best servers speak it: with reasoning, usage in the last chunk, and both
// names of the system role.
var chatProtocol = protocol{
	read: readChat, whole: wholeChat, events: eventsChat, refuse: refuseOpenAI,
	broken: func() event {
		return event{data: object{"error": object{"message": "Provider is overloaded.", "code": 503}}}
	},
}

// readChat accepts text as a string and as a list of parts, since adapters send both.
func readChat(r *http.Request, body []byte) (Ask, bool, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role             string
			Content          json.RawMessage
			ReasoningContent string `json:"reasoning_content"`
			ToolCallID       string `json:"tool_call_id"`
			ToolCalls        []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Ask{}, false, err
	}
	ask := Ask{Protocol: Chat, Model: in.Model, Key: bearer(r.Header), Schema: dig(body, "response_format", "json_schema", "schema")}
	for _, t := range in.Tools {
		ask.Tools = append(ask.Tools, llm.Spec{Name: t.Function.Name, Doc: t.Function.Description, Schema: t.Function.Parameters})
	}
	for _, m := range in.Messages {
		parts, err := openAIParts(m.Content)
		if err != nil {
			return Ask{}, false, err
		}
		switch m.Role {
		case "system", "developer":
			ask.System += llm.Message{Parts: parts}.Text()
		case "tool":
			ask.add(llm.User, llm.Result{ID: m.ToolCallID, Text: llm.Message{Parts: parts}.Text()})
		default:
			if m.ReasoningContent != "" {
				parts = append([]llm.Part{llm.Think{Text: m.ReasoningContent}}, parts...)
			}
			for _, c := range m.ToolCalls {
				parts = append(parts, llm.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
			}
			ask.add(llm.Role(m.Role), parts...)
		}
	}
	return ask, in.Stream, nil
}

// chatStop returns why the answer ended.
func (t exchange) chatStop() string {
	switch {
	case t.Fault == fault.OutOfTokens:
		return "length"
	case t.Fault == fault.Refused:
		return "content_filter"
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// chatUsage counts input including what was cached, as this protocol does.
func (t exchange) chatUsage() object {
	u := t.usage()
	return object{"prompt_tokens": u.Input + u.CacheRead + u.CacheWrite, "completion_tokens": u.Output, "total_tokens": u.Total(),
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning}}
}

// chatCall returns the i-th call, with its arguments as a text.
func (t exchange) chatCall(i int) object {
	c := t.Calls[i]
	return object{"index": i, "id": t.callID("call_", i), "type": "function",
		"function": object{"name": c.Name, "arguments": string(arguments(c))}}
}

// wholeChat returns the answer in one piece.
func wholeChat(t exchange) object {
	message := object{"role": "assistant", "content": t.Text}
	if t.Fault == fault.Refused {
		message["content"], message["refusal"] = nil, t.Text
	}
	if t.Think != "" {
		message["reasoning_content"] = t.Think
	}
	var calls []object
	for i := range t.Calls {
		calls = append(calls, t.chatCall(i))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := object{"id": t.id("chatcmpl-"), "object": "chat.completion", "created": 1, "model": t.Model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": t.chatStop(), "logprobs": nil}}}
	if t.Fault != fault.NoUsage {
		out["usage"] = t.chatUsage()
	}
	return out
}

// eventsChat returns the answer as a stream. The usage comes only on request, in a chunk without choices.
func eventsChat(t exchange) []event {
	chunk := func(delta object, stop any) object {
		return object{"id": t.id("chatcmpl-"), "object": "chat.completion.chunk", "created": 1, "model": t.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": stop, "logprobs": nil}}}
	}
	out := []event{{data: chunk(object{"role": "assistant", "content": ""}, nil)}}
	add := func(delta object) { out = append(out, event{data: chunk(delta, nil), delta: true}) }
	for _, s := range t.deltas(t.Think) {
		add(object{"reasoning_content": s})
	}
	field := "content"
	if t.Fault == fault.Refused {
		field = "refusal"
	}
	for _, s := range t.deltas(t.Text) {
		add(object{field: s})
	}
	for i, c := range t.Calls {
		head := t.chatCall(i)
		head["function"] = object{"name": c.Name, "arguments": ""}
		add(object{"tool_calls": []object{head}})
		for _, s := range t.deltas(string(arguments(c))) {
			add(object{"tool_calls": []object{{"index": i, "function": object{"arguments": s}}}})
		}
	}
	out = append(out, event{data: chunk(object{}, t.chatStop())})
	if wanted := string(dig(t.Body, "stream_options", "include_usage")) == "true"; wanted && t.Fault != fault.NoUsage {
		last := chunk(nil, nil)
		last["choices"], last["usage"] = []object{}, t.chatUsage()
		out = append(out, event{data: last})
	}
	return append(out, event{data: "[DONE]"})
}
