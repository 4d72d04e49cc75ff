package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/socrates-cli/socrates/internal/llm"
)

func config(id string, req llm.Request) *genai.GenerateContentConfig {
	never := false
	c := &genai.GenerateContentConfig{MaxOutputTokens: int32(req.MaxTokens), AutomaticContinuation: &never}
	if req.System != "" {
		c.SystemInstruction = genai.NewContentFromText(req.System, "")
	}
	if req.Schema != nil {
		c.ResponseMIMEType, c.ResponseJsonSchema = "application/json", req.Schema
	}
	if req.Effort != "" {
		c.ThinkingConfig = thinking(id, req.Effort)
	}
	if len(req.Tools) > 0 {
		tool := new(genai.Tool)
		for _, t := range req.Tools {
			f := &genai.FunctionDeclaration{Name: t.Name, Description: t.Doc}
			if t.Schema != nil {
				f.ParametersJsonSchema = t.Schema
			}
			tool.FunctionDeclarations = append(tool.FunctionDeclarations, f)
		}
		c.Tools = []*genai.Tool{tool}
	}
	return c
}

// budgets are what an effort means to the models before Gemini 3, which think by a budget of tokens.
var budgets = map[string]int32{"low": 1024, "medium": 8192, "high": 24576}

func thinking(id, effort string) *genai.ThinkingConfig {
	t := &genai.ThinkingConfig{IncludeThoughts: true}
	if b := budgets[effort]; strings.HasPrefix(id, "gemini-2") {
		t.ThinkingBudget = &b
	} else {
		t.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(effort))
	}
	return t
}

func contents(history []llm.Message) []*genai.Content {
	var out []*genai.Content
	names := map[string]string{} // of calls, by id
	for _, m := range history {
		role := genai.RoleUser
		if m.Role == llm.Assistant {
			role = genai.RoleModel
		}
		c := &genai.Content{Role: role}
		for _, p := range m.Parts {
			if call, ok := p.(llm.Call); ok {
				names[call.ID] = call.Name
			}
			if think, ok := p.(llm.Think); ok { // its text is a summary for people; its signature is the text's before it
				if n := len(c.Parts) - 1; n >= 0 && c.Parts[n].Text != "" {
					c.Parts[n].ThoughtSignature = signature(think.Signature)
				}
			} else if part := part(p, names); part != nil {
				c.Parts = append(c.Parts, part)
			}
		}
		if len(c.Parts) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// part is nil for what the protocol does not take back.
func part(p llm.Part, names map[string]string) *genai.Part {
	switch p := p.(type) {
	case llm.Text:
		if p.Text != "" {
			return &genai.Part{Text: p.Text}
		}
	case llm.Image:
		return &genai.Part{InlineData: &genai.Blob{MIMEType: p.MIME, Data: p.Data}}
	case llm.Call:
		out := &genai.Part{FunctionCall: &genai.FunctionCall{ID: p.ID, Name: p.Name}, ThoughtSignature: signature(p.Signature)}
		json.Unmarshal(p.Args, &out.FunctionCall.Args) // an object, as Draft.Call sees to
		return out
	case llm.Result:
		name, key := names[p.ID], "output"
		if name == "" {
			name = p.Name
		}
		if p.Failed {
			key = "error"
		}
		return &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: p.ID, Name: name, Response: map[string]any{key: p.Text}}}
	}
	return nil
}

// signature is nil unless this protocol made it.
func signature(tagged string) []byte {
	encoded, _ := llm.SignedBy(maker, tagged)
	raw, _ := base64.StdEncoding.DecodeString(encoded)
	return raw
}
