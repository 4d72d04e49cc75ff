package inuse_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/store"
)

// TestStoreInsideAProject: a project may be the folder that the store lies in. Its searches, reads and copies leave the store alone
// while it is open.
func TestStoreInsideAProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a lock belongs to the handle that took it here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("a note\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(dir, "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := f.Reader()
	defer reader.Close()
	for _, name := range []string{"s.db", "s.db-wal", "s.db-shm"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Raw(name, 1<<20); err == nil {
			t.Errorf("%s was read", name)
		}
		if _, err := reader.Read(name, 1<<20); err == nil {
			t.Errorf("%s was searched", name)
		}
	}
	copies, err := git.Copies(t.Context(), dir, 1, git.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer copies[0].Remove()
	entries, err := os.ReadDir(copies[0].Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"notes.txt"}) {
		t.Errorf("the copy has %q", names)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Raw("s.db", 1<<20); err != nil {
		t.Errorf("a store that nobody has open is a file: %v", err)
	}
}
