package builtin

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/tool"
)

// multiEditArgs is several edits of one file.
type multiEditArgs struct {
	Path  string    `json:"path" jsonschema:"the file, relative to the project folder; read it first"`
	Edits []oneEdit `json:"edits" jsonschema:"applied in order, each to the result of the one before"`
}

// multi_edit is of effect Writes, and one decision. A later edit can find text that an earlier one wrote.
var _ = register(tool.New("multi_edit",
	"Applies several edits to one project file, all or none.", tool.Writes,
	func(ctx context.Context, args multiEditArgs, env tool.Env) (tool.Output, error) {
		if len(args.Edits) == 0 {
			return tool.Output{}, errors.New("edits is empty: there is nothing to change")
		}
		f, err := open(env)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		return editFile(ctx, f, env, "multi_edit", args.Path, args.Edits)
	}))
