package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tool"
)

// asker puts a question to the person.
type asker func(ctx context.Context, q tool.Question) (string, error)

// mostFields bounds what a person can be made to go through.
const mostFields = 10 // that one question of a server may have

// while lets the server ask the person for as long as one of its tools runs; what it returns ends that.
func (c *Session) while(ask asker) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
	if ask != nil {
		c.ask = ask
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running--; c.running == 0 {
			c.ask = nil
		}
	}
}

// elicit answers a server that asks for something while one of its tools runs: the person is asked field by field,
// and told which server asks. Where nobody can be asked, for pages to be opened, and for nested forms, it is
// declined. An answer that a required field cannot have declines all of it.
func (c *Session) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	c.mu.Lock()
	ask := c.ask
	c.mu.Unlock()
	declined := &sdk.ElicitResult{Action: "decline"}
	fields, needed, ok := fieldsOf(req.Params.RequestedSchema)
	if ask == nil || req.Params.URL != "" || !ok {
		return declined, nil
	}
	head := fmt.Sprintf("The MCP server %s asks: %s", c.server.Name, bounded(clean.Text(req.Params.Message), 2000))
	content := map[string]any{}
	if len(fields) == 0 {
		answer, err := ask(ctx, tool.Question{Text: head, Options: []string{"yes", "no"}})
		if err != nil || answer != "yes" {
			return declined, nil
		}
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		answer, err := ask(ctx, f.question(head, name))
		if err != nil {
			return declined, nil
		}
		value, given := f.value(strings.TrimSpace(answer))
		if !given && slices.Contains(needed, name) {
			return declined, nil
		}
		if given {
			content[name] = value
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// field is one value a server asks for.
type field struct {
	Type, Title, Description string
	Enum                     []string
}

// fieldsOf are the fields of a schema: flat, and few; ok is false of another.
func fieldsOf(schema any) (fields map[string]field, needed []string, ok bool) {
	if schema == nil {
		return nil, nil, true
	}
	raw, err := json.Marshal(schema)
	var said struct {
		Properties map[string]field
		Required   []string
	}
	if err != nil || json.Unmarshal(raw, &said) != nil || len(said.Properties) > mostFields {
		return nil, nil, false
	}
	for _, f := range said.Properties {
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, f.Type) {
			return nil, nil, false
		}
	}
	return said.Properties, said.Required, true
}

// none is the answer that leaves a field out.
const none = "(decline)"

// question is how a person is asked for a field. Up to eight values are offered to choose from.
func (f field) question(head, name string) tool.Question {
	label := clean.Line(name)
	if f.Title != "" {
		label = clean.Line(f.Title)
	}
	q := tool.Question{Text: head + "\n" + label}
	if f.Description != "" {
		q.Text += ": " + bounded(clean.Line(f.Description), 500)
	}
	switch {
	case f.Type == "boolean":
		q.Options = []string{"yes", "no", none}
	case len(f.Enum) > 0 && len(f.Enum) <= 8:
		for _, e := range f.Enum {
			q.Options = append(q.Options, clean.Line(e))
		}
		q.Options = append(q.Options, none)
	}
	return q
}

// value is an answer as the field's type; given is false of none.
func (f field) value(answer string) (value any, given bool) {
	if answer == "" || answer == none {
		return nil, false
	}
	switch {
	case f.Type == "boolean":
		return answer == "yes", answer == "yes" || answer == "no"
	case f.Type == "integer":
		n, err := strconv.ParseInt(answer, 10, 64)
		return n, err == nil
	case f.Type == "number":
		n, err := strconv.ParseFloat(answer, 64)
		return n, err == nil
	case len(f.Enum) > 0:
		at := slices.IndexFunc(f.Enum, func(e string) bool { return clean.Line(e) == answer })
		if at < 0 {
			return nil, false
		}
		return f.Enum[at], true
	}
	return answer, true
}
