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

// fallbackOutput is the output limit when the request sets none; the protocol requires one. The vendor's own models
// since the fourth generation allow at least the larger one.
const fallbackOutput, largeOutput = 8192, 32_000

// large matches the models that allow at least largeOutput tokens.
var large = pattern.Of(`^claude-((opus|sonnet|haiku|fable|mythos)-[4-9])`)

// request converts a request to the protocol's form.
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

// nameIn returns the vendor's own name from the id that a cloud gives its model, such as
// us.anthropic.claude-opus-5-5.
func nameIn(id string) string {
	if at := strings.LastIndex(id, "claude-"); at > 0 {
		return id[at:]
	}
	return id
}

// system converts the system prompt. The part that other conversations share is a block of its own with a cache mark.
// It is kept for an hour, since each conversation reads it and a person comes back after more than the usual five
// minutes.
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

// early matches the models that think by a budget of tokens and know no effort.
var early = pattern.Of(`^claude-(3|(opus|sonnet)-4-(0|1|2\d{7}))|^claude-(sonnet|haiku)-4-5`)

// budgets maps an effort to the thinking budget of an early model.
var budgets = map[string]int64{"medium": 4096, "high": 16384}

// thinkers matches the models that think by default and show their thinking only if asked.
var thinkers = pattern.Of(`^claude-((fable|mythos)-5|(haiku|sonnet|opus)-5-5)`)

// think sets the effort in the form the model knows, and asks for a summary of the thinking. Without effort the
// model's own default stays.
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

// inputSchema converts the schema of a tool's arguments; one without a type is an object's.
func inputSchema(raw json.RawMessage) (sdk.ToolInputSchemaParam, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return sdk.ToolInputSchemaParam{Properties: map[string]any{}}, nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return sdk.ToolInputSchemaParam{}, err
	}
	fields["type"] = "object"
	sorted, err := json.Marshal(fields) // the SDK writes fields in a different order each time, so no cache would hit
	return param.Override[sdk.ToolInputSchemaParam](json.RawMessage(sorted)), err
}

// messages converts a history to the protocol's form. Results come first in their message, as the protocol requires;
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

// attachment converts a picture or a document to the protocol's form.
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

// forget removes the thinking from a history; false means that there was none.
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

// cleanID turns another vendor's call id into one this protocol accepts.
func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

// A request may have four cache marks. From each mark the server searches the last twenty blocks for what it has
// cached.
const mostMarks, lookBack = 4, 20

// keep marks the end of the history for caching, since the next call of the session repeats it. It also marks the end
// of the message before it, or the point where the server's search would stop, so that the server finds what the last
// request left even behind many results.
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
