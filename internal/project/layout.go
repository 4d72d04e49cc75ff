package project

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

const (
	mostFolders = 40 // of one folder that are listed
	mostFiles   = 40 // at the top that are listed
)

// layout lists the folders of the first two levels with how many files lie in each, and the files at the top.
func layout(names []string) []string {
	if len(names) == 0 {
		return []string{"no files"}
	}
	counts := map[string]int{} // by folder
	below := map[string][]string{}
	var top []string
	for _, name := range names {
		first, rest, deeper := strings.Cut(name, "/")
		if !deeper {
			top = append(top, name)
			continue
		}
		counts[first]++
		if second, _, ok := strings.Cut(rest, "/"); ok {
			second = first + "/" + second
			if counts[second]++; counts[second] == 1 {
				below[first] = append(below[first], second)
			}
		}
	}
	lines := []string{count(len(names)) + " in all", ""}
	var firsts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if !strings.Contains(name, "/") {
			firsts = append(firsts, name)
		}
	}
	for i, first := range firsts {
		if i == mostFolders {
			lines = append(lines, fmt.Sprintf("- %d more folders", len(firsts)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s/ (%s)", clean.Line(first), count(counts[first])))
		for j, second := range below[first] {
			if j == mostFolders {
				lines = append(lines, fmt.Sprintf("  - %d more folders", len(below[first])-j))
				break
			}
			lines = append(lines, fmt.Sprintf("  - %s/ (%s)", clean.Line(second), count(counts[second])))
		}
	}
	for i, name := range top {
		if i == mostFiles {
			lines = append(lines, fmt.Sprintf("- %d more files", len(top)-i))
			break
		}
		lines = append(lines, "- "+clean.Line(name))
	}
	return lines
}

func count(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// rules are patterns of files in which projects write down how they work. Prose is quoted, settings are only named.
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
	{".github/workflows/*.y*ml", false}, {".gitlab-ci.yml", false}, {"Jenkinsfile", false}, {"CODEOWNERS", false}, {".github/CODEOWNERS", false},
}

// conventions names the files that hold rules and quotes the first three lines of prose ones, without judging them.
func conventions(f *folder.Folder, levels [3][]string) []string {
	var lines []string
	for _, rule := range rules {
		found := 0
		for _, name := range levels[strings.Count(rule.pattern, "/")] {
			if ok, _ := path.Match(rule.pattern, name); !ok {
				continue
			}
			if found++; found > 10 {
				continue
			}
			lines = append(lines, "- "+clean.Line(name))
			if body, err := f.Read(name, 0); rule.prose && err == nil {
				for _, line := range opening(folder.Lines(body), 3) {
					lines = append(lines, "  > "+line)
				}
			}
		}
		if found > 10 {
			lines = append(lines, fmt.Sprintf("- %d more like %s", found-10, rule.pattern))
		}
	}
	return lines
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
