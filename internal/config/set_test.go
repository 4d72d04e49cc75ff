package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/config"
)

const commented = `# My settings.

seats: # who sits
  - claude
  - codex # the second

# Limits.
debate:
  rounds: 2 # enough

  # patience
  timeout: "10m"

output.color: never
`

// What is unset is gone with its line and with the section that it leaves empty; all else stays as it was.
func TestUnset(t *testing.T) {
	for _, c := range []struct{ before, key, after string }{
		{commented, "debate.rounds", strings.Replace(commented, "  rounds: 2 # enough\n", "", 1)},
		{commented, "output.color", strings.Replace(commented, "\noutput.color: never\n", "", 1)},
		{"debate:\n  rounds: 3\nseats: [a]\n", "debate.rounds", "seats: [a]\n"},
		{"debate:\n  rounds: 3\n", "debate.rounds", ""},
		{"seats: [a]\n", "debate.rounds", "seats: [a]\n"},
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		write(t, file, c.before)
		if err := config.Unset(file, c.key); err != nil {
			t.Errorf("%s: %v", c.key, err)
		}
		if got, _ := os.ReadFile(file); string(got) != c.after {
			t.Errorf("%s: got\n%s\nwant\n%s", c.key, got, c.after)
		}
	}
	if err := config.Unset(filepath.Join(t.TempDir(), "none"), "debate.round"); err == nil {
		t.Error("an unknown key was unset")
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ name, before, key, value, after string }{
		{"new file", "", "debate.rounds", "3", "debate:\n  rounds: 3\n"},
		{"comment only", "# hello\n", "debate.rounds", "3", "# hello\ndebate:\n  rounds: 3\n"},
		{"number", commented, "debate.rounds", "3", strings.Replace(commented, "rounds: 2", "rounds: 3", 1)},
		{"dotted", commented, "output.color", "always", strings.Replace(commented, "never", "always", 1)},
		{"duration", commented, "debate.timeout", "1m30s", strings.Replace(commented, `"10m"`, "1m30s", 1)},
		{"into a section", commented, "debate.grace", "5s", strings.Replace(commented, "\"10m\"\n", "\"10m\"\n  grace: 5s\n", 1)},
		{"new section", commented, "checks.timeout", "5s", commented + "checks:\n  timeout: 5s\n"},
		{"provider", "providers:\n  a:\n    model: x\n", "providers.b.model", "y z", "providers:\n  a:\n    model: x\n  b:\n    model: y z\n"},
		{"list", "seats: [a]\n", "seats", "b, c: d", "seats: [b, 'c: d']\n"},
		{"empty list", "seats:\n  - a\n", "seats", "", "seats: []\n"},
		{"empty section", "debate:\n", "debate.rounds", "1", "debate:\n  rounds: 1\n"},
		{"flow", "debate: {rounds: 1, grace: 1s}\n", "debate.rounds", "2", "debate: {rounds: 2, grace: 1s}\n"},
		{"mends an invalid value", "debate:\n  rounds: 9\n", "debate.rounds", "4", "debate:\n  rounds: 4\n"},
		{"text like a number", "", "providers.a.model", "123", "providers:\n  a:\n    model: \"123\"\n"},
	} {
		file := filepath.Join(t.TempDir(), "new", "config.yaml")
		if c.before != "" {
			write(t, file, c.before)
		}
		if err := config.Set(file, c.key, c.value); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, _ := os.ReadFile(file)
		if string(got) != c.after {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.after)
		}
		if _, _, err := config.Load(config.Sources{UserFile: file}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".config-*")); len(left) > 0 {
			t.Errorf("%s: left over: %v", c.name, left)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ before, key, value, message string }{
		{commented, "debate.round", "1", "did you mean debate.rounds?"},
		{commented, "debate.rounds", "9", "must be 1 to 4"},
		{commented, "output.color", "a\nb", "control characters"},
		{commented, "providers.<name>.key", "env:X", "unknown key"},
		{"debate: 5\n", "debate.rounds", "1", "is a section"},
		{"debate: [\n", "debate.rounds", "1", "not YAML"},
		{commented, "providers.x.key", "env:not a name canary", "a variable name"},
	} {
		file := write(t, filepath.Join(t.TempDir(), "config.yaml"), c.before)
		err := config.Set(file, c.key, c.value)
		if _, ok := errors.AsType[*config.Error](err); !ok || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "canary") {
			t.Errorf("Set(%q, %q): %v", c.key, c.value, err)
		}
		if got, _ := os.ReadFile(file); string(got) != c.before {
			t.Errorf("Set(%q, %q) changed the file", c.key, c.value)
		}
	}
}

func TestSetKeepsLinkAndPrivacy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and permission bits")
	}
	dir := t.TempDir()
	target := write(t, filepath.Join(dir, "dotfiles", "socrates.yaml"), "seats: [a]\n")
	link := filepath.Join(dir, "config.yaml")
	if err := errors.Join(os.Chmod(target, 0o644), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := config.Set(link, "providers.x.key", "sk-plain-key"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if info, err = os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	load(t, config.Sources{UserFile: link})

	made := filepath.Join(dir, "deep", "socrates", "config.yaml")
	if err := config.Set(made, "debate.rounds", "1"); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(filepath.Dir(made)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, %v", info.Mode(), err)
	}
	if err := errors.Join(os.Remove(target), config.Set(link, "debate.rounds", "1")); err == nil || !strings.Contains(err.Error(), "broken symbolic link") {
		t.Errorf("dangling link: %v", err)
	}
}
