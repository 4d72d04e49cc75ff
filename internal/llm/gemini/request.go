package gemini

import (
	"encoding/json"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// body is the body of a request.
type body struct {
	Contents          []content  `json:"contents"`
	SystemInstruction *content   `json:"systemInstruction,omitempty"`
	Tools             []tool     `json:"tools,omitempty"`
	GenerationConfig  generation `json:"generationConfig,omitzero"`
}

// content is a message.
type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// part has one of its fields set, besides the marks of thoughts, which are text, and signatures.
type part struct {
	Text             string            `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`

	empty bool // its text is present and empty
}

// MarshalJSON writes an empty text where there was one.
func (p part) MarshalJSON() ([]byte, error) {
	type fields part
	if !p.empty {
		return json.Marshal(fields(p))
	}
	return json.Marshal(struct {
		Text string `json:"text"`
		fields
	}{"", fields(p)})
}

// blob is a picture or a PDF, in base64 on the wire.
type blob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// functionCall is a tool call.
type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// functionResponse is a result, under the key output or error.
type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

// tool is a list of functions; the protocol has one such list.
type tool struct {
	Functions []function `json:"functionDeclarations"`
}

// function is a tool as a request offers it.
type function struct {
	Name   string          `json:"name"`
	Doc    string          `json:"description,omitempty"`
	Schema json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

// generation holds the options of the answer.
type generation struct {
	MaxOutputTokens  int             `json:"maxOutputTokens,omitempty"`
	ResponseMIMEType string          `json:"responseMimeType,omitempty"`
	ResponseSchema   json.RawMessage `json:"responseJsonSchema,omitempty"`
	Thinking         thinking        `json:"thinkingConfig,omitzero"`
}

// thinking says how hard to think, by a budget or a level, and whether to show thoughts.
type thinking struct {
	IncludeThoughts bool   `json:"includeThoughts"`
	Budget          int    `json:"thinkingBudget,omitempty"`
	Level           string `json:"thinkingLevel,omitempty"`
}

// bodyOf converts a request to the protocol's form.
func bodyOf(id string, req llm.Request) body {
	b := body{Contents: contents(req.Messages), GenerationConfig: generation{MaxOutputTokens: req.MaxTokens,
		Thinking: thinkingOf(id, req.Effort)}}
	if req.System != "" {
		b.SystemInstruction = &content{"user", []part{{Text: req.System}}}
	}
	if req.Schema != nil {
		b.GenerationConfig.ResponseMIMEType, b.GenerationConfig.ResponseSchema = "application/json", accepted(req.Schema)
	}
	if len(req.Tools) > 0 {
		b.Tools = []tool{{}}
		for _, t := range req.Tools {
			b.Tools[0].Functions = append(b.Tools[0].Functions, function{t.Name, t.Doc, accepted(t.Schema)})
		}
	}
	return b
}

// budgets maps an effort to the token budget of the models before Gemini 3.
var budgets = map[string]int{"minimal": 512, "low": 1024, "medium": 8192, "high": 24576}

// shows matches the models that think, and summarize their thoughts if asked.
var shows = pattern.Of(`^(models/)?gemini-(2\.5|[3-9])`)

// thinkingOf sets the effort in the form that the model knows.
func thinkingOf(id, effort string) thinking {
	switch {
	case effort == "":
		return thinking{IncludeThoughts: shows().MatchString(id)}
	case strings.HasPrefix(strings.TrimPrefix(id, "models/"), "gemini-2"):
		return thinking{IncludeThoughts: true, Budget: budgets[effort]}
	}
	return thinking{IncludeThoughts: true, Level: strings.ToUpper(effort)}
}

// contents converts a history to the protocol's form.
func contents(history []llm.Message) []content {
	var out []content
	names := map[string]string{} // of calls, by id
	for _, m := range history {
		c := content{Role: "user"}
		if m.Role == llm.Assistant {
			c.Role = "model"
		}
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				if p.Text != "" {
					c.Parts = append(c.Parts, part{Text: p.Text, ThoughtSignature: signature(p.Signature)})
				}
			case llm.Attachment:
				c.Parts = append(c.Parts, part{InlineData: &blob{p.MIME, p.Data}})
			case llm.Think: // its text is a summary for people; a signature of its own came with an empty text
				if own := signature(p.Signature); own != "" {
					c.Parts = append(c.Parts, part{Text: p.Text, Thought: p.Text != "", ThoughtSignature: own, empty: p.Text == ""})
				}
			case llm.Call:
				names[p.ID] = p.Name
				c.Parts = append(c.Parts, part{FunctionCall: &functionCall{p.ID, p.Name, p.Args}, ThoughtSignature: signature(p.Signature)})
			case llm.Result:
				c.Parts = append(c.Parts, part{FunctionResponse: response(p, names[p.ID])})
			}
		}
		if len(c.Parts) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// forgetIDs removes the ids of calls and results.
func (b body) forgetIDs() {
	for _, c := range b.Contents {
		for _, p := range c.Parts {
			if p.FunctionCall != nil {
				p.FunctionCall.ID = ""
			}
			if p.FunctionResponse != nil {
				p.FunctionResponse.ID = ""
			}
		}
	}
}

// response returns the result of a call of that name; the result itself has the name if the call was cut off.
func response(r llm.Result, name string) *functionResponse {
	if name == "" {
		name = r.Name
	}
	key := "output"
	if r.Failed {
		key = "error"
	}
	return &functionResponse{r.ID, name, map[string]string{key: r.Text}}
}

// signature returns a signature if this protocol made it, else nothing.
func signature(tagged string) string {
	if own, ok := draft.SignedBy(maker, tagged); ok {
		return own
	}
	return ""
}
