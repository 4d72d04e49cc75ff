package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// writeArgs is a file and its whole content.
type writeArgs struct {
	Path    string `json:"path" jsonschema:"the file, relative to the project folder; one that exists must have been read; missing folders are made"`
	Content string `json:"content" jsonschema:"the whole new content of the file"`
}

// write is of effect Writes, and asks before it writes. An existing file keeps its line ends and its mode.
var _ = register(tool.New("write",
	"Creates or overwrites a project file. To change parts of a file use edit.", tool.Writes,
	func(ctx context.Context, args writeArgs, env tool.Env) (tool.Output, error) {
		if strings.ContainsRune(args.Content, 0) {
			return tool.Output{}, errors.New("content contains a NUL byte: only text can be written")
		}
		f, err := open(env)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		was, err := known(f, env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		now, verb := args.Content, "made"
		if err := whole(now, string(was.Body)); err != nil {
			return tool.Output{}, fmt.Errorf("%s: %w", was.Name, err)
		}
		if was.There {
			now, verb = alike(string(was.Body), now), "replaced"
			if now == string(was.Body) {
				return tool.Output{}, fmt.Errorf("%s: it already has exactly this content: nothing to change", was.Name)
			}
		}
		s := rewrite(was, now)
		added, gone := changed(s.text)
		text := fmt.Sprintf("%s: %s, %d lines.\n", was.Name, verb, len(folder.Lines([]byte(now))))
		return apply(ctx, f, env, []step{s}, text, "write %s +%d -%d", was.Name, added, gone)
	}))

// alike gives now the line ends of was, and its byte order mark.
func alike(was, now string) string {
	if crlf(was) {
		now = strings.ReplaceAll(strings.ReplaceAll(now, "\r\n", "\n"), "\n", "\r\n")
	}
	if mark := bom(was); bom(now) != mark {
		now = mark + now
	}
	return now
}
