package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// settingOfFile matches the lines of a repository's settings that name a file, a folder or a program which git obeys.
var settingOfFile = pattern.Of(`(?mi)^[ \t]*(hookspath|fsmonitor|attributesfile|path)[ \t]*=[ \t]*"?([^\s"#;]+)`)

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
		for _, m := range settingOfFile().FindAllStringSubmatch(string(text), -1) {
			from := filepath.Dir(path)
			if strings.EqualFold(m[1], "path") { // of an include
				from = path
			}
			if filepath.IsAbs(m[2]) {
				from = ""
			}
			add(filepath.Join(from, filepath.FromSlash(m[2])))
		}
	}
	return out
}
