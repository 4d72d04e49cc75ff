package project

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

// tests are the commands that usually run a project's tests, by a file at its top and, after a colon, a text in it. The
// first match is used.
var tests = []struct{ mark, command string }{
	{"go.mod", "go test ./..."}, {"Cargo.toml", "cargo test"},
	{"uv.lock", "uv run pytest"}, {"pyproject.toml:pytest", "pytest"}, {"pytest.ini", "pytest"}, {"conftest.py", "pytest"},
	{"tests/conftest.py", "pytest"}, {"tox.ini", "tox"}, {"requirements.txt:pytest", "pytest"},
	{"pom.xml", "mvn test"}, {"gradlew", "./gradlew test"}, {"build.gradle", "gradle test"}, {"build.gradle.kts", "gradle test"},
	{"*.sln", "dotnet test"}, {"*.csproj", "dotnet test"}, {".rspec", "bundle exec rspec"}, {"Gemfile:rspec", "bundle exec rspec"},
	{"Rakefile", "rake test"}, {"phpunit.xml", "vendor/bin/phpunit"}, {"phpunit.xml.dist", "vendor/bin/phpunit"},
	{"composer.json:phpunit", "vendor/bin/phpunit"}, {"mix.exs", "mix test"}, {"deno.json", "deno test"}, {"deno.jsonc", "deno test"},
	{"Package.swift", "swift test"}, {"pubspec.yaml", "dart test"}, {"build.zig", "zig build test"},
	{"Makefile:\ntest:", "make test"}, {"Makefile:\ncheck:", "make check"}, {"CMakeLists.txt", "ctest --test-dir build"},
	{"pyproject.toml", "python3 -m unittest"}, {"setup.py", "python3 -m unittest"}, {"requirements.txt", "python3 -m unittest"},
}

// runners run the scripts of a package.json; each is recognized by its lock file.
var runners = []struct{ lock, command string }{
	{"pnpm-lock.yaml", "pnpm test"}, {"yarn.lock", "yarn test"}, {"bun.lock", "bun run test"}, {"bun.lockb", "bun run test"},
	{"", "npm test"},
}

// Tests returns the command that usually runs the tests of the project at dir, judging by its build files; empty: they do not say.
func Tests(dir string) string {
	f, err := folder.Open(dir)
	if err != nil {
		return ""
	}
	defer f.Close()
	has := func(mark string) bool {
		name, text, within := strings.Cut(mark, ":")
		if strings.ContainsAny(name, "*") {
			list, err := f.Items(".")
			return err == nil && slices.ContainsFunc(list, func(i folder.Item) bool { ok, _ := path.Match(name, i.Name); return ok })
		}
		body, err := f.Read(name, 1<<20)
		return err == nil && (!within || strings.Contains("\n"+string(body), text))
	}
	for _, t := range tests[:2] {
		if has(t.mark) {
			return t.command
		}
	}
	if body, err := f.Read("package.json", 1<<20); err == nil {
		var p struct{ Scripts map[string]string }
		if json.Unmarshal(body, &p); p.Scripts["test"] != "" {
			for _, r := range runners {
				if r.lock == "" || has(r.lock) {
					return r.command
				}
			}
		}
	}
	for _, t := range tests[2:] {
		if has(t.mark) {
			return t.command
		}
	}
	return ""
}
