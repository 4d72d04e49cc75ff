package builtin

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tool"
)

// globArgs is a pattern for names.
type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"for example *.go or internal/**/*_test.go; * stays within a folder, ** does not, {a,b} is either, \\[ is a bracket"`
	Path    string `json:"path,omitempty" jsonschema:"only below this folder"`
}

// glob is of effect Reads. Names are sorted, and say no more than that a file exists.
var _ = register(tool.New("glob", "Finds files of the project by name. Files git ignores are left out.", tool.Reads,
	func(ctx context.Context, args globArgs, env tool.Env) (tool.Output, error) {
		f, names, err := fitting(ctx, env, args.Pattern, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		var p page
		found, shown := len(names), 0
		for _, name := range names {
			if p.add("%s", clean.Line(name)) {
				shown++
			}
		}
		text := p.text.String()
		switch {
		case found == 0:
			text = "No file matches.\n"
		case shown < found:
			text += fmt.Sprintf("[%d of %d files; use a narrower pattern or path to see the others]\n", shown, found)
		}
		return output(text, "glob %s, %s", args.Pattern, spelling.Many(found, "file")), nil
	}))
