package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// responsesProtocol is Responses, stateless: each request contains the history.
var responsesProtocol = protocol{
	read: readResponses, whole: wholeResponses, events: eventsResponses, refuse: refuseOpenAI,
	broken: func() event {
		return event{name: "error", data: object{"type": "error", "code": "server_is_overloaded", "message": "We are overloaded.",
			"param": nil, "sequence_number": 99}}
	},
}

// responsesItem is an item of the input, whatever its type.
type responsesItem struct {
	Type, Role, Name, Arguments, Input string
	Content, Output                    json.RawMessage
	CallID                             string `json:"call_id"`
	EncryptedContent                   string `json:"encrypted_content"`
	Summary                            []struct{ Text string }
}

// responsesTool is a tool, or a namespace of tools.
type responsesTool struct {
	Type, Name, Description string
	Parameters              json.RawMessage
	Tools                   []responsesTool
}

// readResponses accepts the input as a text and as a list. Tools may be in namespaces, and may take a text instead of
// JSON, as codex sends them.
func readResponses(r *http.Request, body []byte) (Ask, bool, error) {
	var in struct {
		Model, Instructions string
		Stream              bool
		Input               json.RawMessage
		Tools               []responsesTool
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Ask{}, false, err
	}
	ask := Ask{Protocol: Responses, Model: in.Model, System: in.Instructions, Key: bearer(r.Header),
		Schema: dig(body, "text", "format", "schema"), freeform: map[string]bool{}, spaced: map[string][2]string{}}
	for _, t := range in.Tools {
		ask.freeform[t.Name] = t.Type == "custom"
		if t.Name != "" && t.Type != "namespace" {
			ask.Tools = append(ask.Tools, llm.Spec{Name: t.Name, Doc: t.Description, Schema: t.Parameters})
		}
		for _, in := range t.Tools {
			joined := t.Name + "__" + in.Name
			ask.spaced[joined] = [2]string{t.Name, in.Name}
			ask.Tools = append(ask.Tools, llm.Spec{Name: joined, Doc: in.Description, Schema: in.Parameters})
		}
	}
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		ask.Messages = []llm.Message{llm.UserText(text)}
		return ask, in.Stream, nil
	}
	var items []responsesItem
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return Ask{}, false, err
	}
	for _, it := range items {
		if err := ask.responsesItem(it); err != nil {
			return Ask{}, false, err
		}
	}
	return ask, in.Stream, nil
}

// responsesItem adds an item to the conversation.
func (a *Ask) responsesItem(it responsesItem) error {
	switch it.Type {
	case "reasoning":
		think := llm.Think{Signature: it.EncryptedContent}
		for _, s := range it.Summary {
			think.Text += s.Text
		}
		a.add(llm.Assistant, think)
	case "function_call", "custom_tool_call":
		args := json.RawMessage(it.Arguments)
		if it.Type == "custom_tool_call" {
			args, _ = json.Marshal(it.Input)
		}
		a.add(llm.Assistant, llm.Call{ID: it.CallID, Name: it.Name, Args: args})
	case "function_call_output", "custom_tool_call_output":
		parts, err := openAIParts(it.Output)
		if err != nil {
			return err
		}
		a.add(llm.User, llm.Result{ID: it.CallID, Text: llm.Message{Parts: parts}.Text()})
	case "message", "":
		parts, err := openAIParts(it.Content)
		if err != nil {
			return err
		}
		if it.Role == "system" || it.Role == "developer" {
			a.System += llm.Message{Parts: parts}.Text()
			return nil
		}
		a.add(llm.Role(it.Role), parts...)
	}
	return nil
}

// add appends parts to the last message if it has the same role, else as a new one.
func (a *Ask) add(role llm.Role, parts ...llm.Part) {
	if n := len(a.Messages) - 1; n >= 0 && a.Messages[n].Role == role {
		a.Messages[n].Parts = append(a.Messages[n].Parts, parts...)
		return
	}
	a.Messages = append(a.Messages, llm.Message{Role: role, Parts: parts})
}

