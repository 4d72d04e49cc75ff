package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// fallbackOutput is the most tokens asked for when nobody says more; the protocol wants a number.
const fallbackOutput = 8192

func request(info llm.Info, req llm.Request) (sdk.MessageNewParams, error) {
	limit := fallbackOutput
	if info.Output > 0 {
		limit = info.Output
	}
	if req.MaxTokens > 0 {
		limit = req.MaxTokens
	}
	p := sdk.MessageNewParams{Model: sdk.Model(info.ID), MaxTokens: int64(limit), Messages: messages(req.Messages)}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if req.Session != "" {
		keep(p.Messages)
	}
	for _, t := range req.Tools {
		schema, err := inputSchema(t.Schema)
		if err != nil {
			return p, &llm.Error{Kind: llm.BadRequest, Message: "schema of tool " + t.Name + ": " + err.Error(), Err: err}
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Doc), InputSchema: schema}})
	}
	if req.Schema != nil {
		if err := json.Unmarshal(req.Schema, &p.OutputConfig.Format.Schema); err != nil {
			return p, &llm.Error{Kind: llm.BadRequest, Message: "schema of the answer: " + err.Error(), Err: err}
		}
	}
	think(&p, info.ID, req.Effort)
	return p, nil
}

// early are the models that think by a budget of tokens and know no effort.
var early = pattern.Of(`^claude-(3|(opus|sonnet)-4-(0|1|2\d{7}))|^claude-(sonnet|haiku)-4-5`)

// budgets are what an effort means to an early model.
var budgets = map[string]int64{"medium": 4096, "high": 16384}

// think asks for effort in the form the model knows. Without effort the model's own default stays.
func think(p *sdk.MessageNewParams, id, effort string) {
	switch {
	case effort == "":
	case early().MatchString(id):
		if b := min(budgets[effort], p.MaxTokens/2); b >= 1024 {
			p.Thinking = sdk.ThinkingConfigParamOfEnabled(b)
		}
	default:
		p.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
		if !strings.HasPrefix(id, "claude-opus-4-5") {
			p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		}
	}
}

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
				if signature, ok := llm.SignedBy(maker, p.Signature); ok && p.Text != "" {
					rest = append(rest, sdk.NewThinkingBlock(signature, p.Text))
				} else if ok {
					rest = append(rest, sdk.NewRedactedThinkingBlock(signature))
				}
			case llm.Image:
				rest = append(rest, sdk.NewImageBlockBase64(p.MIME, base64.StdEncoding.EncodeToString(p.Data)))
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

// cleanID makes another vendor's call id one this protocol takes.
func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

// keep marks the end of the history as worth caching, since the next call of the session repeats it.
func keep(history []sdk.MessageParam) {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		last := history[i].Content[len(history[i].Content)-1]
		if c := last.GetCacheControl(); c != nil {
			*c = sdk.NewCacheControlEphemeralParam()
		}
		return
	}
}
