package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// setting matches a line of git's settings.
var setting = pattern.Of(`(?m)^[ \t]*(?:\[[^\]\r\n]*\][ \t]*)?([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\r\n]+)`)

// quoted matches a quoted part of a setting.
var quoted = pattern.Of(`"([^"]*)"|'([^']*)'`)

// obeyedSettings are the settings, by their last word, whose files git obeys or runs, even if they do not exist yet.
var obeyedSettings = []string{"hookspath", "path", "attributesfile", "fsmonitor", "editor", "pager", "sshcommand", "command", "driver",
	"clean", "smudge", "process", "textconv", "external", "askpass", "program", "helper", "cmd", "difffilter"}

// wordySettings are settings whose values name no file, whatever they look like.
var wordySettings = []string{"name", "email", "remote", "merge", "fetch", "push", "url", "pushurl", "defaultbranch", "insteadof",
	"pushinsteadof", "pushremote"}

// names are the files and folders of a project that its steering files lead to or name: links directly in its folders
// and in a repository's hooks, and what git's settings name. They have ordinary names, so nothing else protects them: a
// hook that is a link to scripts/check.sh makes git run that script.
type names struct {
	project string
	there   []string // existing ones, without links
	awaited []string // those that git would obey if they existed
	read    []string // settings files that were read
}

// named finds them; with home, also what the person's own git settings name. It reads settings files itself instead of
// asking git, which would obey them.
func named(project, home string, steering []string, repo repository) names {
	n := names{project: project}
	for _, path := range steering {
		if !isRepository(path) {
			n.links(path)
			continue
		}
		n.links(filepath.Join(path, "hooks"))
		n.repository(path, filepath.Dir(path))
	}
	for _, dir := range repo.dirs() { // of a linked work tree, or above the project
		n.repository(dir, repo.top)
	}
	if repo.top != "" && home != "" {
		n.settings(filepath.Join(home, ".gitconfig"), repo.top)
		n.settings(filepath.Join(home, ".config", "git", "config"), repo.top)
	}
	return n
}

// add adds a file of the project, with links followed. Files outside are not writable anyway.
func (n *names) add(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && real != n.project && below(real, n.project) && !slices.Contains(n.there, real) {
		n.there = append(n.there, real)
	}
}

// links adds the targets of the links in a folder, without descending.
func (n *names) links(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			n.add(filepath.Join(dir, e.Name()))
		}
	}
}

// repository adds what the settings in one of git's folders name.
func (n *names) repository(dir, top string) {
	n.settings(filepath.Join(dir, "config"), top)
	n.settings(filepath.Join(dir, "config.worktree"), top)
}

// settings adds what a settings file names, relative to the top of the work tree or to its own folder, and what the files that it includes
// name.
func (n *names) settings(file, top string) {
	if len(n.read) > 100 || slices.Contains(n.read, file+"\x00"+top) {
		return
	}
	n.read = append(n.read, file+"\x00"+top)
	text, _ := os.ReadFile(file) // nothing for a .git that is a file
	for _, m := range setting().FindAllStringSubmatch(string(text), -1) {
		from, key := top, strings.ToLower(m[1])
		if slices.Contains(wordySettings, key) {
			continue
		}
		if key == "path" { // of an include
			from = filepath.Dir(file)
		}
		for _, word := range words(m[2]) {
			at := filepath.FromSlash(word)
			if !filepath.IsAbs(at) {
				at = filepath.Join(from, at)
			}
			n.file(key, word, at, top)
		}
	}
}

// file adds a file or folder that a setting may name.
func (n *names) file(key, word, at, top string) {
	info, err := os.Stat(at)
	switch {
	case err == nil && (info.Mode().IsRegular() || key == "hookspath"):
		if n.add(at); key == "path" {
			n.settings(at, top)
		}
	case err != nil && slices.Contains(obeyedSettings, key) &&
		(strings.Contains(word, "/") || key == "hookspath" || key == "path" || key == "attributesfile"):
		if at != n.project && below(at, n.project) && !slices.Contains(n.awaited, at) {
			n.awaited = append(n.awaited, at)
		}
	}
}

// words are the parts of a setting's value that may be a name: its words, quoted parts, and all of it. It does not
// parse the shell syntax that git would: a word too many costs one more protected file, a word too few opens a way
// around.
func words(value string) []string {
	value = strings.ReplaceAll(value, `\"`, `"`)
	out := append(strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\"';|&()!=", c) }),
		strings.Trim(value, "\"' \t"))
	for _, q := range append(quoted().FindAllStringSubmatch(value, -1), quoted().FindAllStringSubmatch(strings.Trim(value, `"`), -1)...) {
		out = append(out, q[1]+q[2])
	}
	return out
}
