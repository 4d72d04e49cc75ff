package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// Locks of git are removed; the files of agents and programs, readable or not, are theirs.
func TestUnlock(t *testing.T) {
	s := &Space{dir: t.TempDir()}
	theirs := filepath.Join(s.dir, "caches", "layer1", "upper", "work", "work") // as an overlay that a kill ended leaves it
	locks := map[string]bool{}
	for name, stays := range map[string]bool{"index/build.lock": false, "store.git/refs/heads/main.lock": false,
		"caches/cargo.lock": true, "tasks/build/yarn.lock": true, "proof/1/.git/index.lock": true, "store.git/objects/a.lock": true} {
		write(t, filepath.Join(s.dir, filepath.FromSlash(name)), "", 0o600)
		locks[name] = stays
	}
	if err := os.MkdirAll(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(theirs, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Unlock(); err != nil {
		t.Fatal(err)
	}
	for name, stays := range locks {
		if _, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name))); (err == nil) != stays {
			t.Errorf("%s: stays is %t: %v", name, stays, err)
		}
	}
}
