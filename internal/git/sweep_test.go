package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
)

// Copies whose maker was killed are removed by the next one; those in use, and folders of others, stay.
func TestCopiesOfTheDeadAreSwept(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(temp, "socrates-copy-dead")
	foreign := filepath.Join(temp, "socrates-copy-foreign")
	for _, dir := range []string{dead, foreign} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dead, ".owner"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, remove, err := git.CopyTree(t.Context(), from, git.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	_, removeSecond, err := git.CopyTree(t.Context(), from, git.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer removeSecond()
	if _, err := os.Stat(dead); err == nil {
		t.Error("the copy of a dead process is still there")
	}
	for _, dir := range []string{first, foreign} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%s is gone: %v", dir, err)
		}
	}
}
