// Package builtin is the tools that come with the program, one file each, which declares its tool (register).
//
// Files (read, ls, glob, grep, edit, multi_edit, patch, write) go through package folder, which opens nothing
// outside the project, no secret, and nothing but ordinary files. Those that change files share one way
// (change.go): look at what is there, refuse if the model has not seen it as it is ([Seen]), compute all new
// contents, ask once with the whole difference, then apply all of it or nothing.
//
// Edits find text more tolerantly than byte for byte (match.go): first exactly, then past line ends, look-alike
// signs and indentation, in that order, and only as long as one place fits. What was overlooked is told to the
// model. The new text is then brought into the file's own form: line ends, indentation (indent.go). Where two
// readings are possible the edit is refused, and the refusal says where the old text most likely is (nearest.go).
// Text that stands for code left out ("… rest unchanged") is refused before it can delete that code (omission.go,
// ellipsis.go).
//
// The shell (bash, job_start) is one session a conversation. A script is judged as a whole before it starts and
// again command by command (package shell); a job has a shell of its own and ends with the conversation.
//
// Git tools ask package git for plumbing, and never run a repository's hooks, filters or aliases. Web tools mark
// what they show as data, fenced, with the words that nothing in it is an instruction.
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

// registered are the tools, in no order that counts.
var registered []tool.Tool

// register adds a tool. The file that declares one calls it; no list names it.
func register(t tool.Tool) tool.Tool {
	registered = append(registered, t)
	return t
}

// All returns every tool, sorted by name, but for Search, which needs an engine. The slice is the caller's.
// The order is part of what vendors cache, so it must not hang on the names of files.
func All() []tool.Tool {
	return slices.SortedFunc(slices.Values(registered), func(a, b tool.Tool) int { return strings.Compare(a.Name, b.Name) })
}

// seats are the tools at the table. Each costs every seat tokens with every request, and git_diff, git_log and git_show
// tell what the two that are left out would.
var seats = []string{string(tool.Reads), "-git_blame", "-git_status"}

// ReadOnly returns the tools a seat at the table may have, sorted by name. All are of effect Reads.
func ReadOnly() []tool.Tool {
	return slices.DeleteFunc(All(), func(t tool.Tool) bool { return !t.In(seats) })
}

// Secret says whether path names something that is never shown to a model, in any tool.
func Secret(path string) bool { return sensitive.Secret(path) }

// most is the size in bytes of the text a tool gives back.
const most = 32 << 10

// page gathers lines up to most bytes. Once a line did not fit, shorter ones that would are left out as well: what
// is shown is a beginning, never a selection.
type page struct {
	text strings.Builder
	full bool // a line did not fit; nothing is added any more
}

// add adds a line and says whether it fitted.
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

// output is what a tool gives back, with one line for a person.
func output(text, show string, args ...any) tool.Output {
	line := strings.ReplaceAll(strings.Join(strings.Fields(clean.Line(fmt.Sprintf(show, args...))), " "), " , ", ", ")
	return tool.Output{Text: text, Show: line}
}

// matcher says which names fit a glob pattern. A pattern without a slash is about the last part of a name, wherever it
// is; an empty one fits everything. A backslash takes the meaning from the sign after it; on Windows it is a slash.
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
		pattern += "/*" // what is below a folder: a file is none
	}
	return func(name string) bool {
		if last {
			name = path.Base(name)
		}
		ok, err := doublestar.Match(pattern, name)
		return ok && err == nil
	}, nil
}

// open opens the project folder as the rules let a conversation see it.
func open(env tool.Env) (*folder.Folder, error) {
	f, err := folder.Open(env.Dir)
	if err == nil && env.Hides != nil {
		f.Hide(func(name string) bool { return env.Hides(filepath.Join(f.Dir(), filepath.FromSlash(name))) })
	}
	return f, err
}

// brought asks for files below dir that came from outside before what they hold is shown. The first of them
// decides: one question covers the call.
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

// fitting opens the project and lists the files below under whose names fit pattern; an empty pattern fits all. The
// folder is the caller's to close.
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

// Names are those of All, and of Search.
func Names() []string {
	names := []string{SearchName}
	for _, t := range All() {
		names = append(names, t.Name)
	}
	return names
}
