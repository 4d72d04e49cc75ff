package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tool"
)

// mostListed bounds what a server can make us keep and a model read.
const mostListed = 200 // resources or prompts of one server

// Resource is something a server offers to be read.
type Resource struct {
	URI  string `json:"uri"` // of a template: with {names} to be filled in
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
}

// Prompt is a text a server offers, with what it wants to be told.
type Prompt struct {
	Name string   `json:"name"`
	Doc  string   `json:"doc,omitempty"`
	Args []string `json:"args,omitempty"`
	need int      // how many of Args it must be told
}

// can is what the server says that it can do.
func (c *Session) can() *sdk.ServerCapabilities {
	if r := c.client.InitializeResult(); r != nil && r.Capabilities != nil {
		return r.Capabilities
	}
	return &sdk.ServerCapabilities{}
}

// listed is what a server lists, without nulls.
func listed[T any](all iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for one, err := range all {
			if (one != nil || err != nil) && !yield(one, err) {
				return
			}
		}
	}
}

// present are the elements of a server's list that are not null.
func present[T any](all []*T) []*T {
	return slices.DeleteFunc(all, func(one *T) bool { return one == nil })
}

// Resources are those the server offers, and its templates; none of a server without any. A server that lists more
// than two hundred has the rest left out, without an error.
func (c *Session) Resources(ctx context.Context) (all []Resource, err error) {
	ctx, cancel := context.WithTimeout(ctx, initial)
	defer cancel()
	if c.can().Resources == nil {
		return nil, nil
	}
	for r, err := range listed(c.client.Resources(ctx, nil)) {
		if err != nil {
			return nil, c.failed("resources", err)
		}
		if len(all) < mostListed {
			all = append(all, Resource{clean.Line(r.URI), clean.Line(r.Name), bounded(clean.Line(r.Description), 300)})
		}
	}
	for r, err := range listed(c.client.ResourceTemplates(ctx, nil)) {
		if err != nil { // a server with resources need not have templates
			break
		}
		if len(all) < mostListed {
			all = append(all, Resource{clean.Line(r.URITemplate), clean.Line(r.Name), bounded(clean.Line(r.Description), 300)})
		}
	}
	return all, nil
}

// Read is what a resource holds. It is data from outside.
func (c *Session) Read(ctx context.Context, uri string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	res, err := c.client.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return Answer{}, c.failed("resource "+clean.Line(uri), err)
	}
	content := &sdk.CallToolResult{}
	for _, r := range present(res.Contents) {
		content.Content = append(content.Content, &sdk.EmbeddedResource{Resource: r})
	}
	return read(c.server.Name, "resources", content), nil
}

// failed is an error about something of a server's.
func (c *Session) failed(what string, err error) error {
	return fmt.Errorf("the MCP server %s, %s: %w", c.server.Name, what, plainly(err))
}

// resourceArgs is a resource; empty: all are to be listed.
type resourceArgs struct {
	URI string `json:"uri"`
}

// resources is the tool by which a model lists and reads a server's resources; nil: it has none. It is asked about
// like any tool of the server, and has the effect of one.
func (c *Session) resources() *tool.Tool {
	if c.can().Resources == nil {
		return nil
	}
	name, effect := ToolName(c.server.Name, "resources"), c.effect()
	doc := "Reads a resource of the MCP server " + c.server.Name + " by its uri; without one, lists them."
	schema := json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string"}},"additionalProperties":false}`)
	return &tool.Tool{Spec: llm.Spec{Name: name, Doc: doc, Schema: schema}, Effect: effect,
		Run: func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
			var said resourceArgs
			if err := json.Unmarshal(args, &said); len(args) > 0 && err != nil {
				return tool.Output{}, errors.New("arguments: uri must be text")
			}
			act, err := c.act(name, effect, "resources", args)
			if err == nil {
				err = env.May(ctx, act)
			}
			if err != nil {
				return tool.Output{}, err
			}
			defer c.while(env.Ask)()
			if said.URI != "" {
				a, err := c.Read(ctx, said.URI)
				show := fmt.Sprintf("%s: %d bytes", clean.Line(said.URI), len(a.Bare))
				return tool.Output{Text: a.Text, Show: show, Images: a.Images}, err
			}
			all, err := c.Resources(ctx)
			var b strings.Builder
			for _, r := range all {
				fmt.Fprintf(&b, "%s  %s  %s\n", r.URI, r.Name, r.Doc)
			}
			return tool.Output{Text: outside(c.server.Name, "resources", b.String()), Show: fmt.Sprintf("%d resources", len(all))}, err
		}}
}

