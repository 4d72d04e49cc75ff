package project

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Bounds of the named entries: three lines of a prompt that every seat pays for.
const (
	mostFolders = 20 // named folders at the top
	mostBelow   = 30 // named folders in those
	mostFiles   = 20 // named files at the top
)

// layout lists the folders of the first two levels with the number of files in each, the largest first, and the files at the top: three
// lines.
func layout(names []string) []string {
	if len(names) == 0 {
		return []string{"- no files"}
	}
	counts, below := map[string]int{}, map[string]int{} // by folder
	var top []string
	for _, name := range names {
		first, rest, deeper := strings.Cut(name, "/")
		if !deeper {
			top = append(top, clean.Line(name))
			continue
		}
		counts[first]++
		if second, _, ok := strings.Cut(rest, "/"); ok {
			below[first+"/"+second]++
		}
	}
	lines := []string{"- " + count(len(names))}
	if len(counts) > 0 {
		lines[0] += ": " + enumerate(largest(counts), mostFolders)
	}
	if len(below) > 0 {
		lines = append(lines, "- in these: "+enumerate(largest(below), mostBelow))
	}
	if len(top) > 0 {
		lines = append(lines, "- at the top: "+enumerate(top, mostFiles))
	}
	return lines
}

// largest lists folders with their number of files, the largest first. Equal counts are sorted by name, so that the
// block is the same each time.
func largest(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s/ %d", clean.Line(name), counts[name])
	}
	return names
}

// enumerate puts the first items of a list on one line, and says how many more there are.
func enumerate(list []string, most int) string {
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}

// count is a number of files in words.
func count(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// rules are patterns of files in which projects document how they work. Prose is quoted, settings are only named.
var rules = []struct {
	pattern string
	prose   bool
}{
	{"AGENTS.md", true}, {"CLAUDE.md", true}, {"GEMINI.md", true}, {"README*", true}, {"CONTRIBUTING*", true}, {"ARCHITECTURE*", true},
	{"docs/adr/*.md", false}, {"docs/decisions/*.md", false}, {".editorconfig", false}, {".golangci.y*ml", false},
	{".eslintrc*", false}, {"eslint.config.*", false}, {".prettierrc*", false}, {"biome.json*", false}, {"tsconfig.json", false},
	{"ruff.toml", false}, {".flake8", false}, {"mypy.ini", false}, {"setup.cfg", false}, {"tox.ini", false}, {"rustfmt.toml", false},
	{".rustfmt.toml", false}, {"clippy.toml", false}, {".clang-format", false}, {".rubocop.yml", false}, {"checkstyle.xml", false},
	{".pre-commit-config.yaml", false}, {"lefthook.y*ml", false}, {"Makefile", false}, {"justfile", false}, {"Taskfile.y*ml", false},
	{".github/workflows/*.y*ml", false}, {".gitlab-ci.yml", false}, {"Jenkinsfile", false}, {"CODEOWNERS", false},
	{".github/CODEOWNERS", false},
}

// Bounds of the named and quoted convention files.
const (
	mostRules  = 12 // named files
	mostOpened = 3  // files whose first lines are quoted
)

// conventions names the files with rules, and quotes the beginning of the first prose ones, without judging them. They
// are in the order of rules: files for agents come first.
func conventions(f *folder.Folder, levels [3][]string) []string {
	var found, quotes []string
	for _, rule := range rules {
		for _, name := range levels[strings.Count(rule.pattern, "/")] {
			if ok, _ := path.Match(rule.pattern, name); !ok {
				continue
			}
			found = append(found, clean.Line(name))
			if !rule.prose || len(quotes) == mostOpened {
				continue
			}
			body, err := f.Read(name, 0)
			if opens := opening(folder.Lines(body), 2); err == nil && len(opens) > 0 {
				quotes = append(quotes, "- "+clean.Line(name)+" begins: "+shorten(strings.Join(opens, " / "), 200))
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return append([]string{"- conventions: " + enumerate(found, mostRules)}, quotes...)
}

// opening returns the first n lines that are not empty, shortened.
func opening(lines []string, n int) []string {
	var out []string
	for _, line := range lines {
		if line = shorten(line, 160); line != "" && len(out) < n {
			out = append(out, line)
		}
	}
	return out
}
