package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *folder.Folder {
	t.Helper()
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestFilesWithoutGit(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".hidden", "a", "b/c", "b/.env", "node_modules/x/y", "deep/node_modules/z", "deep/ok", ".git/HEAD"} {
		write(t, dir, name, "x")
	}
	f := open(t, dir)
	for under, want := range map[string][]string{"": {".hidden", "a", "b/c", "deep/ok"}, ".": {".hidden", "a", "b/c", "deep/ok"},
		"b": {"b/c"}, "a": {"a"}, "node_modules": {"node_modules/x/y"}, "node_modules/x": {"node_modules/x/y"}} {
		if got, err := f.Files(t.Context(), under); err != nil || !slices.Equal(got, want) {
			t.Errorf("Files(%q) = %q, %v, want %q", under, got, err, want)
		}
	}
	for under, want := range map[string]folder.Reason{"nowhere": folder.Missing, "..": folder.Outside, ".git": folder.Hidden} {
		_, err := f.Files(t.Context(), under)
		if e, ok := errors.AsType[*folder.Error](err); !ok || e.Reason != want {
			t.Errorf("Files(%q): %v, want %s", under, err, want)
		}
	}
}

func TestLines(t *testing.T) {
	for body, want := range map[string][]string{
		"": nil, "\n": {""}, "a": {"a"}, "a\n": {"a"}, "a\r\n\r\nb": {"a", "", "b"}, "a\rb\n\x1b]0;x\nc": {"a b", "", "c"}, "\xff": {"\uFFFD"},
	} {
		if got := folder.Lines([]byte(body)); !slices.Equal(got, want) {
			t.Errorf("Lines(%q) = %q, want %q", body, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"cmd/main.go", "main.go", "internal/server.go", "internal/serve_test.go", "README.md"}
	for name, want := range map[string][]string{"mian.go": {"main.go", "cmd/main.go"}, "cmd/man.go": {"cmd/main.go", "main.go"},
		"readme.md": {"README.md"}, "servers.go": {"internal/server.go"}, "zzzzzz": nil} {
		if got := folder.Near(name, names); !slices.Equal(got, want) {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
}

// Whatever a path is made of, nothing is read but the one file that may be.
func TestNoPathReadsMoreThanItMay(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "p")
	write(t, base, "f", "outside")
	write(t, base, "p-evil/f", "outside")
	write(t, dir, "f", "fine")
	write(t, dir, "d/f", "fine")
	write(t, dir, ".env", "secret")
	write(t, dir, ".git/f", "secret")
	for name, target := range map[string]string{"d/up": "..", "d/out": "../..", "l": ".env", "g": ".git", "d/x": "up/../f"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("links need rights here:", err)
		}
	}
	f := open(t, dir)
	part := rapid.SampledFrom([]string{"f", "d", "up", "out", "l", "g", "x", "..", ".", "", ".env", ".git", "p", "p-evil", ".ENV", "f "})
	rapid.Check(t, func(t *rapid.T) {
		name := ""
		for _, p := range rapid.SliceOfN(part, 1, 7).Draw(t, "parts") {
			name += p + "/"
		}
		name = name[:len(name)-1]
		if rapid.Bool().Draw(t, "absolute") {
			name = filepath.Join(dir, name)
		}
		if body, err := f.Read(name, 0); err == nil && string(body) != "fine" {
			t.Fatalf("Read(%q) = %q", name, body)
		}
	})
}
