package builtin

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitStatusArgs is where to look.
type gitStatusArgs struct {
	Path string `json:"path,omitempty" jsonschema:"only this file or folder"`
}

// git_status is of effect Reads.
var _ = register(tool.New("git_status",
	"Shows the branch, the newest commit, and uncommitted changes. The "+
		"first letter is what is staged, the second what is not; ?? is a file git does not know.", tool.Reads,
	func(ctx context.Context, args gitStatusArgs, env tool.Env) (tool.Output, error) {
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		head, err := repo.Head(ctx)
		if err != nil {
			return tool.Output{}, err
		}
		changed, err := repo.Status(ctx, name)
		if err != nil {
			return tool.Output{}, err
		}
		var p page
		p.add("%s", where(head.Branch, head.Short()))
		shown := 0
		for _, e := range changed {
			note := ""
			if Secret(e.Name) {
				note = "  (may contain secrets: never shown)"
			}
			if p.add("%s %s%s", e.State, clean.Line(e.Name), note) {
				shown++
			}
		}
		text := p.text.String()
		switch {
		case len(changed) == 0:
			text += "Nothing changed.\n"
		case shown < len(changed):
			text += fmt.Sprintf("[%d of %d files; ask with path for a folder to see the others]\n", shown, len(changed))
		}
		return output(text, "git_status %s, %s", args.Path, spelling.Many(len(changed), "file")), nil
	}))

// where says on which branch and commit the work tree is.
func where(branch, hash string) string {
	if branch == "" {
		branch = "no branch"
	}
	if hash == "" {
		return "On " + clean.Line(branch) + ", no commit yet."
	}
	return "On " + clean.Line(branch) + ", at " + hash + "."
}
