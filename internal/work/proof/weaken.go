package proof

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// These lists cover the common languages and tools. A file they miss is treated as code, so a weakened test of an
// unknown kind is not noticed; a false match only makes a person look.
var (
	testName = pattern.Of(`(?i)(^|/)(tests?|__tests__|spec|testdata|fixtures|__snapshots__|golden)/|` +
		`(^|/)(test_[^/]*|[^/]*_test\.[a-z0-9]+|[^/]*[._-](test|spec)\.[a-z0-9]+|[^/]*Tests?\.(java|kt|cs|swift|scala)|` +
		`tests?\.[a-z0-9]+|conftest\.py|[^/]*\.(golden|snap))$`)
	// guardName matches files that say which checks run, and how.
	guardName = pattern.Of(`(?i)^(\.github/|\.gitlab-ci|\.circleci/|\.ci/|\.buildkite/|\.travis|azure-pipelines|jenkinsfile|\.drone)|` +
		`(^|/)(makefile|justfile|taskfile\.ya?ml|\.pre-commit-config\.yaml|\.golangci\.(ya?ml|toml|json)|pytest\.ini|tox\.ini|setup\.cfg|` +
		`noxfile\.py|\.coveragerc|(jest|vitest|eslint|playwright)\.config\.[a-z]+|\.mocharc[^/]*|karma\.conf\.[a-z]+|\.eslintrc[^/]*|` +
		`\.eslintignore|ruff\.toml|mypy\.ini|phpunit\.xml[^/]*|\.rspec|checkstyle[^/]*\.xml)$`)
	// skipping matches code by which a test no longer runs, or no longer fails.
	skipping = pattern.Of(`(?i)\b(t|b|f|tb)\.Skip(f|Now)?\(|testing\.Short\(\)|//go:build|// \+build|\bfunc TestMain\b|\bos\.Exit\(0\)|` +
		`@(unittest\.|pytest\.mark\.)?(skip|skipif|xfail|ignore|disabled)\b|pytest\.(skip|exit)|\bpytestmark\b|\bself\.skipTest\b|` +
		`\b(xit|xdescribe|xtest|fit|fdescribe)\(|\.(skip|only|todo)\(|#\[ignore|\bexit 0\b|\|\| true\b|continue-on-error|` +
		`allow_failure|--no-verify|nolint|eslint-disable|noqa|NO_TEST`)
)

// isTest reports by its name whether a file contains tests.
func isTest(name string) bool { return testName().MatchString(name) }

// isGuard reports by its name whether a file decides what is checked, such as a workflow.
func isGuard(name string) bool { return guardName().MatchString(name) }

// weakens reports how an edit may weaken tests or checks. Lines added to a test do not, unless they skip it. Settings
// such as package.json count only where they say how tests run: most changes to them add a dependency.
func weakens(e workspace.Edit, patch func(name string) (string, error)) (why []string, err error) {
	test, guard := isTest(e.Name), isGuard(e.Name)
	what := "the test " + e.Name
	if guard {
		what = e.Name + ", which says how checks run"
	}
	settings := path.Base(e.Name) == "package.json" || path.Base(e.Name) == "pyproject.toml" || path.Base(e.Name) == "Cargo.toml"
	switch {
	case !test && !guard && !settings:
		return nil, nil
	case settings && e.How == "M":
		return scripts(e.Name, patch)
	case settings:
		return nil, nil
	case e.How == "D":
		return []string{"it deletes " + what}, nil
	case guard:
		return []string{"it " + verbs[e.How] + " " + what}, nil
	}
	text, err := patch(e.Name)
	if err != nil {
		return nil, err
	}
	added, removed := changed(text)
	if n := len(removed); n > 0 {
		why = append(why, fmt.Sprintf("it takes %s out of %s", lines(n), what))
	}
	if i := slices.IndexFunc(added, func(l string) bool { return skipping().MatchString(l) }); i >= 0 {
		why = append(why, fmt.Sprintf("it adds to %s: %s", what, clip(strings.TrimSpace(added[i]), 80)))
	}
	if strings.Contains(text, "\nBinary files ") || strings.Contains(text, "\nGIT binary patch") {
		why = append(why, "it changes "+what+", which is not text")
	}
	return why, nil
}

// scripts reports whether the part of a settings file that says how tests run has changed.
func scripts(name string, patch func(name string) (string, error)) ([]string, error) {
	text, err := patch(name)
	if err != nil {
		return nil, err
	}
	added, removed := changed(text)
	for _, l := range slices.Concat(added, removed) {
		low := strings.ToLower(l)
		if strings.Contains(low, "test") || strings.Contains(low, "lint") || strings.Contains(low, "coverage") {
			return []string{fmt.Sprintf("it changes in %s how checks run: %s", name, clip(strings.TrimSpace(l), 80))}, nil
		}
	}
	return nil, nil
}

// changed returns the lines that a patch adds and removes, without blank ones.
func changed(patch string) (added, removed []string) {
	inside := false
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case strings.HasPrefix(line, "diff --git "):
			inside = false
		case !inside || len(line) < 2 || strings.TrimSpace(line[1:]) == "":
		case line[0] == '+':
			added = append(added, line[1:])
		case line[0] == '-':
			removed = append(removed, line[1:])
		}
	}
	return added, removed
}

// lines formats a number of lines.
func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// clip cuts a text to n letters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
