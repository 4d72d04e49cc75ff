package builtin

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitDiffArgs is what to compare, each by a name of a commit.
type gitDiffArgs struct {
	From   string `json:"from,omitempty" jsonschema:"branch, tag or commit; default: what is staged"`
	To     string `json:"to,omitempty" jsonschema:"branch, tag or commit; default: the files as they are now"`
	Staged bool   `json:"staged,omitempty" jsonschema:"what a commit would contain: what is staged, compared with the newest commit or from"`
	Path   string `json:"path,omitempty" jsonschema:"only this file or folder"`
	Stat   bool   `json:"stat,omitempty" jsonschema:"only the names of the files and how many lines changed"`
}

// git_diff is of effect Reads. It uses git's own plumbing, without the diff programs that the repository names.
var _ = register(tool.New("git_diff",
	"Shows the difference between two commits, between a commit and the files as they are now, or what "+
		"is staged.", tool.Reads,
	func(ctx context.Context, args gitDiffArgs, env tool.Env) (tool.Output, error) {
		if args.Staged && args.To != "" {
			return tool.Output{}, errors.New("to and staged cannot go together: leave one of them out")
		}
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		from := args.From
		if from == "" && args.To != "" {
			from = "HEAD"
		}
		t, err := look(ctx, repo, env, func(hide func(string) bool) (git.Text, error) {
			return repo.Diff(ctx, git.Query{From: from, To: args.To, Staged: args.Staged, Path: name, Stat: args.Stat,
				Hide: hide, Size: most})
		})
		if err != nil {
			return tool.Output{}, err
		}
		staged := ""
		if args.Staged {
			staged = "staged"
		}
		return output(patch(t), "git_diff %s %s %s %s", args.From, args.To, staged, args.Path), nil
	}))
