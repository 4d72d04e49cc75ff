package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// A clone gets the files that are kept for all of them, byte for byte and with the right to be run; what its commit has stays, and
// no link leads out of it.
func TestSow(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	for name, mode := range map[string]os.FileMode{"deps/run.sh": 0o755, "deps/data": 0o644, "README.md": 0o644} {
		write(t, filepath.Join(from, name), "kept "+name, mode)
	}
	for name, to := range map[string]string{"deps/inside": "data", "deps/outside": "../../secret"} {
		if err := os.Symlink(to, filepath.Join(from, name)); err != nil {
			t.Skip(err)
		}
	}
	write(t, filepath.Join(dir, "README.md"), "committed", 0o644)
	if err := sow(from, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"deps/run.sh": "kept deps/run.sh", "deps/data": "kept deps/data", "deps/inside": "kept deps/data",
		"README.md": "committed"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s holds %q, not %q: %v", name, got, want, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "deps/outside")); err == nil {
		t.Error("a link leads out of the clone")
	}
	was, err := os.Stat(filepath.Join(from, "deps/run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if is, err := os.Stat(filepath.Join(dir, "deps/run.sh")); err != nil || is.Mode() != was.Mode() {
		t.Errorf("the mode of a script is not kept: %v", err)
	}
	if n, err := plant(from, filepath.Join(dir, "more"), "deps/data"); n != int64(len("kept deps/data")) || err != nil {
		t.Errorf("%d bytes are told of a file of %d: %v", n, len("kept deps/data"), err)
	}
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
