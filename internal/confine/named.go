package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// setting matches a line of a repository's settings.
var setting = pattern.Of(`(?m)^[ \t]*(?:\[[^\]\r\n]*\][ \t]*)?([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\r\n]+)`)

// named are the files and folders of a project that what steers tools there leads to or names: links directly in its folders and
// in a repository's hooks, and what the repository's own settings name. Of them, what exists.
func named(project string, steering []string) (out []string) {
	add := func(path string) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && real != project && below(real, project) && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	links := func(dir string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.Type()&os.ModeSymlink != 0 {
				add(filepath.Join(dir, e.Name()))
			}
		}
	}
	for _, path := range steering {
		if !isRepository(path) {
			links(path)
			continue
		}
		links(filepath.Join(path, "hooks"))
		text, _ := os.ReadFile(filepath.Join(path, "config")) // of a .git that is a file, nothing
		for _, m := range setting().FindAllStringSubmatch(string(text), -1) {
			from, key := filepath.Dir(path), strings.ToLower(m[1])
			if key == "path" { // of an include
				from = path
			}
			for _, word := range strings.FieldsFunc(m[2], func(c rune) bool { return strings.ContainsRune(" \t\"';|&()!=", c) }) {
				at := filepath.FromSlash(word)
				if !filepath.IsAbs(at) {
					at = filepath.Join(from, at)
				}
				if info, err := os.Stat(at); err == nil && (info.Mode().IsRegular() || key == "hookspath") {
					add(at)
				}
			}
		}
	}
	return out
}
