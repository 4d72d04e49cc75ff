package phase

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// mostImports is how far a file may import files that import others, as the agents that have imports allow.
const mostImports = 5

// imports are the files that one of another agent imports (@path, relative to it), and theirs, in order. Only files of the project are
// taken, which git does not ignore; those elsewhere are told of. AGENTS.md knows no imports.
func imports(f *folder.Folder, names []string, file string) (found, wrong []string) {
	if path.Base(file) == conventionFile {
		return nil, nil
	}
	found = []string{file}
	var follow func(file string, depth int)
	follow = func(file string, depth int) {
		raw, err := f.Read(file, largestOnDisk)
		if err != nil {
			wrong = append(wrong, err.Error())
			return
		}
		for _, name := range page.Imports(string(raw)) {
			at := path.Join(path.Dir(file), name)
			switch {
			case path.IsAbs(name) || strings.HasPrefix(name, "~/") || strings.HasPrefix(at, "../"):
				if path.Ext(name) != "" {
					wrong = append(wrong, fmt.Sprintf("%s imports %s, which is outside the project: agents do not see it", clean.Line(file),
						clean.Line(name)))
				}
			case !has(names, at) || slices.Contains(found, at):
			case depth == mostImports:
				wrong = append(wrong, fmt.Sprintf("%s imports %s more than %d files deep: agents do not see it", clean.Line(file),
					clean.Line(name), mostImports))
			default:
				found = append(found, at)
				follow(at, depth+1)
			}
		}
	}
	follow(file, 0)
	return found[1:], wrong
}
