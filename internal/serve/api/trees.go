package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/tree"
)

// spot is a node of a conversation.
type spot struct {
	Name string `json:"name"`
	At   string `json:"at,omitempty" jsonschema:"a node: id, label, branch, HEAD~2; empty: the head"`
	Most int    `json:"limit,omitempty"`
}

// placing is a conversation and a name of something in it, new or existing. Each route reads only the fields it
// needs; the others are ignored.
type placing struct {
	Name  string  `json:"name"`
	At    string  `json:"at,omitempty" jsonschema:"a node: id, label, branch, HEAD~2; empty: the head"`
	To    string  `json:"to,omitempty" jsonschema:"the name, branch, node or debate that is meant"`
	Run   tree.ID `json:"run,omitempty" jsonschema:"the root of a run, instead of a debate"`
	Text  string  `json:"text,omitempty"`
	Role  string  `json:"role,omitempty" jsonschema:"user, assistant or system"`
	Turns int     `json:"turns,omitempty"`
	Files bool    `json:"files,omitempty" jsonschema:"also restore the files as they were there"`
}

// standing is the state of a conversation.
type standing struct {
	Name   string  `json:"name"`
	Root   tree.ID `json:"root"`
	Folder string  `json:"folder"`
	Branch string  `json:"branch"`
	Head   tree.ID `json:"head"`
	AtWork bool    `json:"at_work"`
}

