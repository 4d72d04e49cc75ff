package api

import (
	"context"
	"net/http"

	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// issueSource is the source of an issue draft: one of these.
type issueSource struct {
	Debate string `json:"debate,omitempty" jsonschema:"a debate that was decided"`
	Run    string `json:"run,omitempty"`
}

// revision is the next version of a draft.
type revision struct {
	Number  int    `json:"number"`
	Title   string `json:"title"`
	Body    string `json:"body" jsonschema:"Markdown"`
	Version int    `json:"version" jsonschema:"that you read; 0: any version"`
}

// filing is a request to file a draft.
type filing struct {
	Number  int    `json:"number"`
	Version int    `json:"version" jsonschema:"that was read"`
	Remote  string `json:"remote,omitempty" jsonschema:"empty: origin"`
	Again   bool   `json:"again,omitempty" jsonschema:"file again after an interrupted try"`
}

// issueRoutes are the routes of issue drafts. Only filing one leaves this machine, and only a person in a browser
// may.
func issueRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/issues", "issues.Library.List", guard.Read, "List issue drafts, newest first",
			func(ctx context.Context, r Request, in inFolder) (items[issue.Issue], error) {
				list, err := issues.In(r.Engine).List(ctx, in.Folder)
				return items[issue.Issue]{Items: list}, err
			}).tagged(),
		row("POST", "/api/v1/issues", "issues.Draft", guard.Agent, "Draft an issue from a decision or a run; nothing leaves this machine",
			draftIssue).status(http.StatusCreated),
		row("GET", "/api/v1/issues/{number}", "issues.Library.Issue", guard.Read, "One issue draft",
			func(ctx context.Context, r Request, in numbered) (issue.Issue, error) {
				return issues.In(r.Engine).Issue(ctx, in.Number)
			}).tagged(),
		row("GET", "/api/v1/issues/{number}/target", "issues.Library.Target", guard.Read,
			"Where a draft would be filed, and by which program",
			func(ctx context.Context, r Request, in numbered) (issues.Target, error) {
				i, err := issues.In(r.Engine).Issue(ctx, in.Number)
				if err != nil {
					return issues.Target{}, err
				}
				return issues.In(r.Engine).Target(ctx, i.Dir, "")
			}),
		row("POST", "/api/v1/issues/{number}/edit", "issues.Edit", guard.Agent, "Change the text of a draft", editIssue),
		row("POST", "/api/v1/issues/{number}/file", "issues.File", guard.Agent,
			"File a draft with gh or glab; only a person in a browser may",
			fileIssue),
		row("DELETE", "/api/v1/issues/{number}", "issues.Delete", guard.Agent, "Move a draft to the trash",
			func(ctx context.Context, r Request, in numbered) (rooted, error) {
				return r.do(ctx, issues.Delete{Numbers: []int{in.Number}})
			}),
		row("POST", "/api/v1/issues/{number}/restore", "issues.Restore", guard.Agent, "Restore a deleted draft",
			func(ctx context.Context, r Request, in numbered) (rooted, error) {
				return r.do(ctx, issues.Restore{Number: in.Number})
			}),
		row("GET", "/api/v1/trash/issues", "issues.Library.Trash", guard.Read, "List deleted issue drafts",
			func(ctx context.Context, r Request, _ none) (items[issues.Deleted], error) {
				list, err := issues.In(r.Engine).Trash(ctx, "")
				return items[issues.Deleted]{Items: list}, err
			}),
	}
}

// draftIssue makes a draft.
func draftIssue(ctx context.Context, r Request, in issueSource) (issue.Issue, error) {
	root, err := r.do(ctx, issues.Draft{Debate: in.Debate, Run: in.Run})
	if err != nil {
		return issue.Issue{}, err
	}
	nodes, err := r.Engine.Tree(ctx, root.Root)
	i, _ := issue.Read(nodes)
	return i, err
}

// editIssue writes the next version of a draft.
func editIssue(ctx context.Context, r Request, in revision) (issue.Issue, error) {
	_, err := r.do(ctx, issues.Edit{Number: in.Number, Title: in.Title, Body: in.Body, Version: in.Version})
	if err != nil {
		return issue.Issue{}, err
	}
	return issues.In(r.Engine).Issue(ctx, in.Number)
}

// fileIssue files a draft in the name of the calling person.
func fileIssue(ctx context.Context, r Request, in filing) (issue.Issue, error) {
	switch {
	case !r.Caller.Owns():
		return issue.Issue{}, &Problem{Status: http.StatusForbidden,
			Detail: "an issue is filed under a person's login, so a person files it",
			Hint:   "in the browser, or in a terminal: socrates work issue file"}
	case in.Version == 0:
		return issue.Issue{}, &Problem{Status: http.StatusBadRequest, Detail: "version is missing", Hint: "send the version you read"}
	}
	_, err := r.do(ctx, issues.File{Number: in.Number, Version: in.Version, Remote: in.Remote, Again: in.Again})
	if err != nil {
		return issue.Issue{}, err
	}
	return issues.In(r.Engine).Issue(ctx, in.Number)
}
