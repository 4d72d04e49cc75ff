package rooms

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrawKey: the key of a room follows from a secret that only this store has, and that nobody can guess.
func TestDrawKey(t *testing.T) {
	one, other := filepath.Join(t.TempDir(), "store.db"), filepath.Join(t.TempDir(), "store.db")
	key := func(store, room string) string {
		k, err := drawKey(store, room)
		if err != nil || len(k) != 64 {
			t.Fatal(k, err)
		}
		return k
	}
	if first, again := key(one, "a"), key(one, "a"); first != again {
		t.Error("a room that is resumed draws otherwise")
	}
	if key(one, "a") == key(one, "b") || key(one, "a") == key(other, "a") {
		t.Error("two rooms, or two stores, draw alike")
	}
	file := filepath.Join(filepath.Dir(one), "draw.key")
	secret, err := os.ReadFile(file)
	if err != nil || len(secret) != secretBytes || strings.Count(string(secret), "\x00") > 8 {
		t.Errorf("the secret is %x (%v)", secret, err)
	}
	if is, err := os.Stat(file); err != nil || is.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others can read it: %v (%v)", is.Mode(), err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := drawKey(one, "a"); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("an empty secret gives %s, %v", k, err)
	}
}
