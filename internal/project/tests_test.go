package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/project"
)

// TestTests names the command of a project by what lies at its top.
func TestTests(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"":                       {"README.md": "go test"},
		"go test ./...":          {"go.mod": "module a\n", "package.json": `{"scripts":{"test":"jest"}}`},
		"cargo test":             {"Cargo.toml": ""},
		"npm test":               {"package.json": `{"scripts":{"test":"jest"}}`, "Makefile": "test:\n"},
		"pnpm test":              {"package.json": `{"scripts":{"test":"jest"}}`, "pnpm-lock.yaml": ""},
		"make test":              {"package.json": `{"scripts":{"build":"tsc"}}`, "Makefile": "all:\n\ntest: all\n"},
		"make check":             {"Makefile": "check:\n", "CMakeLists.txt": ""},
		"ctest --test-dir build": {"CMakeLists.txt": ""},
		"pytest":                 {"pyproject.toml": "[tool.pytest.ini_options]\n"},
		"uv run pytest":          {"pyproject.toml": "[tool.pytest]\n", "uv.lock": ""},
		"python3 -m unittest":    {"pyproject.toml": "[project]\n"},
		"mvn test":               {"pom.xml": ""},
		"./gradlew test":         {"gradlew": "", "build.gradle": ""},
		"dotnet test":            {"shop.sln": ""},
		"bundle exec rspec":      {"Gemfile": "gem \"rspec\"\n"},
		"vendor/bin/phpunit":     {"composer.json": `{"require-dev":{"phpunit/phpunit":"*"}}`},
	} {
		dir := t.TempDir()
		for name, text := range files {
			os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
		if got := project.Tests(dir); got != want {
			t.Errorf("of %v: %q, want %q", files, got, want)
		}
	}
}
