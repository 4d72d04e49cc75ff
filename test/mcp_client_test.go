package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// agentsKey is where a script keeps the MCP clients it opened, by name.
type agentsKey struct{}

// agent is an MCP client of the real program over pipes, with the program it started.
type agent struct {
	*sdk.ClientSession
	cmd    *exec.Cmd   // nil: it came over HTTP
	notes  chan string // of progress
	choice string      // what its person answers to a form; empty: it declines
}

// agents drives MCP clients of `socrates mcp serve`:
//
//	mcp open NAME [--choose KEY] [--old] [FLAGS...]   starts a server, as an agent does; --choose: its person answers forms
//	mcp open NAME [--choose KEY] [--old] --at SERVER FILE   is one of an HTTP server that the script started, with the token in a file
//	mcp call NAME TOOL JSON                           calls a tool; its text goes to stdout, its object to stderr
//	mcp fail NAME TOOL JSON                           calls a tool that must report an error
//	mcp drop NAME TOOL JSON                           calls a tool and cancels once the first progress came
//	mcp read NAME URI, mcp prompt NAME PROMPT JSON, mcp tools NAME
//	mcp complete NAME PROMPT|URI ARGUMENT BEGINNING   what completes an argument goes to stderr
//	mcp kill NAME                                     kills the server
func agents(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mcp VERB NAME …")
	}
	all, _ := ts.Value(agentsKey{}).(map[string]*agent)
	verb, name, rest := args[0], args[1], args[2:]
	if verb == "open" {
		all[name] = openAgent(ts, rest)
		return
	}
	a := all[name]
	if a == nil {
		ts.Fatalf("no MCP client named %s is open", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	switch verb {
	case "call", "fail":
		a.call(ctx, ts, verb == "fail", rest[0], rest[1])
	case "drop":
		a.drop(ctx, ts, rest[0], rest[1])
	case "kill":
		ts.Check(a.cmd.Process.Kill())
		a.Close() // its error is that of the kill
	case "tools":
		list, err := a.ListTools(ctx, nil)
		ts.Check(err)
		say(ts, list.Tools)
	case "read":
		page, err := a.ReadResource(ctx, &sdk.ReadResourceParams{URI: rest[0]})
		ts.Check(err)
		fmt.Fprintln(ts.Stdout(), page.Contents[0].Text)
	case "prompt":
		var in map[string]string
		ts.Check(json.Unmarshal([]byte(rest[1]), &in))
		p, err := a.GetPrompt(ctx, &sdk.GetPromptParams{Name: rest[0], Arguments: in})
		ts.Check(err)
		fmt.Fprintln(ts.Stdout(), p.Messages[0].Content.(*sdk.TextContent).Text)
	case "complete":
		ref := &sdk.CompleteReference{Type: "ref/prompt", Name: rest[0]}
		if strings.Contains(rest[0], "://") {
			ref = &sdk.CompleteReference{Type: "ref/resource", URI: rest[0]}
		}
		res, err := a.Complete(ctx, &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: rest[1], Value: rest[2]}})
		ts.Check(err)
		say(ts, res.Completion)
	default:
		ts.Fatalf("unknown verb %s", verb)
	}
}

func openAgent(ts *testscript.TestScript, args []string) *agent {
	a := &agent{notes: make(chan string, 10_000)}
	o := &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { a.notes <- r.Params.Message }}
	for len(args) > 0 && strings.HasPrefix(args[0], "--choose") {
		a.choice, args = args[1], args[2:]
		o.ElicitationHandler = func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			switch a.choice {
			case "no":
				return &sdk.ElicitResult{Action: "decline"}, nil
			case "broken":
				return nil, errors.New("this client shows no forms")
			}
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"choice": a.choice, "reason": "simpler to operate"}}, nil
		}
	}
	so := &sdk.ClientSessionOptions{}
	if len(args) > 0 && args[0] == "--old" {
		so.ProtocolVersion, args = "2025-06-18", args[1:]
	}
	var way sdk.Transport
	if len(args) > 0 && args[0] == "--at" {
		b := &browser{base: linkOf(ts, args[1]).base(), token: strings.TrimSpace(ts.ReadFile(args[2]))}
		way = &sdk.StreamableClientTransport{Endpoint: b.base + "/mcp", HTTPClient: &http.Client{Transport: b}}
	} else {
		a.cmd = background(ts, append([]string{"socrates"}, append(args, "mcp", "serve")...))
		way = &sdk.CommandTransport{Command: a.cmd}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test-agent", Version: "1"}, o).Connect(context.Background(), way, so)
	ts.Check(err)
	ts.Defer(func() { session.Close() })
	if v := session.InitializeResult().ProtocolVersion; so.ProtocolVersion == "" && v < "2026-07-28" {
		ts.Fatalf("the server speaks %s only", v)
	}
	a.ClientSession = session
	return a
}

func (a *agent) call(ctx context.Context, ts *testscript.TestScript, fails bool, tool, args string) {
	p := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
	p.SetProgressToken(tool)
	res, err := a.CallTool(ctx, p)
	ts.Check(err)
	for _, c := range res.Content {
		fmt.Fprintln(ts.Stdout(), c.(*sdk.TextContent).Text)
	}
	say(ts, res.StructuredContent)
	if res.IsError != fails {
		ts.Fatalf("%s: an error is %t, not %t", tool, res.IsError, fails)
	}
}

// drop cancels a call as an impatient client does.
func (a *agent) drop(ctx context.Context, ts *testscript.TestScript, tool, args string) {
	ctx, cancel := context.WithCancel(ctx)
	go func() { <-a.notes; cancel() }()
	p := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
	p.SetProgressToken(tool)
	if _, err := a.CallTool(ctx, p); err == nil {
		ts.Fatalf("%s was not cancelled", tool)
	}
}

func say(ts *testscript.TestScript, v any) {
	raw, err := json.MarshalIndent(v, "", "  ")
	ts.Check(err)
	fmt.Fprintln(ts.Stderr(), string(raw))
}
