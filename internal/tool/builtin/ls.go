package builtin

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tool"
)

// lsArgs is a folder.
type lsArgs struct {
	Path string `json:"path,omitempty" jsonschema:"the folder, relative to the project folder; default: the project folder"`
}

// ls is of effect Reads. It also names secrets, and says that they are never shown: a model that does not see them
// would think they are missing.
var _ = register(tool.New("ls", "Lists a folder of the project: folders end in a slash, files come with their size in bytes. "+
	"What git ignores is left out, unless path leads to it.", tool.Reads,
	func(ctx context.Context, args lsArgs, env tool.Env) (tool.Output, error) {
		f, err := open(env)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		items, ignored, err := f.Listed(ctx, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		var p page
		shown := 0
		for shown < len(items) && p.add("%s", describe(items[shown])) {
			shown++
		}
		text := p.text.String()
		if len(items) == 0 && ignored == 0 {
			text = "The folder is empty.\n"
		}
		if shown < len(items) {
			text += fmt.Sprintf("[%d of %d names; use glob with a pattern to see the others]\n", shown, len(items))
		}
		if ignored > 0 {
			text += fmt.Sprintf("[%s ignored by git, left out]\n", spelling.Many(ignored, "name"))
		}
		return output(text, "ls %s, %d names", args.Path, len(items)), nil
	}))

// describe returns the line of one entry.
func describe(e folder.Item) string {
	name := clean.Line(e.Name)
	switch {
	case e.Secret:
		return name + "  (never shown)"
	case e.Mode.IsDir():
		return name + "/"
	case e.Mode&fs.ModeSymlink != 0:
		return name + "  (link)"
	case !e.Mode.IsRegular():
		return name + "  (not a file)"
	}
	return fmt.Sprintf("%s  %d", name, e.Size)
}
