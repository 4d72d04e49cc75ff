package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// body is the request of a client: a Chat Completion, a Response, or the mixture that some editors send. Unknown
// fields are ignored: clients send many.
type body struct {
	Model        string          `json:"model"`
	Messages     json.RawMessage `json:"messages"`
	Input        json.RawMessage `json:"input"`
	Instructions string          `json:"instructions"`
	Previous     string          `json:"previous_response_id"`
	Stream       bool            `json:"stream"`
	Options      struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Store      *bool             `json:"store"`
	Most       int               `json:"max_tokens"`
	MostChat   int               `json:"max_completion_tokens"`
	MostOutput int               `json:"max_output_tokens"`
	N          int               `json:"n"`
	Tools      []json.RawMessage `json:"tools"`
	Choice     json.RawMessage   `json:"tool_choice"`
	Format     *format           `json:"response_format"`
	Text       struct {
		Format *format `json:"format"`
	} `json:"text"`
}

// format is the required format of the answer.
type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
	Chat   struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// item is a message of either protocol.
type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

// said is a message as text.
type said struct{ role, text string }

// request is a parsed body. It is changed while it is read and not afterwards, except for its warnings.
type request struct {
	panel
	model    string
	talk     []said // the instructions first
	most     int
	stream   bool
	usage    bool // report usage at the end of a stream
	keep     bool // the debate continues if its client leaves
	json     bool
	schema   json.RawMessage
	silent   string // the last message has no text: the type of what it has instead
	warnings []string
}

// invalid refuses a request that would fail again.
func invalid(format string, args ...any) error {
	return &api.Problem{Status: http.StatusBadRequest, Detail: fmt.Sprintf(format, args...)}
}

// unfit says what in a body cannot be read.
func unfit(raw []byte) error {
	s, err := jsonschema.For[body](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {}}})
	if err != nil {
		return err
	}
	if what, hint := door.Misfit(s, raw); what != "" {
		return invalid("the body is wrong: %s", strings.TrimSuffix(what+"; "+hint, "; "))
	}
	return invalid("the body is not a request")
}

// read parses a body into a request. stored is the protocol's default for keeping an answer. What cannot be honoured
// is refused if it would change the meaning (a required tool call, several answers), and ignored with a warning
// otherwise.
func (d *handler) read(r *http.Request, stored bool) (q request, err error) {
	var b body
	raw, err := io.ReadAll(r.Body)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return q, &api.Problem{Status: http.StatusRequestEntityTooLarge, Detail: guard.TooLong}
	}
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&b) != nil { // more after the object is ignored
		return q, unfit(raw)
	}
	if b.Model == "" {
		return q, invalid("model is missing; the default panel is " + usual + "; all: GET /v1/models")
	}
	e, err := d.find(b.Model)
	if err != nil {
		return q, err
	}
	q = request{panel: e.panel, model: b.Model, stream: b.Stream, usage: b.Options.Usage, keep: stored,
		most: cmp.Or(b.MostChat, b.MostOutput, b.Most)}
	if b.Store != nil {
		q.keep = *b.Store
	}
	switch {
	// Answers are not kept by id here: the whole conversation must come along.
	case b.Previous != "":
		return q, invalid("previous_response_id is not supported: send the whole conversation as input")
	case b.N > 1:
		return q, invalid("n is %d; a panel gives one answer", b.N)
	}
	if err := q.tools(b); err != nil {
		return q, err
	}
	if err := q.shape(cmp.Or(b.Format, b.Text.Format)); err != nil {
		return q, err
	}
	if b.Instructions != "" {
		q.talk = append(q.talk, said{"system", b.Instructions})
	}
	return q, cmp.Or(q.hear("messages", b.Messages), q.hear("input", b.Input))
}

// tools handles tools: agents always send them, and debates call none of theirs.
func (q *request) tools(b body) error {
	choice := string(bytes.TrimSpace(b.Choice))
	free := strings.Contains(choice, `"auto"`) || strings.Contains(choice, `"none"`)
	// A client that waits for a tool call would wait forever.
	if choice == `"required"` || strings.HasPrefix(choice, "{") && !free {
		return invalid("tool_choice demands a tool call; a panel answers in words")
	}
	if len(b.Tools) > 0 {
		q.warnings = append(q.warnings, fmt.Sprintf("tools are ignored (%d sent): a panel answers in words", len(b.Tools)))
	}
	return nil
}

// shape parses the required format. Only objects can be required, as with the vendors.
func (q *request) shape(f *format) error {
	if f == nil {
		return nil
	}
	switch f.Type {
	case "json_object":
		q.json = true
	case "json_schema":
		q.schema = f.Schema
		if len(f.Chat.Schema) > 0 {
			q.schema = f.Chat.Schema
		}
		var object struct{ Type string }
		if json.Unmarshal(q.schema, &object) != nil || object.Type != "object" {
			return invalid("the schema of the answer must have the type object")
		}
	}
	return nil
}

// hear adds messages, or a text that is one. of is their field.
func (q *request) hear(of string, raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		q.talk = append(q.talk, said{"user", text})
		return nil
	}
	var items []item
	if json.Unmarshal(raw, &items) != nil {
		return invalid("%s must be a text, or a list of messages with role and content", of)
	}
	for _, m := range items {
		text, left := wordsOf(m)
		if left != "" {
			q.warnings = append(q.warnings, "a part of the type "+left+" was left out: a panel reads text")
		}
		q.silent = ""
		if strings.TrimSpace(text) == "" {
			q.silent = cmp.Or(left, "without text")
		} else {
			q.talk = append(q.talk, said{cmp.Or(map[string]string{"developer": "system", "": "tool"}[m.Role], m.Role), text})
		}
	}
	return nil
}

// wordsOf returns the text of a message, and the type of a part without text. Results of tools have their text in
// output, everything else in content.
func wordsOf(m item) (text, left string) {
	for _, raw := range []json.RawMessage{m.Content, m.Output} {
		var whole string
		if json.Unmarshal(raw, &whole) == nil {
			text += whole
			continue
		}
		var parts []struct{ Type, Text string }
		if json.Unmarshal(raw, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if strings.HasSuffix(p.Type, "text") {
				text += p.Text + "\n"
			} else {
				left = p.Type
			}
		}
	}
	return text, left
}
