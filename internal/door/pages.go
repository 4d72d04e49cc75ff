package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/store"
)

// The prefixes of resource addresses, and the suffix of a ledger's after the name of a debate.
const (
	decisionURI = "socrates://decision/"
	debateURI   = "socrates://debate/"
	ledgerPart  = "/ledger"
)

// addPages offers resources that a client can read and prompts that a person can choose.
func (d *door) addPages(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "decision", Title: "Decision", MIMEType: "text/markdown",
		URITemplate: decisionURI + "{debate}", Description: "A decision in full, as a document"}, d.page)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "ledger", Title: "Ledger", MIMEType: "application/json",
		URITemplate: debateURI + "{debate}" + ledgerPart, Description: "The input from which a debate's verdict is computed"}, d.page)
	s.AddPrompt(&mcp.Prompt{Name: "debate", Title: "Debate a question", Description: "Have a panel of AI models decide a question",
		Arguments: argument("question", "the question, with its alternatives")}, d.debatePrompt)
	s.AddPrompt(&mcp.Prompt{Name: "revisit", Title: "Revisit a decision", Description: "Say whether an earlier decision still holds",
		Arguments: argument("debate", "the debate's name, or last")}, d.revisitPrompt)
}

// mostOffered is the maximum number of completions; the protocol allows no more.
const mostOffered = 100

// complete offers the names of debates if a prompt or a resource needs one; a question cannot be completed.
func (d *door) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	switch arg, ref := req.Params.Argument, *req.Params.Ref; ref.Name + ref.URI + " " + arg.Name {
	case "revisit debate", decisionURI + "{debate} debate", debateURI + "{debate}" + ledgerPart + " debate":
		e, err := d.open(ctx)
		if err != nil {
			return nil, plainly(err)
		}
		names, err := rooms.In(e).Names(ctx, arg.Value, mostOffered+1)
		if err != nil {
			return nil, plainly(err)
		}
		out.Completion.HasMore = len(names) > mostOffered
		out.Completion.Values = append(out.Completion.Values, names[:min(len(names), mostOffered)]...)
	case "debate question":
	default:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown prompt, resource or argument"}
	}
	return out, nil
}

// argument returns the one argument of a prompt.
func argument(name, doc string) []*mcp.PromptArgument {
	return []*mcp.PromptArgument{{Name: name, Description: doc, Required: true}}
}

// page reads a resource. An unknown one is a protocol error of its own, by which clients recognize it.
func (d *door) page(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	room, isDecision := strings.CutPrefix(uri, decisionURI)
	if !isDecision {
		room = strings.TrimSuffix(strings.TrimPrefix(uri, debateURI), ledgerPart)
	}
	res, err := d.result(ctx, room)
	if errors.Is(err, store.ErrNotFound) {
		unknown := mcp.ResourceNotFoundError(uri)
		if said, ok := errors.AsType[*jsonrpc.Error](unknown); ok {
			said.Message = "no debate " + room + "; find one with the tool decisions_search"
		}
		return nil, unknown
	}
	if err != nil {
		return nil, plainly(err)
	}
	text, kind := document.Of(res).Markdown(), "text/markdown"
	if !isDecision {
		raw, err := json.Marshal(res)
		if err != nil {
			return nil, err
		}
		text, kind = string(raw), "application/json"
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: d.Clean(text)}}}, nil
}

// asking is the prompt for a client's model when a person asks for a debate.
const asking = `Have this decided by a debate: %s

1. Put the question neutrally, with its alternatives in it; ask me first if it is not clear what is to be decided.
2. Call the tool debate. Name the files that matter. Give as context at most 15 lines of facts the files do not show, and no opinion.
3. While the state is "running", call debate_wait as its answer says.
4. Report: the decision, the confidence as it was given, and the dissent in its own words. Do not add an answer of your own. If a seat
   is missing or a person has to decide, say so first.
5. Name one next step, and the command that verifies it.`

// debatePrompt is the prompt for a new debate.
func (d *door) debatePrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return said(fmt.Sprintf(asking, req.Params.Arguments["question"]))
}

// revisiting is the prompt for a client's model to re-examine an old decision.
const revisiting = `Look at the decision %s with the tool decision_show. Compare the files and facts its claims rest on with the project
as it is now. Tell me which claims no longer hold, quoting both sides. If one that mattered no longer holds, offer to debate the
question again; do not decide it yourself.`

// revisitPrompt is the prompt about an old decision.
func (d *door) revisitPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return said(fmt.Sprintf(revisiting, req.Params.Arguments["debate"]))
}

// said returns a prompt of one message.
func said(text string) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}
