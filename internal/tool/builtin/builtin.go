// Package builtin contains the tools that come with the program, one file each, which declares its tool (register).
//
// Files (read, ls, glob, grep, edit, multi_edit, patch, write) go through package folder, which opens nothing outside
// the project, no secret, and nothing but ordinary files. Those that change files share one procedure (change.go):
// read the files, refuse if the model has not seen their current state ([Seen]), compute all new contents, ask once
// with the whole diff, then apply all of it or nothing.
//
// Edits find text more tolerantly than byte for byte (match.go): first exactly, then ignoring line ends, look-alike
// signs and indentation, in that order, and only if exactly one place matches. The model learns what was ignored. The
// new text then gets the file's own line ends and indentation (indent.go). Where two readings are possible the edit
// is refused, and the refusal says where the old text most likely is (nearest.go). Text that stands for omitted code
// ("… rest unchanged") is refused before it can delete that code (omission.go, ellipsis.go).
//
// The shell (bash, job_start) is one session a conversation. A script is judged as a whole before it starts and again
// command by command (package shell); a job has a shell of its own and ends with the conversation.
//
// Git tools use the plumbing commands of package git, and never run a repository's hooks, filters or aliases. Web
// tools fence what they show as data, with a note that nothing in it is an instruction.
//
// Every text is cleaned, cut to a page (32 KiB), and says how to see the rest. Names in results are relative to the
// project.
package builtin

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// registered are the tools, in no particular order.
var registered []tool.Tool

// register adds a tool. The file that declares the tool calls it; there is no list.
func register(t tool.Tool) tool.Tool {
	registered = append(registered, t)
	return t
}

// All returns every tool, sorted by name, except Search, which needs an engine. The slice is the caller's. Vendors
// cache the tools in this order, so it must not depend on the names of files.
func All() []tool.Tool {
	return slices.SortedFunc(slices.Values(registered), func(a, b tool.Tool) int { return strings.Compare(a.Name, b.Name) })
}

// seats selects the tools at the table. Each costs every seat tokens with every request, and git_diff, git_log and
// git_show tell what the two omitted ones would.
var seats = []string{string(tool.Reads), "-git_blame", "-git_status"}

// ReadOnly returns the tools a seat at the table may have, sorted by name. All are of effect Reads.
func ReadOnly() []tool.Tool {
	return slices.DeleteFunc(All(), func(t tool.Tool) bool { return !t.In(seats) })
}

// Secret reports whether path names something that no tool ever shows to a model.
func Secret(path string) bool { return sensitive.Secret(path) }

// most is the size in bytes of the text a tool returns.
const most = 32 << 10

// page collects lines up to most bytes. After the first line that does not fit, shorter ones are left out as well: a
// page shows a beginning, never a selection.
type page struct {
	text strings.Builder
	full bool // a line did not fit; nothing more is added
}

// add adds a line and reports whether it fitted.
func (p *page) add(format string, args ...any) bool {
	line := fmt.Sprintf(format, args...)
	if p.full = p.full || p.text.Len()+len(line)+1 > most; p.full {
		return false
	}
	p.text.WriteString(line)
	p.text.WriteByte('\n')
	return true
}

// cut shortens s to at most size bytes and an ellipsis, never within a letter.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size] + "…"
}

// output returns a tool's result, with one line for a person.
func output(text, show string, args ...any) tool.Output {
	line := strings.ReplaceAll(strings.Join(strings.Fields(clean.Line(fmt.Sprintf(show, args...))), " "), " , ", ", ")
	return tool.Output{Text: text, Show: line}
}

// matcher returns a function that reports which names match a glob pattern. A pattern without a slash applies to the
// last part of a name, in any folder; an empty one matches everything. A backslash escapes the next character; on
// Windows it is a slash.
func matcher(pattern string) (func(name string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	pattern = path.Clean(filepath.ToSlash(pattern))
	last := !strings.Contains(pattern, "/")
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is not a glob pattern; examples: *.go, internal/**/*_test.go, *.{ts,tsx}", pattern)
	}
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*" // the content of a folder, and not the file of that name
	}
	return func(name string) bool {
		if last {
			name = path.Base(name)
		}
		ok, err := doublestar.Match(pattern, name)
		return ok && err == nil
	}, nil
}

// open opens the project folder with the restrictions of the conversation.
func open(env tool.Env) (*folder.Folder, error) {
	f, err := folder.Open(env.Dir)
	if err == nil && env.Hides != nil {
		f.Hide(func(name string) bool { return env.Hides(filepath.Join(f.Dir(), filepath.FromSlash(name))) })
	}
	return f, err
}

// brought asks about files below dir that came from outside before their content is shown. The first of them decides:
// one question covers the call.
func brought(ctx context.Context, env tool.Env, dir string, names ...string) error {
	if env.Outside == nil {
		return nil
	}
	for _, name := range names {
		if path := filepath.Join(dir, filepath.FromSlash(name)); env.Outside(path) {
			return env.May(ctx, tool.Act{Effect: tool.Reads, Path: shell.Real(path), Dir: dir})
		}
	}
	return nil
}

// fitting opens the project and lists the files below under whose names match pattern; an empty pattern matches all.
// The caller closes the folder.
func fitting(ctx context.Context, env tool.Env, pattern, under string) (f *folder.Folder, names []string, err error) {
	fits, err := matcher(pattern)
	if err != nil {
		return nil, nil, err
	}
	if f, err = open(env); err != nil {
		return nil, nil, err
	}
	if names, err = f.Fitting(ctx, under, fits); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, names, nil
}

// Names returns those of All, and of Search.
func Names() []string {
	names := []string{SearchName}
	for _, t := range All() {
		names = append(names, t.Name)
	}
	return names
}
