package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

type readArgs struct {
	Path string `json:"path" jsonschema:"the file, relative to the project folder"`
	From int    `json:"from,omitempty" jsonschema:"first line to show, from 1; left out: 1"`
	To   int    `json:"to,omitempty" jsonschema:"last line to show; left out: as many as fit"`
}

// widest is the longest line that is shown whole, in bytes.
const widest = 2000

var read = tool.New("read", "Shows a text file of the project with line numbers.", tool.Reads,
	func(ctx context.Context, args readArgs, env tool.Env) (tool.Output, error) {
		f, err := folder.Open(env.Dir)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		body, err := f.Read(args.Path, 0)
		if e, ok := errors.AsType[*folder.Error](err); ok && e.Reason == folder.Missing {
			if names, listErr := f.Files(ctx, "."); listErr == nil {
				e.Near = folder.Near(args.Path, names)
			}
		}
		if err != nil {
			return tool.Output{}, err
		}
		text, from, to, err := numbered(args.Path, folder.Lines(body), args.From, args.To)
		return output(text, "read %s:%d-%d", args.Path, from, to), err
	})

// numbered shows the lines from to to, from 1, as far as they fit on a page, and says which it shows.
// From 0 is the beginning, to 0 the end.
func numbered(name string, lines []string, from, to int) (text string, first, last int, err error) {
	if len(lines) == 0 {
		return "The file is empty.\n", 0, 0, nil
	}
	from = max(from, 1)
	if to <= 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return "", 0, 0, &folder.Error{Path: name, Reason: folder.Range, Detail: fmt.Sprintf("it has lines 1 to %d", len(lines))}
	}
	var p page
	next := from
	for next <= to && p.add("%6d\t%s", next, cut(lines[next-1], widest)) {
		next++
	}
	text = p.text.String()
	if next <= len(lines) {
		text += fmt.Sprintf("[lines %d to %d of %d; go on with from=%d]\n", from, next-1, len(lines), next)
	}
	return text, from, next - 1, nil
}
