// Package llm says what a model is: messages and parts that go in, deltas that come out, and what a call costs.
//
// It knows no vendor. Adapters live in its subfolders, beside what they share. Whatever answers is a [Model]: an API
// over one of four protocols (anthropic, openai, gemini, and the clouds bedrock and vertex that carry them), another
// vendor's program (cli), a file (script), or rules (rehearsal, simulated). A call is a [Request]; its answer is a
// sequence of [Delta], of which the last is an [End] or an error. Deltas are for whoever watches; End.Message is the
// answer, and what must be handed back next time.
//
// Contracts every adapter keeps, and the exam in package llmtest checks:
//
//   - A stream ends with exactly one End, or exactly one error, and nothing follows. An error is a *trouble.Error, or the context's.
//   - Breaking off the loop cancels the call. No goroutine, process or connection is left that is not kept
//     for the session on purpose.
//   - An answer that was cut off is never taken for a whole one: StopLength says so, or it is an error.
//   - Tool calls are whole when they come, and their arguments a JSON object, or {"unparsed": …}.
//   - Thinking and signatures are opaque and go back to the vendor that made them, and to no other (draft.Signed).
//   - Usage counts what the vendor counted, without what came from its cache in Input. What is unknown stays unknown.
//   - No error text holds a key.
//
// A history must alternate as vendors want it: a user message last, results right after the calls they answer.
// Adapters repair only what is theirs (ids, empty parts), not the order.
//
// What wraps a model: retry.Guard makes calls again, pace.Model keeps limits per minute, meter counts what a call
// took however it ended. Each takes and returns a Model.
package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Role says who wrote a message.
type Role string

// The roles of a history. A system prompt is Request.System, not a message; tool results are user messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a history: a role and its parts in order. It is treated as immutable once it is part of a
// history.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one piece of a message. The set is sealed: Text, Think, Attachment, Call, Result.
type Part interface{ part() }

// Text is plain prose or Markdown. Signature is opaque state that some vendors attach to what their model says and want back.
type Text struct{ Text, Signature string }

// Think is a model's reasoning. Signature is opaque to us and handed back to the vendor that made it.
type Think struct{ Text, Signature string }

// PDF is the media type of the one kind of document that vendors read; every other Attachment is a picture.
const PDF = "application/pdf"

// Attachment is a picture or a PDF. A request has it by value; a record may instead name the stored text that
// contains Data in base64.
type Attachment struct {
	MIME string
	Data []byte `json:",omitempty"`
	Name string `json:",omitempty"` // of the file; empty: unknown
	Blob string `json:",omitempty"` // the hash of that text; empty: Data is all there is
	Size int    `json:",omitempty"` // the length of the Data behind Blob
}

// Bytes returns its size.
func (a Attachment) Bytes() int { return max(a.Size, len(a.Data)) }

// Label names it on one line, for people and for models that cannot see it.
func (a Attachment) Label() string {
	what := "picture"
	if a.MIME == PDF {
		what = "PDF"
	}
	label := fmt.Sprintf("%s, %d KB", a.MIME, (a.Bytes()+1023)>>10)
	if a.MIME == PDF {
		label = fmt.Sprintf("%d KB", (a.Bytes()+1023)>>10)
	}
	if a.Name != "" {
		label = a.Name + ", " + label
	}
	return "[" + what + ": " + label + "]"
}

// estimate returns what it counts for in bytes of text: vendors charge a picture by its area, at most some 1,600
// tokens once it is scaled, and a PDF by its pages, as text and picture.
func (a Attachment) estimate() int {
	const picture, perPDF, mostPDF = 4800, 10, 750_000
	if a.MIME == PDF {
		return min(max(a.Bytes()/perPDF, 2*picture), mostPDF)
	}
	return picture
}

// Call is a model's request to use a tool. Args is the JSON object as the model wrote it, byte for byte. ID is the
// vendor's, unique within an answer.
type Call struct {
	ID, Name string
	Args     json.RawMessage
	// Signature is opaque state that some vendors attach to a call and want back; empty for the others.
	Signature string
}

// Gist returns the argument that says most about a call, on one line; empty if none does.
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

func (Text) part()       {}
func (Think) part()      {}
func (Attachment) part() {}
func (Call) part()       {}
func (Result) part()     {}

// UserText returns a user message of one text part.
func UserText(s string) Message { return Message{Role: User, Parts: []Part{Text{Text: s}}} }

// AssistantText returns an assistant message of one text part.
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

// Thought returns the reasoning of m in words, as far as its vendor shows it.
func (m Message) Thought() string {
	var all []string
	for _, p := range m.Parts {
		if t, ok := p.(Think); ok && strings.TrimSpace(t.Text) != "" {
			all = append(all, strings.TrimSpace(t.Text))
		}
	}
	return strings.Join(all, "\n\n")
}

// Bytes returns how much text m contains, signatures included; attachments count as estimated.
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
		case Attachment:
			n += p.estimate()
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
