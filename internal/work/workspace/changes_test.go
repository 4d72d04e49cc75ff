package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run that begins with uncommitted work takes in what the person's git would add, and counts nothing else as changed.
func TestUncommittedWorkIsWhatGitWouldAdd(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	const rules = "*.mine\nkept\n"
	for name, settings := range map[string]map[string]string{
		"nothing set":     {".config/git/ignore": rules},
		"a file is named": {".gitconfig": "[core]\n\texcludesFile = ~/rules\n", "rules": rules},
		"in an include":   {".gitconfig": "[include]\n\tpath = more\n", "more": "[core]\n\texcludesfile = ~/rules\n", "rules": rules},
	} {
		t.Run(name, func(t *testing.T) {
			home, project := t.TempDir(), t.TempDir()
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			write := func(dir, name, text string) {
				t.Helper()
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range settings {
				write(home, name, text)
			}
			for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir = project
				if said, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %s: %v: %s", args[0], err, said)
				}
			}
			write(project, ".git/info/exclude", "*.local\n!kept\n")
			for _, name := range []string{"new", "a.mine", "b.local", "kept"} {
				write(project, name, "text\n")
			}
			_, begun, err := Make(t.Context(), project, t.TempDir(), false)
			if err != nil || len(begun.Lacks) != 1 || begun.Lacks[0] != "uncommitted changes in 2 files" {
				t.Errorf("a workspace lacks %q: %v", begun.Lacks, err)
			}
			s, begun, err := Make(t.Context(), project, t.TempDir(), true)
			if err != nil {
				t.Fatal(err)
			}
			taken, err := s.store.Run(t.Context(), nil, "ls-tree", "-r", "--name-only", begun.Commit)
			if want := "kept\nnew"; err != nil || strings.TrimSpace(string(taken)) != want {
				t.Errorf("taken in: %q, want %q: %v", taken, want, err)
			}
		})
	}
}
