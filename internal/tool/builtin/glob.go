package builtin

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"for example *.go or internal/**/*_test.go; * stays within a folder, ** does not, {a,b} is either"`
	Path    string `json:"path,omitempty" jsonschema:"only below this folder"`
}

var glob = tool.New("glob", "Finds files of the project by name. Files git ignores are left out.", tool.Reads,
	func(ctx context.Context, args globArgs, env tool.Env) (tool.Output, error) {
		fits, err := matcher(args.Pattern)
		if err != nil {
			return tool.Output{}, err
		}
		f, err := folder.Open(env.Dir)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		names, err := f.Files(ctx, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		var p page
		found, shown := 0, 0
		for _, name := range names {
			if fits(name) {
				found++
				if p.add("%s", clean.Line(name)) {
					shown++
				}
			}
		}
		text := p.text.String()
		switch {
		case found == 0:
			text = "No file fits.\n"
		case shown < found:
			text += fmt.Sprintf("[%d of %d files; use a narrower pattern or path to see the others]\n", shown, found)
		}
		return output(text, "glob %s, %d files", args.Pattern, found), nil
	})