// treeRoutes are the routes of conversations: reading and navigating their trees.
func treeRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/trees", "conversation.Library.List", guard.Read, "List conversations, most recent first", listTrees),
		row("POST", "/api/v1/trees", "conversation.NewTree", guard.Agent, "Create a conversation", Begin).status(http.StatusCreated),
		row("GET", "/api/v1/trees/{name}", "conversation.Library.Open conversation.Library.AtWork "+
			"conversation.Library.AtWorkElsewhere Engine.Running",
			guard.Read, "A conversation's current state", openTree),
		row("GET", "/api/v1/trees/{name}/path", "conversation.Library.Path conversation.Library.PathEnd conversation.Library.Locate",
			guard.Read,
			"The nodes on the path to a node, or the last of them", path),
		row("GET", "/api/v1/trees/{name}/nodes", "conversation.Library.LastNodes", guard.Read, "The newest nodes of all branches",
			lastNodes),
		row("GET", "/api/v1/trees/{name}/branches", "conversation.Library.Branches", guard.Read, "A conversation's branches",
			onTree(branches)),
		row("DELETE", "/api/v1/trees/{name}/branches/{to}", "conversation.Delete", guard.Agent, "Delete a branch",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Delete{Trees: []string{in.Name}, Branch: in.To})
			}),
		row("GET", "/api/v1/trees/{name}/labels", "conversation.Library.Labels", guard.Read, "A conversation's labels", onTree(labels)),
		row("GET", "/api/v1/trees/{name}/leaves", "conversation.Library.Leaves", guard.Read, "A conversation's leaf nodes", onTree(leaves)),
		row("GET", "/api/v1/trees/{name}/record", "conversation.Library.Record", guard.Read, "Export a record to import elsewhere", onTree(
			func(ctx context.Context, r Request, t conversation.Tree) (archive.Record, error) {
				return conversation.In(r.Engine).Record(ctx, t)
			})),
		row("POST", "/api/v1/trees/{name}/branch", "conversation.Branch", guard.Agent, "Create the branch named by to and switch to it",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Branch{Tree: in.Name, Name: in.To, At: in.At})
			}),
		row("POST", "/api/v1/trees/{name}/switch", "conversation.SwitchTo", guard.Agent, "Switch to another branch",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.SwitchTo{Tree: in.Name, Branch: in.To, Files: in.Files})
			}),
		row("POST", "/api/v1/trees/{name}/back", "conversation.Back", guard.Agent, "Move the branch back, by turns or to a node",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Back{Tree: in.Name, To: in.To, Turns: in.Turns, Files: in.Files})
			}),
		row("POST", "/api/v1/trees/{name}/label", "conversation.Label", guard.Agent, "Name a node",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Label{Tree: in.Name, At: cmp.Or(in.At, "HEAD"), Name: in.To})
			}),
		row("POST", "/api/v1/trees/{name}/rename", "conversation.Rename", guard.Agent, "Rename a conversation",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Rename{Tree: in.Name, Name: in.To})
			}),
		row("POST", "/api/v1/trees/{name}/merge", "conversation.Merge", guard.Agent, "Merge another branch's result",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Merge{Tree: in.Name, From: in.To, Text: in.Text})
			}),
		row("POST", "/api/v1/trees/{name}/conclude", "conversation.Conclude", guard.Agent, "Add a debate's decision, or how a run ended",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Conclude{Tree: in.Name, Room: in.To, Run: in.Run})
			}),
		row("POST", "/api/v1/trees/{name}/remarks", "conversation.Remark", guard.Agent, "Append a message without calling a model",
			func(ctx context.Context, r Request, in placing) (rooted, error) {
				return r.do(ctx, conversation.Remark{Tree: in.Name, Parent: in.At, Role: cmp.Or(in.Role, "user"), Text: in.Text})
			}),
		row("POST", "/api/v1/trees/{name}/use", "conversation.Use", guard.Agent, "Make a conversation its folder's default", use),
		row("DELETE", "/api/v1/trees/{name}", "conversation.Delete", guard.Agent, "Move a conversation to the trash",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, conversation.Delete{Trees: []string{in.Name}})
			}),
		row("POST", "/api/v1/trees/{name}/restore", "conversation.Restore", guard.Agent, "Restore a deleted conversation",
			func(ctx context.Context, r Request, in Named) (rooted, error) {
				return r.do(ctx, conversation.Restore{Tree: in.Name})
			}),
		row("GET", "/api/v1/trash/trees", "conversation.Library.Trash", guard.Read, "List deleted conversations",
			func(ctx context.Context, r Request, _ none) (items[conversation.Deleted], error) {
				list, err := conversation.In(r.Engine).Trash(ctx, "")
				return items[conversation.Deleted]{Items: list}, err
			}),
		row("GET", "/api/v1/search", "conversation.Library.Search", guard.Read, "Search conversations", search),
		row("GET", "/api/v1/history", "conversation.Library.History", guard.Read, "Input typed in a folder, newest first",
			history),
		row("GET", "/api/v1/last", "conversation.Library.Last rooms.Library.Last", guard.Read,
			"A folder's default conversation, and its project's newest debate", last),
	}
}

// onTree makes a route from a function of a conversation's state.
func onTree[Out any](f func(context.Context, Request, conversation.Tree) (Out, error)) func(context.Context, Request, Named) (Out, error) {
	return func(ctx context.Context, r Request, in Named) (Out, error) {
		t, err := conversation.In(r.Engine).Open(ctx, in.Name)
		if err != nil {
			var none Out
			return none, err
		}
		return f(ctx, r, t)
	}
}

// branches are a conversation's branches.
func branches(ctx context.Context, r Request, t conversation.Tree) (items[conversation.BranchInfo], error) {
	list, err := conversation.In(r.Engine).Branches(ctx, t)
	return items[conversation.BranchInfo]{Items: list}, err
}

// labels are a conversation's labels.
func labels(ctx context.Context, r Request, t conversation.Tree) (items[tree.Ref], error) {
	list, err := conversation.In(r.Engine).Labels(ctx, t)
	return items[tree.Ref]{Items: list}, err
}

// leaves returns the ends of a conversation's tree.
func leaves(ctx context.Context, r Request, t conversation.Tree) (items[tree.Node], error) {
	list, err := conversation.In(r.Engine).Leaves(ctx, t)
	return items[tree.Node]{Items: list}, err
}
