package builtin

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitLogArgs is which commits to list.
type gitLogArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"only commits that touch this file or folder"`
	Rev   string `json:"rev,omitempty" jsonschema:"branch, tag or commit to start from; default: HEAD"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of commits, at most 200; default: 20"`
}

// git_log is of effect Reads. It shows no people's addresses.
var _ = register(tool.New("git_log", "Lists commits, newest first: hash, date and subject.", tool.Reads,
	func(ctx context.Context, args gitLogArgs, env tool.Env) (tool.Output, error) {
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		limit := min(max(args.Limit, 0), 200)
		if limit == 0 {
			limit = 20
		}
		commits, err := repo.Log(ctx, args.Rev, name, limit+1)
		if err != nil {
			return tool.Output{}, err
		}
		var p page
		shown := 0
		for shown < min(limit, len(commits)) {
			c := commits[shown]
			if !p.add("%.12s %s %s", c.Hash, c.Date, cut(clean.Line(c.Subject), 300)) {
				break
			}
			shown++
		}
		text := p.text.String()
		switch {
		case len(commits) == 0:
			text = "No commit.\n"
		case shown < len(commits):
			text += fmt.Sprintf("[older commits exist; continue with rev=%.12s]\n", commits[shown].Hash)
		}
		return output(text, "git_log %s, %d commits", args.Path, shown), nil
	}))
