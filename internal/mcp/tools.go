package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Bounds on what an offer adds to each request to a model.
const (
	mostDoc    = 4 << 10  // bytes of a description
	mostSchema = 64 << 10 // bytes of a schema
	mostName   = 64       // letters of a name; vendors take no more
)

// Set is the servers of one session. Tools and Warnings are fixed once it is open. Close it when the conversation
// ends.
type Set struct {
	Tools    []tool.Tool
	Warnings []string
	sessions []*Session

	mu      sync.Mutex
	prompts []Prompt // nil: not listed yet
}

// Open connects to all servers at once. One that fails, and a tool that may not be used, is a warning.
func Open(ctx context.Context, servers []Server, o Options) *Set {
	sessions, errs := make([]*Session, len(servers)), make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { sessions[i], errs[i] = Connect(ctx, s, o) })
	}
	all.Wait()
	set := &Set{}
	taken := slices.Clone(o.Taken)
	for i, c := range sessions {
		if errs[i] != nil {
			set.Warnings = append(set.Warnings, errs[i].Error())
			continue
		}
		set.sessions = append(set.sessions, c)
		tools, warnings := c.tools(o, &taken)
		set.Tools, set.Warnings = append(set.Tools, tools...), append(set.Warnings, warnings...)
	}
	return set
}

// Close ends all sessions, at once.
func (s *Set) Close() error {
	var all sync.WaitGroup
	for _, c := range s.sessions {
		all.Go(c.Close)
	}
	all.Wait()
	return nil
}

// tools are the offers that may be used.
func (c *Session) tools(o Options, taken *[]string) (tools []tool.Tool, warnings []string) {
	verdicts := make([]error, len(c.Offers))
	if o.Vet != nil {
		verdicts = o.Vet(c.server, c.Offers)
	}
	for i, offer := range c.Offers {
		t, err := c.tool(offer)
		switch {
		case verdicts[i] != nil:
			err = verdicts[i]
		case err == nil && slices.Contains(*taken, t.Name):
			err = fmt.Errorf("another tool is already named %s", t.Name)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the tool %s of the MCP server %s is left out: %v", clean.Line(offer.Name),
				c.server.Name, err))
			continue
		}
		*taken = append(*taken, t.Name)
		tools = append(tools, t)
	}
	if t := c.resources(); t != nil && !slices.Contains(*taken, t.Name) {
		*taken, tools = append(*taken, t.Name), append(tools, *t)
	}
	return tools, warnings
}

// unfit are signs that names of tools cannot have with every vendor.
var unfit = pattern.Of(`[^A-Za-z0-9_-]`)

// ToolName is the name a model knows a server's tool by.
func ToolName(server, name string) string {
	return "mcp__" + unfit().ReplaceAllString(server, "_") + "__" + unfit().ReplaceAllString(name, "_")
}

// tool makes a tool of an offer.
func (c *Session) tool(o Offer) (tool.Tool, error) {
	name := ToolName(c.server.Name, o.Name)
	schema, err := tidy(o.Schema)
	switch {
	case err != nil:
		return tool.Tool{}, err
	case o.Name == "" || len(name) > mostName:
		return tool.Tool{}, fmt.Errorf("its name is empty or longer than models allow (%d characters)", mostName)
	}
	doc := "Of the MCP server " + c.server.Name + ": " + bounded(strings.TrimSpace(clean.Text(o.Description)), mostDoc)
	effect := c.effect()
	return tool.Tool{Spec: llm.Spec{Name: name, Doc: doc, Schema: schema}, Effect: effect,
		Run: func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
			act, err := c.act(name, effect, o.Name, args)
			if err != nil {
				return tool.Output{}, err
			}
			if err := env.May(ctx, act); err != nil {
				return tool.Output{}, err
			}
			defer c.while(env.Ask)()
			a, err := c.Call(ctx, o.Name, args)
			if err == nil && a.Failed {
				err = errors.New(a.Text)
			}
			if err != nil {
				return tool.Output{}, err
			}
			return tool.Output{Text: a.Text, Show: fmt.Sprintf("%s: %d bytes", o.Name, len(a.Bare)), Images: a.Images}, nil
		}}, nil
}

// effect is what a call may do: what a server elsewhere is asked is sent.
func (c *Session) effect() tool.Effect {
	if c.program == nil && !c.server.Local {
		return tool.Sends
	}
	return tool.Runs
}

// act is what a call is about to do, with all its arguments.
func (c *Session) act(name string, effect tool.Effect, offer string, args json.RawMessage) (tool.Act, error) {
	var flat, pretty bytes.Buffer
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := errors.Join(json.Compact(&flat, args), json.Indent(&pretty, args, "", "  ")); err != nil || flat.Bytes()[0] != '{' {
		return tool.Act{}, fmt.Errorf("arguments of %s: they must be a JSON object", name)
	}
	act := tool.Act{Effect: effect, Text: clean.Reveal(fmt.Sprintf("%s of the MCP server %s (%s)\n%s", offer, c.server.Name,
		c.server.Says(), &pretty))}
	act.Argv, act.Dir, act.Local = []string{name, flat.String()}, c.server.Dir, c.server.Local
	if effect == tool.Sends {
		act.URL = c.server.URL
	}
	return act, nil
}

// tidy is a schema for a model: an object's, bounded, its texts clean.
func tidy(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > mostSchema {
		return nil, fmt.Errorf("its schema is larger than %d KiB", mostSchema>>10)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil || schema["type"] != "object" {
		return nil, errors.New("it is not the schema of an object")
	}
	return json.Marshal(cleaned(schema))
}

// cleaned is a JSON value whose texts, also the names of its fields, are clean. It may change v.
func cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return clean.Text(v)
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[clean.Line(k)] = cleaned(e)
		}
		return out
	}
	return v
}