// openAIParts reads content, which is null, a string, or a list of parts named as in either OpenAI protocol.
func openAIParts(raw json.RawMessage) ([]llm.Part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []llm.Part{llm.Text{Text: text}}, nil
	}
	var items []struct {
		Type, Text, Refusal string
		ImageURL            json.RawMessage `json:"image_url"`
		document                            // used by responses
		File                *document       // used by chat
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	var parts []llm.Part
	for _, it := range items {
		if it.File != nil {
			it.document = *it.File
		}
		switch {
		case len(it.ImageURL) > 0:
			parts = append(parts, dataImage(it.ImageURL))
			continue
		case len(it.FileData) > 0:
			a := dataImage(it.FileData)
			a.Name = it.FileName
			parts = append(parts, a)
			continue
		}
		parts = append(parts, llm.Text{Text: it.Text + it.Refusal})
	}
	return parts, nil
}

// document is a file with its name.
type document struct {
	FileName string          `json:"filename"`
	FileData json.RawMessage `json:"file_data"`
}

// dataImage reads a data URL, alone or as {"url": ...}.
func dataImage(raw json.RawMessage) llm.Attachment {
	var url string
	if json.Unmarshal(raw, &url) != nil {
		json.Unmarshal(dig(raw, "url"), &url)
	}
	mime, data, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	b, _ := base64.StdEncoding.DecodeString(data)
	return llm.Attachment{MIME: mime, Data: b}
}

// responsesItems returns the output list of the whole answer.
func (t exchange) responsesItems() []object {
	items := []object{}
	if t.Think != "" {
		items = append(items, object{"type": "reasoning", "id": t.id("rs_"), "encrypted_content": t.id("sig-"),
			"summary": []object{{"type": "summary_text", "text": t.Think}}})
	}
	if t.Text != "" {
		part := object{"type": "output_text", "text": t.Text, "annotations": []object{}, "logprobs": []object{}}
		if t.Fault == fault.Refused {
			part = object{"type": "refusal", "refusal": t.Text}
		}
		items = append(items, object{"type": "message", "id": t.id("msg_"), "role": "assistant", "status": "completed",
			"content": []object{part}})
	}
	for i, c := range t.Calls {
		item := object{"type": "function_call", "id": t.callID("fc_", i), "call_id": t.callID("call_", i), "name": c.Name,
			"arguments": string(arguments(c)), "status": "completed"}
		if in, ok := t.spaced[c.Name]; ok {
			item["namespace"], item["name"] = in[0], in[1]
		}
		if t.freeform[c.Name] {
			var text string
			if json.Unmarshal(c.Args, &text) != nil {
				text = string(c.Args)
			}
			item = object{"type": "custom_tool_call", "id": t.callID("ctc_", i), "call_id": t.callID("call_", i), "name": c.Name,
				"input": text, "status": "completed"}
		}
		items = append(items, item)
	}
	return items
}

