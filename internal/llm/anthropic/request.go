package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// fallbackOutput is the most tokens asked for when nobody says more; the protocol wants a number. The vendor's own models since the
// fourth generation give at least the larger one.
const fallbackOutput, largeOutput = 8192, 32_000

// large are models that give at least largeOutput tokens.
var large = pattern.Of(`^claude-((opus|sonnet|haiku|fable|mythos)-[4-9])`)

// request is a request in the protocol's terms.
func request(info llm.Info, req llm.Request) (sdk.MessageNewParams, error) {
	name, limit := nameIn(info.ID), fallbackOutput
	if large().MatchString(name) {
		limit = largeOutput
	}
	if info.Output > 0 {
		limit = info.Output
	}
	if req.MaxTokens > 0 {
		limit = req.MaxTokens
	}
	p := sdk.MessageNewParams{Model: sdk.Model(info.ID), MaxTokens: int64(limit), Messages: messages(req.Messages)}
	if p.System = system(req); req.Session != "" {
		keep(p.Messages, mostMarks-len(p.System))
	}
	for _, t := range req.Tools {
		schema, err := inputSchema(t.Schema)
		if err != nil {
			return p, &trouble.Error{Kind: trouble.BadRequest, Message: "schema of tool " + t.Name + ": " + err.Error(), Err: err}
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Doc),
			InputSchema: schema}})
	}
	if req.Schema != nil {
		if err := json.Unmarshal(req.Schema, &p.OutputConfig.Format.Schema); err != nil {
			return p, &trouble.Error{Kind: trouble.BadRequest, Message: "schema of the answer: " + err.Error(), Err: err}
		}
	}
	think(&p, name, req.Effort)
	return p, nil
}

// nameIn is the vendor's own name in the id that a cloud gives its model, such as us.anthropic.claude-opus-5-5.
func nameIn(id string) string {
	if at := strings.LastIndex(id, "claude-"); at > 0 {
		return id[at:]
	}
	return id
}

// system is the system prompt. What other conversations begin with, too, is a block of its own with a mark, so that they share it:
// kept for an hour, since a person comes back after more than the usual five minutes and each conversation reads it.
func system(req llm.Request) (out []sdk.TextBlockParam) {
	if req.System == "" {
		return nil
	}
	mark := sdk.NewCacheControlEphemeralParam()
	if at := req.Shared; at > 0 && at < len(req.System) {
		mark.TTL = sdk.CacheControlEphemeralTTLTTL1h
		out = append(out, sdk.TextBlockParam{Text: req.System[:at], CacheControl: mark})
		req.System = req.System[at:]
	}
	return append(out, sdk.TextBlockParam{Text: req.System, CacheControl: mark})
}

// early are the models that think by a budget of tokens and know no effort.
var early = pattern.Of(`^claude-(3|(opus|sonnet)-4-(0|1|2\d{7}))|^claude-(sonnet|haiku)-4-5`)

// budgets are what an effort means to an early model.
var budgets = map[string]int64{"medium": 4096, "high": 16384}

// thinkers are the models that think unless they are told not to, and keep to themselves what unless they are asked.
var thinkers = pattern.Of(`^claude-((fable|mythos)-5|(haiku|sonnet|opus)-5-5)`)

// think asks for effort in the form the model knows, and for a summary of what it thinks. Without effort the model's own default
// stays.
func think(p *sdk.MessageNewParams, id, effort string) {
	summarized := &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	switch {
	case effort == "":
		if thinkers().MatchString(id) {
			p.Thinking.OfAdaptive = summarized
		}
	case early().MatchString(id):
		if b := min(budgets[effort], p.MaxTokens/2); b >= 1024 {
			p.Thinking = sdk.ThinkingConfigParamOfEnabled(b)
		}
	default:
		p.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
		if !strings.HasPrefix(id, "claude-opus-4-5") {
			p.Thinking.OfAdaptive = summarized
		}
	}
}

// inputSchema is the schema of a tool's arguments; one without a type is an object's.
func inputSchema(raw json.RawMessage) (sdk.ToolInputSchemaParam, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return sdk.ToolInputSchemaParam{Properties: map[string]any{}}, nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return sdk.ToolInputSchemaParam{}, err
	}
	fields["type"] = "object"
	sorted, err := json.Marshal(fields) // the SDK writes fields in another order each time, and no cache would hit
	return param.Override[sdk.ToolInputSchemaParam](json.RawMessage(sorted)), err
}

// messages is a history in the protocol's terms. Results come first in their message, as the protocol wants;
// messages that would be empty are left out.
func messages(history []llm.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	for _, m := range history {
		var results, rest []sdk.ContentBlockParamUnion
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if strings.TrimSpace(p.Text) != "" { // blank text is rejected
					rest = append(rest, sdk.NewTextBlock(p.Text))
				}
			case llm.Think:
				if signature, ok := draft.SignedBy(maker, p.Signature); ok { // its text may be empty: it goes back as it came
					rest = append(rest, sdk.NewThinkingBlock(signature, p.Text))
				} else if data, ok := draft.SignedBy(redactor, p.Signature); ok {
					rest = append(rest, sdk.NewRedactedThinkingBlock(data))
				}
			case llm.Attachment:
				rest = append(rest, attachment(p))
			case llm.Call:
				rest = append(rest, sdk.NewToolUseBlock(cleanID(p.ID), p.Args, p.Name))
			case llm.Result: // before anything else in the message
				results = append(results, sdk.NewToolResultBlock(cleanID(p.ID), p.Text, p.Failed))
			}
		}
		if blocks := append(results, rest...); len(blocks) > 0 {
			out = append(out, sdk.MessageParam{Role: sdk.MessageParamRole(m.Role), Content: blocks})
		}
	}
	return out
}

// attachment is a picture or a document as the protocol has them.
func attachment(a llm.Attachment) sdk.ContentBlockParamUnion {
	data := base64.StdEncoding.EncodeToString(a.Data)
	if a.MIME != llm.PDF {
		return sdk.NewImageBlockBase64(a.MIME, data)
	}
	block := sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: data})
	if a.Name != "" {
		block.OfDocument.Title = sdk.String(a.Name)
	}
	return block
}

// forget takes thinking out of a history; false: there is none.
func forget(history []sdk.MessageParam) (some bool) {
	for i, m := range history {
		kept := slices.DeleteFunc(slices.Clone(m.Content), func(b sdk.ContentBlockParamUnion) bool {
			return b.OfThinking != nil || b.OfRedactedThinking != nil
		})
		if len(kept) < len(m.Content) && len(kept) > 0 {
			history[i].Content, some = kept, true
		}
	}
	return some
}

// cleanID makes another vendor's call id one this protocol takes.
func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

// A request may have four marks. From each the server looks back over twenty blocks for what it has kept.
const mostMarks, lookBack = 4, 20

// keep marks the end of the history as worth caching, since the next call of the session repeats it, and the end of the message before
// it, or the place before which the server would not look: so it finds what the last request left, also behind many results.
func keep(history []sdk.MessageParam, marks int) {
	passed := 0 // since the last mark
	for i := len(history) - 1; i >= 0 && marks > 0; i-- {
		content := history[i].Content
		for j := len(content) - 1; j >= 0 && marks > 0; j-- {
			c := content[j].GetCacheControl() // nil: thinking cannot be marked
			end := passed == 0 || j == len(content)-1
			if passed++; c == nil || !end && passed < lookBack {
				continue
			}
			*c = sdk.NewCacheControlEphemeralParam()
			passed, marks = 1, marks-1
		}
	}
}
