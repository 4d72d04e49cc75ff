package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// geminiProtocol is generateContent, v1beta.
var geminiProtocol = protocol{
	read: readGemini, whole: wholeGemini, events: eventsGemini, refuse: refuseGemini,
	broken: func() event {
		return event{data: object{"error": object{"code": 503, "message": "The model is overloaded. Please try again later.",
			"status": "UNAVAILABLE"}}}
	},
}

// geminiContent is one message.
type geminiContent struct {
	Role  string
	Parts []struct {
		Text             string
		Thought          bool
		ThoughtSignature string
		InlineData       *struct {
			MimeType string
			Data     []byte
		}
		FunctionCall *struct {
			ID, Name string
			Args     json.RawMessage
		}
		FunctionResponse *struct {
			ID, Name string
			Response map[string]any
		}
	}
}

// readGemini finds the model and the method in the path, and the key in a header or in the query.
func readGemini(r *http.Request, body []byte) (Ask, bool, error) {
	model, verb, _ := strings.Cut(r.PathValue("call"), ":")
	if verb != "streamGenerateContent" && verb != "generateContent" {
		return Ask{}, false, fmt.Errorf("unknown method %q", verb)
	}
	var in struct {
		SystemInstruction geminiContent
		Contents          []geminiContent
		Tools             []struct {
			FunctionDeclarations []struct {
				Name, Description    string
				Parameters           json.RawMessage
				ParametersJSONSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Ask{}, false, err
	}
	key := r.Header.Get("X-Goog-Api-Key")
	if key == "" {
		key = r.URL.Query().Get("key")
	}
	ask := Ask{Protocol: Gemini, Model: model, Key: key, System: llm.Message{Parts: geminiParts(in.SystemInstruction)}.Text(),
		Schema: dig(body, "generationConfig", "responseJsonSchema")}
	if ask.Schema == nil {
		ask.Schema = dig(body, "generationConfig", "responseSchema")
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			schema := f.ParametersJSONSchema
			if schema == nil {
				schema = f.Parameters
			}
			ask.Tools = append(ask.Tools, llm.Spec{Name: f.Name, Doc: f.Description, Schema: schema})
		}
	}
	for _, c := range in.Contents {
		role := llm.User
		if c.Role == "model" {
			role = llm.Assistant
		}
		ask.add(role, geminiParts(c)...)
	}
	return ask, verb == "streamGenerateContent", nil
}

// geminiParts reads the parts of a message. A result is an object there: its output, or an error.
func geminiParts(c geminiContent) []llm.Part {
	var parts []llm.Part
	for _, p := range c.Parts {
		switch {
		case p.FunctionCall != nil:
			f := p.FunctionCall
			parts = append(parts, llm.Call{ID: f.ID, Name: f.Name, Args: f.Args, Signature: p.ThoughtSignature})
		case p.FunctionResponse != nil:
			f := p.FunctionResponse
			res := llm.Result{ID: f.ID, Name: f.Name}
			if e, ok := f.Response["error"]; ok {
				res.Text, res.Failed = fmt.Sprint(e), true
			} else {
				res.Text = fmt.Sprint(f.Response["output"])
			}
			parts = append(parts, res)
		case p.InlineData != nil:
			parts = append(parts, llm.Attachment{MIME: p.InlineData.MimeType, Data: p.InlineData.Data})
		case p.Thought:
			parts = append(parts, llm.Think{Text: p.Text, Signature: p.ThoughtSignature})
		default:
			parts = append(parts, llm.Text{Text: p.Text})
		}
	}
	return parts
}

// geminiAnswer returns the parts of the answer; text and thoughts are cut into deltas.
func (t exchange) geminiAnswer() []object {
	var parts []object
	for _, s := range t.deltas(t.Think) {
		parts = append(parts, object{"text": s, "thought": true})
	}
	for _, s := range t.deltas(t.Text) {
		parts = append(parts, object{"text": s})
	}
	for i, c := range t.Calls {
		call := object{"name": c.Name, "args": arguments(c)}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := object{"functionCall": call}
		if i == 0 { // parallel calls carry one signature, on the first
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(t.id("sig-")))
		}
		parts = append(parts, part)
	}
	return parts
}

// geminiChunk returns a piece of the answer, or all of it. Each has the usage so far, which here is that of
// everything.
func (t exchange) geminiChunk(parts []object, stop string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if parts == nil {
		delete(candidate, "content")
	}
	out := object{"candidates": []object{candidate}, "modelVersion": t.Model, "responseId": t.id("")}
	if stop != "" {
		candidate["finishReason"] = stop
	}
	if t.Fault != fault.NoUsage {
		u := t.usage()
		out["usageMetadata"] = object{"promptTokenCount": u.Input + u.CacheRead, "cachedContentTokenCount": u.CacheRead,
			"candidatesTokenCount": u.Output - u.Reasoning, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Total() - u.CacheWrite}
	}
	return out
}

// geminiStop returns why the answer ended. A tool call is no reason of its own.
func (t exchange) geminiStop() string {
	switch t.Fault {
	case fault.Refused:
		return "SAFETY"
	case fault.OutOfTokens:
		return "MAX_TOKENS"
	}
	return "STOP"
}

// wholeGemini returns the answer in one piece: a chunk that contains everything.
func wholeGemini(t exchange) object { return t.geminiChunk(t.geminiAnswer(), t.geminiStop()) }

// eventsGemini returns the answer as a stream, without names of events. A call comes in one piece.
func eventsGemini(t exchange) []event {
	var out []event
	for _, p := range t.geminiAnswer() {
		out = append(out, event{data: t.geminiChunk([]object{p}, ""), delta: true})
	}
	return append(out, event{data: t.geminiChunk(nil, t.geminiStop())})
}

// refuseGemini words a fault as this vendor does. An empty account and an exceeded rate differ only in the details.
func refuseGemini(f fault.Fault) (int, object) {
	status, code, message := 500, "INTERNAL", "An internal error has occurred."
	var details []object
	switch f {
	case fault.Unauthorized:
		status, code, message = 401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key."
	case fault.Unpaid:
		status, code, message = 402, "FAILED_PRECONDITION", "Billing is not enabled."
	case fault.Exhausted:
		status, code, message = 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."
		details = []object{{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
			"violations": []object{{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}}}}
	case fault.Limited:
		status, code, message = 429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."
	case fault.Overloaded:
		status, code, message = 529, "UNAVAILABLE", "The model is overloaded. Please try again later."
	case fault.TooLarge:
		status, code, message = 413, "INVALID_ARGUMENT", "Request payload size exceeds the limit."
	case fault.TooLong:
		status, code, message = 400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed "+
			"(1048576)."
	}
	e := object{"code": status, "message": message, "status": code}
	if details != nil {
		e["details"] = details
	}
	return status, object{"error": e}
}
