package snapshot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/snapshot"
)

// What was too large to be kept is lost when it is overwritten. That it was there is not: what took its place stays.
func TestWhatWasNotKeptIsNotRemoved(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	big := filepath.Join(dir, "big.bin")
	if err := os.WriteFile(big, bytes.Repeat([]byte("x"), snapshot.LargestFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	before := p.take(t)
	for name, text := range map[string]string{"big.bin": "small", "new.txt": "new"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := p.restore(t, before.Tree, p.take(t).Tree)
	if _, err := os.Stat(big); err != nil || !slices.Equal(r.Removed, []string{"new.txt"}) || len(r.Left) != 1 || !strings.HasPrefix(r.Left[0], "big.bin: it existed before") {
		t.Errorf("%v: %+v", err, r)
	}
}

// A file that only its owner can read is no more open than that when it is brought back.
func TestClosedFileStaysClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of another kind there")
	}
	dir := t.TempDir()
	p := open(t, dir)
	for name, perm := range map[string]os.FileMode{"closed": 0o600, "group": 0o640, "program": 0o700, "open": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), perm); err != nil {
			t.Fatal(err)
		}
	}
	before := p.take(t)
	for _, name := range []string{"closed", "group", "program", "open"} {
		os.Remove(filepath.Join(dir, name))
	}
	p = reopen(t, dir, p.store)
	p.restore(t, before.Tree, p.take(t).Tree)
	for name, want := range map[string]os.FileMode{"closed": 0o600, "group": 0o640, "program": 0o700, "open": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}
