package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tool"
)

// gitBlameArgs is a file and a stretch of it.
type gitBlameArgs struct {
	Path string `json:"path" jsonschema:"the file, relative to the project folder"`
	From int    `json:"from,omitempty" jsonschema:"first line, from 1; default: 1"`
	To   int    `json:"to,omitempty" jsonschema:"last line; default: 200 lines on"`
	Rev  string `json:"rev,omitempty" jsonschema:"branch, tag or commit; default: the file as it is now"`
}

// mostBlamed limits the lines of one call, since git searches all of history for them.
const mostBlamed = 2000

// git_blame is of effect Reads, like everything that reads history: commits contain what the project contains, and
// secrets in them are hidden likewise.
var _ = register(tool.New("git_blame",
	"Shows the commit of each line of a file: hash, date and subject.", tool.Reads,
	func(ctx context.Context, args gitBlameArgs, env tool.Env) (tool.Output, error) {
		repo, name, err := repository(env, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		if err := brought(ctx, env, env.Dir, name); err != nil {
			return tool.Output{}, err
		}
		from := max(args.From, 1)
		to := min(args.To, from+mostBlamed-1)
		if args.To <= 0 {
			to = from + 199
		}
		if to < from {
			return tool.Output{}, errors.New("to is before from")
		}
		origins, err := repo.Blame(ctx, args.Rev, name, from, to)
		if err != nil {
			return tool.Output{}, err
		}
		var p page
		last, shown := "", 0
		for _, o := range origins {
			if o.Hash != last && !p.add("%s", commitOf(o.Hash, o.Date, o.Subject)) ||
				!p.add("%6d\t%s", o.Line, cut(strings.ReplaceAll(clean.Text(o.Text), "\n", " "), widest)) {
				break
			}
			last = o.Hash
			shown++
		}
		text := p.text.String()
		if shown < len(origins) || to < args.To && shown == mostBlamed {
			text += fmt.Sprintf("[continue with from=%d]\n", from+shown)
		}
		return output(text, "git_blame %s:%d-%d", name, from, from+shown-1), nil
	}))

// commitOf returns a commit in one line. Git uses a hash of zeros for lines that are not committed.
func commitOf(hash, date, subject string) string {
	if strings.Trim(hash, "0") == "" {
		return "not committed yet"
	}
	return fmt.Sprintf("%.12s %s %s", hash, date, cut(clean.Line(subject), 120))
}
