package builtin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tool"
)

// grepArgs is what to look for, and where.
type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, matched line by line"`
	Path       string `json:"path,omitempty" jsonschema:"only this file or below this folder"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files with such a name, for example *.go"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"ignore upper and lower case"`
}

// Limits of one search. Those of hits keep it from filling memory; a page shows far less.
const (
	mostHits = 1000    // lines per file that are kept
	enough   = 20_000  // lines after which the search stops
	largest  = 4 << 20 // bytes of a file that is searched
	aroundIt = 300     // bytes of a matching line that are shown
	atOnce   = 64      // files per worker: the files of a folder should go to one
)

// grep is of effect Reads. Hits come in the order of their files' names, however many processors searched; the result
// says what is left out.
var _ = register(tool.New("grep",
	"Searches the text files of the project. Files git ignores are left out unless path leads to them.", tool.Reads,
	func(ctx context.Context, args grepArgs, env tool.Env) (tool.Output, error) {
		search, err := newSearch(args.Pattern, args.IgnoreCase)
		if err != nil {
			return tool.Output{}, err
		}
		f, names, err := fitting(ctx, env, args.Glob, args.Path)
		if err != nil {
			return tool.Output{}, err
		}
		defer f.Close()
		hits, huge, more := searchAll(ctx, f, names, search)
		if err := ctx.Err(); err != nil {
			return tool.Output{}, fmt.Errorf("searching for %q: %w", args.Pattern, err)
		}
		var shown []string
		for i, name := range names {
			if len(hits[i]) > 0 {
				shown = append(shown, name)
			}
		}
		if err := brought(ctx, env, f.Dir(), shown...); err != nil {
			return tool.Output{}, err
		}
		text, found, files := listHits(names, hits, more)
		if huge > 0 {
			text += fmt.Sprintf("[%d files larger than %d MB were not searched]\n", huge, largest>>20)
		}
		return output(text, "grep %s, %s in %s", args.Pattern, spelling.Many(found, "line"), spelling.Many(files, "file")), nil
	}))

// hit is one line that matches.
type hit struct {
	line int
	text string
}

// searchAll searches the files. hits are in the order of names; huge counts files left out. Once there are enough
// hits it stops, and more is true: everything earlier in the order of names has then been searched.
func searchAll(ctx context.Context, f *folder.Folder, names []string, s search) (hits [][]hit, huge int, more bool) {
	hits = make([][]hit, len(names))
	may := s.ripgrep(ctx, f, names)
	var found, tooBig atomic.Int64
	each(ctx, f, len(names), func(reader *folder.Reader, i int) bool {
		if may != nil && !may[i] {
			return true
		}
		look := reader.Read
		if len(names) == 1 { // it was requested, even if it is a link
			look = f.Read
		}
		body, err := look(names[i], largest)
		if e, ok := errors.AsType[*folder.Error](err); ok && e.Reason == folder.Huge {
			tooBig.Add(1)
		}
		if err == nil {
			hits[i] = s.file(body)
		}
		return found.Add(int64(len(hits[i]))) < enough
	})
	return hits, int(tooBig.Load()), found.Load() >= enough
}

// each calls do for the numbers below n on all processors, a few at once in order, until it returns false. do is
// called by several goroutines; each has a reader of its own. The numbers of one call of do are not in order across
// workers.
func each(ctx context.Context, f *folder.Folder, n int, do func(r *folder.Reader, i int) bool) {
	var next atomic.Int64
	var stop atomic.Bool
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			reader := f.Reader()
			defer reader.Close()
			for !stop.Load() && ctx.Err() == nil {
				first := int(next.Add(atOnce)) - atOnce
				if first >= n {
					return
				}
				for i := first; i < min(first+atOnce, n); i++ {
					if !do(reader, i) {
						stop.Store(true)
					}
				}
			}
		})
	}
	workers.Wait()
}

// listHits puts hits on a page, and returns how many there are in all.
func listHits(names []string, hits [][]hit, more bool) (text string, found, files int) {
	var p page
	shown := 0
	for i, name := range names {
		found += len(hits[i])
		if len(hits[i]) > 0 {
			files++
		}
		for _, h := range hits[i] {
			if p.add("%s:%d: %s", clean.Line(name), h.line, h.text) {
				shown++
			}
		}
	}
	text = p.text.String()
	switch {
	case found == 0:
		text = "No line matches.\n"
	case more:
		text += fmt.Sprintf("[%d of more than %d lines; narrow it with path, glob or pattern to see the others]\n", shown, found)
	case shown < found:
		text += fmt.Sprintf("[%d of %d lines in %d files; narrow it with path, glob or pattern to see the others]\n", shown, found, files)
	}
	return text, found, files
}

// around cuts a long line down to the surroundings of its match.
func around(line string, at int) string {
	if len(line) <= aroundIt {
		return line
	}
	start := strings.ToValidUTF8(line[max(0, at-aroundIt/3):], "")
	if at > aroundIt/3 {
		return "…" + cut(start, aroundIt)
	}
	return cut(start, aroundIt)
}

// compile compiles pattern so that ^ and $ match the ends of a line. It first compiles the pattern unchanged, so that
// an error is about what the model wrote.
func compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty")
	}
	if len(pattern) > 1000 {
		return nil, errors.New("the pattern is longer than 1000 bytes")
	}
	flags := "(?m)"
	if ignoreCase {
		flags = "(?im)"
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, fmt.Errorf("the pattern is not in RE2 syntax: %w", err)
	}
	return regexp.Compile(flags + "(?:" + pattern + ")")
}
