package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Build caches over their limit lose what was used least lately, and nothing else is touched.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	add := func(name string, age time.Duration) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var files []string
	for i := range 7 {
		files = append(files, add(fmt.Sprintf("GOCACHE/upper/%02d/file", i), time.Duration(7-i)*time.Hour))
	}
	module := add("GOMODCACHE/upper/m@v1/a.go", 1000*time.Hour)
	there := func() (n int) {
		for _, f := range files {
			if _, err := os.Stat(f); err == nil {
				n++
			}
		}
		return n
	}
	if err := trim(dir, 800); err != nil || there() != 7 {
		t.Fatalf("%v; %d of 7 files are left below the limit", err, there())
	}
	if err := trim(dir, 700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files[6]); err != nil || there() != 4 { // 4 and the module are 500, three quarters of 700 are 525
		t.Errorf("%d files are left, and of the newest: %v", there(), err)
	}
	if _, err := os.Stat(module); err != nil {
		t.Error(err)
	}
}
