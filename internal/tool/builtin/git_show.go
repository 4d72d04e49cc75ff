package builtin

import (
	"bytes"
	"context"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitShowArgs is a commit, or a file in it. File is shown as it was, Path limits what a commit shows.
type gitShowArgs struct {
	Rev  string `json:"rev,omitempty" jsonschema:"branch, tag or commit; default: HEAD"`
	File string `json:"file,omitempty" jsonschema:"show this file or folder as it was in that commit, instead of the commit"`
	From int    `json:"from,omitempty" jsonschema:"first line of the file to show, from 1"`
	Path string `json:"path,omitempty" jsonschema:"show only what the commit changed in this file or folder"`
	Stat bool   `json:"stat,omitempty" jsonschema:"only the names of the changed files and how many lines changed"`
}

// git_show is of effect Reads.
var _ = register(tool.New("git_show", "Shows a commit with its message and changes, or a file as it was in a commit.", tool.Reads,
	func(ctx context.Context, args gitShowArgs, env tool.Env) (tool.Output, error) {
		if args.Rev == "" {
			args.Rev = "HEAD"
		}
		if args.File != "" {
			return showFile(ctx, args, env)
		}
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		t, err := look(ctx, repo, env, func(hide func(string) bool) (git.Text, error) {
			return repo.Show(ctx, git.Query{From: args.Rev, Path: name, Stat: args.Stat, Hide: hide, Size: most})
		})
		if err != nil {
			return tool.Output{}, err
		}
		return output(patch(t), "git_show %s %s", args.Rev, args.Path), nil
	}))

// showFile shows a file as it was in a commit, with line numbers as read does. It does not count as seen: the file
// may differ now.
func showFile(ctx context.Context, args gitShowArgs, env tool.Env) (tool.Output, error) {
	repo, name, err := repository(env, args.File)
	if err != nil {
		return tool.Output{}, err
	}
	if name == "" {
		name = "."
	}
	if err := brought(ctx, env, env.Dir, name); err != nil {
		return tool.Output{}, err
	}
	body, short, err := repo.Blob(ctx, args.Rev, name, folder.Most)
	switch {
	case err != nil:
		return tool.Output{}, err
	case short:
		return tool.Output{}, &folder.Error{Path: args.File, Reason: folder.Huge}
	case bytes.IndexByte(body, 0) >= 0:
		return tool.Output{}, &folder.Error{Path: args.File, Reason: folder.Binary}
	}
	text, from, to, err := numbered(args.File, folder.Lines(body), args.From, 0)
	return output(text, "git_show %s:%s:%d-%d", args.Rev, args.File, from, to), err
}
