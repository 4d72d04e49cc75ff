package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitCommitArgs is what to commit. Without paths only what is staged is committed.
type gitCommitArgs struct {
	Message string   `json:"message" jsonschema:"a subject line; then, if it needs one, an empty line and a body"`
	Paths   []string `json:"paths,omitempty" jsonschema:"files or folders to commit as they are now; nothing else is committed, whatever is staged"`
	All     bool     `json:"all,omitempty" jsonschema:"also commit what is already staged"`
}

// git_commit is of effect Runs, and is decided about as the command git commit with the resulting files; so a rule
// for that command applies. Hooks do not run because they are programs nobody decided about.
var _ = register(tool.New("git_commit", "Commits the named files as they are now. Hooks and signing do not run.", tool.Runs,
	func(ctx context.Context, args gitCommitArgs, env tool.Env) (tool.Output, error) {
		message := strings.TrimSpace(args.Message)
		switch {
		case message == "" || strings.ContainsRune(message, 0):
			return tool.Output{}, errors.New("message is empty or contains a NUL byte: say in one line what the commit does")
		case len(args.Paths) == 0 && !args.All:
			return tool.Output{}, errors.New("name the paths to commit, or say all=true to commit what is staged")
		}
		repo, _, err := repository(env, "")
		if err != nil {
			return tool.Output{}, err
		}
		changed, left, err := toCommit(ctx, repo, env, args.Paths)
		if err != nil {
			return tool.Output{}, err
		}
		argv := []string{"git", "commit", "-m", message}
		shown := "git commit -m " + quoted(message)
		if args.All {
			shown += "\n" + "with what is staged already"
		}
		if len(changed) > 0 && !args.All {
			argv = append(argv, "--only")
		}
		argv = append(argv, "--")
		for _, e := range changed {
			argv = append(argv, e.Name)
			shown += "\n" + e.State + " " + plainly(e.Name)
		}
		if err := env.May(ctx, tool.Act{Effect: tool.Runs, Argv: argv, Dir: env.Dir, Text: shown + "\n"}); err != nil {
			return tool.Output{}, err
		}
		hash, err := repo.Commit(ctx, message, changed, args.All)
		if err != nil {
			return tool.Output{}, err
		}
		subject, _, _ := strings.Cut(message, "\n")
		text := fmt.Sprintf("Committed as %.12s: %s\n", hash, cut(clean.Line(subject), 300))
		for _, name := range left {
			text += "[" + clean.Line(name) + " may contain secrets and was left out]\n"
		}
		return output(text, "git_commit %.12s %s", hash, cut(subject, 60)), nil
	}))

// quoted returns the message quoted for a shell, with invisible characters written out.
func quoted(message string) string {
	return "'" + strings.ReplaceAll(plainly(message), "'", `'\''`) + "'"
}

// toCommit returns what changed at or below paths, each file once, without secrets. left are the names of secrets,
// which are not committed.
func toCommit(ctx context.Context, repo git.Repo, env tool.Env, paths []string) (changed []git.FileStatus, left []string, err error) {
	for _, path := range paths {
		_, name, err := repository(env, path)
		if err != nil {
			return nil, nil, err
		}
		found, err := repo.Status(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("%s: nothing changed there since the last commit, or git ignores it", clean.Line(path))
		}
		for _, e := range found {
			switch {
			case slices.Contains(changed, e):
			case Secret(e.Name):
				left = append(left, e.Name)
			default:
				changed = append(changed, e)
			}
		}
	}
	if len(paths) > 0 && len(changed) == 0 {
		return nil, nil, errors.New("everything that changed there may contain secrets, so nothing is committed")
	}
	return changed, left, nil
}
