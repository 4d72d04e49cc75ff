package api

import (
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// fileRoutes are the routes of file changes, and of texts by their hash.
func fileRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/trees/{name}/diff", "conversation.Library.Diff", guard.Read, "Compare two nodes: messages and files", diff),
		row("POST", "/api/v1/trees/{name}/undo", "conversation.Undo", guard.Agent, "Revert the last turn's file changes",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, conversation.Undo{Tree: in.Name})
			}),
		row("POST", "/api/v1/trees/{name}/redo", "conversation.Redo", guard.Agent, "Redo the last file revert",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, conversation.Redo{Tree: in.Name})
			}),
		row("GET", "/api/v1/texts/{sha256}", "Engine.Text", guard.Read, "A text, by the hash that a node refers to", text),
	}
}

// between names two nodes of a conversation.
type between struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b,omitempty" jsonschema:"empty: the head"`
}

// differences is their difference.
type differences struct {
	Common tree.ID     `json:"common" jsonschema:"the last node of both"`
	A      []tree.Node `json:"a"`
	B      []tree.Node `json:"b"`
	Files  []string    `json:"files"`
	Patch  string      `json:"patch" jsonschema:"from the files at a to those at b"`
	Kept   bool        `json:"kept" jsonschema:"the files of both are known"`
}

// diff compares two nodes of a conversation. Files are compared only if the snapshots of both are kept.
func diff(ctx context.Context, r Request, in between) (differences, error) {
	t, a, err := r.locate(ctx, in.Name, in.A)
	if err != nil {
		return differences{}, err
	}
	_, b, err := r.locate(ctx, in.Name, in.B)
	if err != nil {
		return differences{}, err
	}
	d, err := conversation.In(r.Engine).Diff(ctx, t, a, b)
	out := differences{Common: d.Common.ID, A: d.A, B: d.B, Files: []string{}, Patch: d.Patch, Kept: d.Kept}
	for _, f := range d.Files {
		out.Files = append(out.Files, f.Path)
	}
	return out, err
}

// hashed names a text.
type hashed struct {
	SHA256 string `json:"sha256"`
}

type oneText struct {
	Text string `json:"text"`
}

// text returns a text that a node names. Texts are kept once and never change.
func text(ctx context.Context, r Request, in hashed) (oneText, error) {
	text, err := r.Engine.Text(ctx, in.SHA256)
	return oneText{text}, err
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

// treeName returns the first name of a conversation. It is empty if the node does not begin a conversation.
func treeName(root tree.Node) string {
	b, _ := talk.RootKind.Of(root)
	return b.Name
}
