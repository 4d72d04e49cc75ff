package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// elicit answers a server that asks for something while one of its tools runs, as revision 2026-07-28 of the protocol has it (read in
// November 2026): the person is asked field by field, or shown the page to open, and told which server asks. Where
// nobody can be asked, and for nested forms, it is declined. An answer that a required field cannot have declines all of
// it.
func (c *Session) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	c.mu.Lock()
	ask := c.ask
	c.mu.Unlock()
	declined := &sdk.ElicitResult{Action: "decline"}
	if ask != nil && req.Params.Mode == "url" {
		if c.visits(ctx, ask, req.Params) {
			return &sdk.ElicitResult{Action: "accept"}, nil
		}
		return declined, nil
	}
	fields, needed, ok := fieldsOf(req.Params.RequestedSchema)
	if ask == nil || !ok {
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
		if !given && f.Default != nil && answer != none {
			value, given = f.Default, true
		}
		if !given && slices.Contains(needed, name) {
			return declined, nil
		}
		if given {
			content[name] = value
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// visits shows a person a page that a server wants opened, and says whether they did. They open it themselves: nothing here fetches it,
// and what they type there is between them and that page. Only pages over https are shown, and on this machine others.
func (c *Session) visits(ctx context.Context, ask asker, p *sdk.ElicitParams) bool {
	u, err := url.Parse(p.URL)
	if err != nil || len(p.URL) > 2000 || clean.Line(p.URL) != p.URL || u.User != nil || u.Host == "" ||
		u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return false
	}
	text := fmt.Sprintf("The MCP server %s asks you to open a page of %s in your browser: %s\n%s", c.server.Name, u.Host,
		bounded(clean.Text(p.Message), 2000), p.URL)
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r > '~' }) || strings.Contains(u.Host, "xn--") {
		text += "\nThe site's name contains letters of other scripts: it may only look like one you know."
	}
	answer, err := ask(ctx, tool.Question{Text: text, Options: []string{opened, none}})
	return err == nil && answer == opened
}

// opened is the answer of a person who opened a page, and is done there.
const opened = "continue (I opened it and am done)"

// sent has a person open the pages without which a server refuses a call, and says whether they did: the call is then made again. That
// form of asking is of revision 2025-11-25.
func (c *Session) sent(ctx context.Context, refused error) bool {
	c.mu.Lock()
	ask := c.ask
	c.mu.Unlock()
	e, ok := errors.AsType[*jsonrpc.Error](refused)
	var said struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if !ok || e.Code != sdk.CodeURLElicitationRequired || ask == nil || json.Unmarshal(e.Data, &said) != nil ||
		len(said.Elicitations) == 0 || len(said.Elicitations) > mostFields {
		return false
	}
	return !slices.ContainsFunc(present(said.Elicitations), func(p *sdk.ElicitParams) bool { return !c.visits(ctx, ask, p) })
}

// field is one value a server asks for, or of an array, several of a list.
type field struct {
	Type, Title, Description string
	Enum                     []string
	OneOf, AnyOf             []titled
	Items                    *field
	Default                  any
}

// titled is a value with what people call it.
type titled struct{ Const, Title string }

// choices are the values a field may have, and what each is called.
func (f field) choices() (values, names []string) {
	if f.Items != nil {
		return f.Items.choices()
	}
	for _, e := range f.Enum {
		values, names = append(values, e), append(names, clean.Line(e))
	}
	for _, one := range append(f.OneOf, f.AnyOf...) {
		values, names = append(values, one.Const), append(names, clean.Line(cmp.Or(one.Title, one.Const)))
	}
	return values, names
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
		values, _ := f.choices()
		several := f.Type == "array" && len(values) > 0 // of a list: other arrays are nested
		if !several && !slices.Contains([]string{"string", "number", "integer", "boolean"}, f.Type) {
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
	_, names := f.choices()
	switch {
	case f.Type == "boolean":
		q.Options = []string{"yes", "no", none}
	case f.Type == "array":
		q.Text += "\nAny of these, separated by commas: " + bounded(strings.Join(names, ", "), 1000)
	case len(names) > 0 && len(names) <= 8:
		q.Options = append(names, none)
	}
	if f.Default != nil {
		q.Text += fmt.Sprintf(" (default: %s)", bounded(clean.Line(fmt.Sprint(f.Default)), 200))
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
	}
	values, names := f.choices()
	if len(values) == 0 {
		return answer, true
	}
	var chosen []string
	for word := range strings.SplitSeq(answer, ",") {
		if f.Type != "array" {
			word = answer
		}
		at := slices.Index(names, strings.TrimSpace(word))
		if at < 0 {
			return nil, false
		}
		chosen = append(chosen, values[at])
	}
	if f.Type != "array" {
		return chosen[0], true
	}
	return chosen, true
}
