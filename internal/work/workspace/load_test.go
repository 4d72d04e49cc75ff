package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A folder is measured as far as so many files say, and told so.
func TestSizeOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]int64{0: 0, 2: 200, 3: 300, 4: 300} {
		if sum, whole := SizeOf(dir, most); sum != want || whole != (most >= 3) {
			t.Errorf("of %d files: %d bytes, whole %t", most, sum, whole)
		}
	}
	if sum, whole := SizeOf(filepath.Join(dir, "absent"), 5); sum != 0 || !whole {
		t.Errorf("of no folder: %d, %t", sum, whole)
	}
}

// What is taken is told in a unit that suits it, and nothing is said of what is not there.
func TestLoadTold(t *testing.T) {
	for want, l := range map[string]Load{
		"|": {},
		"1 program: 0.3 s of CPU, 1 KB of memory|":                        {Programs: 1, CPU: 300 * time.Millisecond, Memory: 1},
		"2 programs: 61.0 s of CPU, 3.7 MB of memory|over 1.5 GB on disk": {2, 61 * time.Second, 3_900_000, 3 << 29, true},
		"|1023 KB on disk": {Disk: 1023 << 10},
		"|1.0 MB on disk":  {Disk: 1 << 20},
	} {
		if got := l.Working() + "|" + l.OnDisk(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
