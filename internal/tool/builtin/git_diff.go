package builtin

import (
	"context"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tool"
)

type gitDiffArgs struct {
	From string `json:"from,omitempty" jsonschema:"branch, tag or commit; left out: what is staged"`
	To   string `json:"to,omitempty" jsonschema:"branch, tag or commit; left out: the files as they are now; needs from"`
	Path string `json:"path,omitempty" jsonschema:"only this file or folder"`
	Stat bool   `json:"stat,omitempty" jsonschema:"only the names of the files and how many lines changed"`
}

var gitDiff = tool.New("git_diff", "Shows the difference between two commits, or between a commit and the files as they are now.", tool.Reads,
	func(ctx context.Context, args gitDiffArgs, env tool.Env) (tool.Output, error) {
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		from := args.From
		if from == "" && args.To != "" {
			from = "HEAD"
		}
		t, err := repo.Diff(ctx, git.Query{From: from, To: args.To, Path: name, Stat: args.Stat, Hide: hides(repo, env), Size: most})
		if err != nil {
			return tool.Output{}, err
		}
		return output(patch(t), "git_diff %s %s %s", args.From, args.To, args.Path), nil
	})
