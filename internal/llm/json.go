package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// wirePart is a part on disk: one object with a type. Old records are read forever: fields may be added, none
// removed.
type wirePart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Signature string          `json:"signature,omitempty"`
	MIME      string          `json:"mime,omitempty"`
	Data      []byte          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Wrote     string          `json:"wrote,omitempty"` // how the model wrote Args, where JSON writes them otherwise
	Failed    bool            `json:"failed,omitempty"`
	Blob      string          `json:"blob,omitempty"`
	Size      int             `json:"size,omitempty"`
}

// wireMessage is a message on disk.
type wireMessage struct {
	Role  Role       `json:"role"`
	Parts []wirePart `json:"parts"`
}

// MarshalJSON writes the message with a type on every part.
func (m Message) MarshalJSON() ([]byte, error) {
	w := wireMessage{Role: m.Role, Parts: make([]wirePart, len(m.Parts))}
	for i, p := range m.Parts {
		switch p := p.(type) {
		case Text:
			w.Parts[i] = wirePart{Type: "text", Text: p.Text, Signature: p.Signature}
		case Think:
			w.Parts[i] = wirePart{Type: "think", Text: p.Text, Signature: p.Signature}
		case Attachment:
			kind := "image"
			if p.MIME == PDF || p.Blob != "" { // older programs must not read it as a picture, or an empty one
				kind = "file"
			}
			w.Parts[i] = wirePart{Type: kind, MIME: p.MIME, Data: p.Data, Name: p.Name, Blob: p.Blob, Size: p.Size}
		case Call:
			args, wrote := p.Args, ""
			if !json.Valid(args) {
				args, _ = json.Marshal(string(p.Args))
			} else if plain, _ := json.Marshal(args); !bytes.Equal(plain, args) { // it goes back to the vendor byte for byte
				wrote = string(args)
			}
			w.Parts[i] = wirePart{Type: "call", ID: p.ID, Name: p.Name, Args: args, Wrote: wrote, Signature: p.Signature}
		case Result:
			w.Parts[i] = wirePart{Type: "result", ID: p.ID, Name: p.Name, Text: p.Text, Failed: p.Failed}
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote. A part of an unknown type is an error.
func (m *Message) UnmarshalJSON(raw []byte) error {
	var w wireMessage
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	m.Role, m.Parts = w.Role, make([]Part, len(w.Parts))
	for i, p := range w.Parts {
		switch p.Type {
		case "text":
			m.Parts[i] = Text{p.Text, p.Signature}
		case "think":
			m.Parts[i] = Think{p.Text, p.Signature}
		case "image", "file":
			m.Parts[i] = Attachment{p.MIME, p.Data, p.Name, p.Blob, p.Size}
		case "call":
			if json.Valid([]byte(p.Wrote)) {
				p.Args = json.RawMessage(p.Wrote)
			}
			m.Parts[i] = Call{p.ID, p.Name, p.Args, p.Signature}
		case "result":
			m.Parts[i] = Result{p.ID, p.Name, p.Text, p.Failed}
		default:
			return fmt.Errorf("message part of unknown type %q", p.Type)
		}
	}
	return nil
}