func wholeResponses(t exchange) object {
	out := object{"id": t.id("resp_"), "object": "response", "created_at": 1, "model": t.Model, "status": "completed", "error": nil,
		"incomplete_details": nil, "output": t.responsesItems(), "parallel_tool_calls": true, "tool_choice": "auto", "tools": []object{},
		"metadata": object{}, "temperature": 1, "top_p": 1, "instructions": nil}
	if t.Fault != fault.NoUsage {
		u := t.usage()
		out["usage"] = object{"input_tokens": u.Input + u.CacheRead + u.CacheWrite, "output_tokens": u.Output,
			"input_tokens_details":  object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
			"output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Total()}
	}
	if t.Fault == fault.OutOfTokens {
		out["status"], out["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	return out
}

func eventsResponses(t exchange) []event {
	var out []event
	add := func(name string, delta bool, data object) {
		data["type"], data["sequence_number"] = name, len(out)
		out = append(out, event{name: name, data: data, delta: delta})
	}
	start := wholeResponses(t)
	start["status"], start["output"], start["usage"] = "in_progress", []object{}, nil
	add("response.created", false, object{"response": start})
	add("response.in_progress", false, object{"response": start})
	for i, item := range t.responsesItems() {
		head := object{}
		for k, v := range item {
			head[k] = v
		}
		head["status"] = "in_progress"
		t.responsesDeltas(i, item, head, add)
		add("response.output_item.done", false, object{"output_index": i, "item": item})
	}
	end := wholeResponses(t)
	add("response."+end["status"].(string), false, object{"response": end})
	return out
}

// responsesDeltas adds the events of one item between its announcement and its end.
func (t exchange) responsesDeltas(i int, item, head object, add func(string, bool, object)) {
	at := func(more object) object {
		more["item_id"], more["output_index"] = item["id"], i
		return more
	}
	announce := func(field string, empty any) {
		head[field] = empty
		add("response.output_item.added", false, object{"output_index": i, "item": head})
	}
	stream := func(name, whole, field string, more object) {
		for _, s := range t.deltas(whole) {
			d := at(object{"delta": s})
			for k, v := range more {
				d[k] = v
			}
			add(name+".delta", true, d)
		}
		d := at(object{field: whole})
		for k, v := range more {
			d[k] = v
		}
		add(name+".done", false, d)
	}
	switch item["type"] {
	case "reasoning":
		announce("summary", []object{})
		part := item["summary"].([]object)[0]
		add("response.reasoning_summary_part.added", false, at(object{"summary_index": 0,
			"part": object{"type": "summary_text", "text": ""}}))
		stream("response.reasoning_summary_text", t.Think, "text", object{"summary_index": 0})
		add("response.reasoning_summary_part.done", false, at(object{"summary_index": 0, "part": part}))
	case "message":
		announce("content", []object{})
		part := item["content"].([]object)[0]
		empty, name, field := object{"type": "output_text", "text": "", "annotations": []object{}}, "response.output_text", "text"
		if t.Fault == fault.Refused {
			empty, name, field = object{"type": "refusal", "refusal": ""}, "response.refusal", "refusal"
		}
		add("response.content_part.added", false, at(object{"content_index": 0, "part": empty}))
		stream(name, t.Text, field, object{"content_index": 0})
		add("response.content_part.done", false, at(object{"content_index": 0, "part": part}))
	case "function_call":
		announce("arguments", "")
		stream("response.function_call_arguments", item["arguments"].(string), "arguments", object{})
	case "custom_tool_call":
		announce("input", "")
		stream("response.custom_tool_call_input", item["input"].(string), "input", object{})
	}
}

// refuseOpenAI words a fault as this vendor does, in both protocols. An empty account and an exceeded rate share a
// status.
func refuseOpenAI(f fault.Fault) (int, object) {
	status, kind, code, message := 500, "server_error", any(nil), "The server had an error while processing your request."
	switch f {
	case fault.Unauthorized:
		status, kind, code, message = 401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."
	case fault.Unpaid:
		status, kind, code, message = 402, "insufficient_credits", 402, "Insufficient credits. Add more at the account page."
	case fault.Exhausted:
		status, kind, code, message = 429, "insufficient_quota", "insufficient_quota",
			"You exceeded your current quota, please check your plan and billing details."
	case fault.Limited:
		status, kind, code, message = 429, "requests", "rate_limit_exceeded", "Rate limit reached for requests."
	case fault.Overloaded:
		status, kind, code, message = 529, "server_error", "server_is_overloaded", "The server is overloaded."
	case fault.TooLarge:
		status, kind, code, message = 413, "invalid_request_error", nil, "Request too large."
	case fault.TooLong:
		status, kind, code, message = 400, "invalid_request_error", "context_length_exceeded",
			"Your input exceeds the context window of this model."
	}
	return status, object{"error": object{"message": message, "type": kind, "param": nil, "code": code}}
}
