// Package llm says what a model is: messages and parts that go in, deltas that come out, and what a call costs.
//
// It knows no vendor. Adapters live in its subfolders, beside what they share.
package llm

import (
	"encoding/json"
	"strings"
)

// Role says who wrote a message.
type Role string

// The roles of a history. A system prompt is Request.System, not a message; tool results are user messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a history: a role and its parts in order.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one piece of a message. The set is sealed: Text, Think, Image, Call, Result.
type Part interface{ part() }

// Text is plain prose or Markdown. Signature is opaque state that some vendors attach to what their model says and want back.
type Text struct{ Text, Signature string }

// Think is a model's reasoning. Signature is opaque to us and handed back to the vendor that made it.
type Think struct{ Text, Signature string }

// Image is a picture by value. MIME is for example "image/png".
type Image struct {
	MIME string
	Data []byte
}

// Call is a model's wish to use a tool. Args is the JSON object as the model wrote it.
type Call struct {
	ID, Name string
	Args     json.RawMessage
	// Signature is opaque state some vendors attach to a call and want back; empty for the others.
	Signature string
}

// Gist is the argument that says most of a call, on one line; empty: none does.
func (c Call) Gist() string {
	var args map[string]any
	if json.Unmarshal(c.Args, &args) != nil {
		return ""
	}
	for _, key := range []string{"command", "cmd", "path", "file_path", "pattern", "url", "query", "revision", "prompt"} {
		if s, ok := args[key].(string); ok && s != "" {
			const most = 200 // letters
			r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(s[:min(len(s), 4*most)], "")), " "))
			if len(r) > most {
				return string(r[:most-1]) + "…"
			}
			return string(r)
		}
	}
	return ""
}

// Result answers the Call with the same ID. Failed results are results too: the model may react to them.
type Result struct {
	ID, Name, Text string
	Failed         bool
}

func (Text) part()   {}
func (Think) part()  {}
func (Image) part()  {}
func (Call) part()   {}
func (Result) part() {}

// UserText is a user message of one text part.
func UserText(s string) Message { return Message{Role: User, Parts: []Part{Text{Text: s}}} }

// AssistantText is an assistant message of one text part.
func AssistantText(s string) Message { return Message{Role: Assistant, Parts: []Part{Text{Text: s}}} }

// Text joins the text parts of m with nothing between them.
func (m Message) Text() string {
	var out string
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok {
			out += t.Text
		}
	}
	return out
}

// Bytes is how much text m holds, signatures included; pictures are not counted.
func (m Message) Bytes() (n int) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case Text:
			n += len(p.Text) + len(p.Signature)
		case Think:
			n += len(p.Text) + len(p.Signature)
		case Call:
			n += len(p.Args) + len(p.Signature)
		case Result:
			n += len(p.Text)
		}
	}
	return n
}

// Calls returns the tool calls of m in order.
func (m Message) Calls() []Call {
	var out []Call
	for _, p := range m.Parts {
		if c, ok := p.(Call); ok {
			out = append(out, c)
		}
	}
	return out
}

// Spec describes a tool to a model. Schema is a JSON Schema of type object.
type Spec struct {
	Name, Doc string
	Schema    json.RawMessage
}
