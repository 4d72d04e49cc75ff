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

// quoted matches what stands in quotes in a setting.
var quoted = pattern.Of(`"([^"]*)"|'([^']*)'`)

// named are the files and folders of a project that what steers tools there leads to or names: links directly in its folders and
// in a repository's hooks, and what the repository's own settings name. Of them, what exists.
func named(project string, steering []string, repo repository) (out []string) {
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
		settings(path, filepath.Dir(path), add)
	}
	for _, dir := range repo.dirs() { // of a linked work tree, or above the project
		settings(dir, repo.top, add)
	}
	return out
}

// settings adds what the settings in a folder of git's name, from the top of its work tree or from itself.
func settings(dir, top string, add func(path string)) {
	for _, name := range []string{"config", "config.worktree"} {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // of a .git that is a file, nothing
		for _, m := range setting().FindAllStringSubmatch(string(text), -1) {
			from, key := top, strings.ToLower(m[1])
			if key == "path" { // of an include
				from = dir
			}
			value := strings.ReplaceAll(m[2], `\"`, `"`)
			words := append(strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\"';|&()!=", c) }), strings.Trim(value, "\"' \t"))
			for _, q := range append(quoted().FindAllStringSubmatch(value, -1), quoted().FindAllStringSubmatch(strings.Trim(value, `"`), -1)...) {
				words = append(words, q[1]+q[2])
			}
			for _, word := range words {
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
}