// Prompts are those the server offers; none of a server without any.
func (c *Session) Prompts(ctx context.Context) (all []Prompt, err error) {
	ctx, cancel := context.WithTimeout(ctx, initial)
	defer cancel()
	if c.can().Prompts == nil {
		return nil, nil
	}
	for p, err := range listed(c.client.Prompts(ctx, nil)) {
		if err != nil {
			return nil, c.failed("prompts", err)
		}
		if len(all) == mostListed {
			break
		}
		one := Prompt{Name: p.Name, Doc: bounded(clean.Line(p.Description), 300)}
		for _, required := range []bool{true, false} { // those it needs first
			for _, a := range present(p.Arguments) {
				if a.Required == required {
					one.Args = append(one.Args, a.Name)
				}
			}
			if required {
				one.need = len(one.Args)
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// prompt is the text of a prompt. What was typed are its arguments, in order: the last one takes all that is left, and NAME=VALUE
// names one.
func (c *Session) prompt(ctx context.Context, name, typed string) (string, error) {
	all, err := c.Prompts(ctx)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(all, func(p Prompt) bool { return p.Name == name })
	if at < 0 {
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
		}
		return "", fmt.Errorf("the MCP server %s has no prompt %s; its prompts: %s", c.server.Name, clean.Line(name),
			clean.Line(strings.Join(names, ", ")))
	}
	args, err := all[at].fill(typed)
	if err != nil {
		return "", fmt.Errorf("/mcp:%s:%s %w", c.server.Name, clean.Line(name), err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	res, err := c.client.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return "", c.failed("prompt "+clean.Line(name), err)
	}
	var parts []string
	for _, m := range present(res.Messages) {
		a := read(c.server.Name, name, &sdk.CallToolResult{Content: []sdk.Content{m.Content}})
		if text := strings.TrimSpace(a.Bare); m.Role == "assistant" {
			parts = append(parts, "(You said: "+text+")")
		} else {
			parts = append(parts, text)
		}
	}
	text := bounded(strings.Join(parts, "\n\n"), mostText)
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("the prompt %s of the MCP server %s is empty", clean.Line(name), c.server.Name)
	}
	return text, nil
}

// fill gives a prompt its arguments. It fails if one that is needed is missing, or if more was typed than there is
// room for.
func (p Prompt) fill(typed string) (map[string]string, error) {
	args, rest := map[string]string{}, strings.TrimSpace(typed)
	for i := 0; rest != "" && len(p.Args) > 0; {
		word, after, _ := strings.Cut(rest, " ")
		if name, value, ok := strings.Cut(word, "="); ok && slices.Contains(p.Args, name) {
			args[name], rest = value, strings.TrimSpace(after)
			continue
		}
		for i < len(p.Args) && args[p.Args[i]] != "" {
			i++
		}
		if i == len(p.Args) {
			return nil, fmt.Errorf("takes at most %d arguments: %s", len(p.Args), clean.Line(strings.Join(p.Args, ", ")))
		}
		if i == len(p.Args)-1 {
			word, after = rest, ""
		}
		args[p.Args[i]], rest = word, strings.TrimSpace(after)
	}
	for _, name := range p.Args[:p.need] {
		if args[name] == "" {
			return nil, fmt.Errorf("needs %s", clean.Line(strings.Join(p.Args[:p.need], ", ")))
		}
	}
	return args, nil
}

// Prompts are those of all servers, under the names by which they are typed: mcp:SERVER:PROMPT. They are listed once; a server that
// cannot list its own has none.
func (s *Set) Prompts(ctx context.Context) []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompts == nil {
		s.prompts = []Prompt{}
		for _, c := range s.sessions {
			all, err := c.Prompts(ctx)
			if err != nil {
				continue
			}
			for _, p := range all {
				if p.Name = "mcp:" + c.server.Name + ":" + p.Name; clean.Line(p.Name) == p.Name && !strings.Contains(p.Name, " ") {
					s.prompts = append(s.prompts, p)
				}
			}
		}
	}
	return s.prompts
}

// Form is what follows the name of a prompt where it is typed: what it must be told, and in brackets what it may be.
func (p Prompt) Form() string {
	words := make([]string, len(p.Args))
	for i, a := range p.Args {
		if words[i] = "<" + clean.Line(a) + ">"; i >= p.need {
			words[i] = "[" + clean.Line(a) + "]"
		}
	}
	return strings.Join(words, " ")
}

// Prompt is the text of a prompt that is called as /mcp:SERVER:PROMPT and what was typed after it.
func (s *Set) Prompt(ctx context.Context, line string) (string, error) {
	head, typed, _ := strings.Cut(strings.TrimPrefix(line, "/mcp:"), " ")
	server, name, _ := strings.Cut(head, ":")
	var names []string
	for _, c := range s.sessions {
		if c.server.Name == server {
			return c.prompt(ctx, name, typed)
		}
		names = append(names, c.server.Name)
	}
	return "", fmt.Errorf("no MCP server %s is connected; connected: %s", clean.Line(server), strings.Join(names, ", "))
}
