package code

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSwapBack: if one step of a take fails, the steps before it are taken back.
func TestSwapBack(t *testing.T) {
	dir := t.TempDir()
	put := func(name, body string) {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("gone/deep/a", "a")
	put("b", "b")
	put("folder/c", "c")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	list := []change{
		{name: "gone/deep/a", was: plainFile, mode: nothing},
		{name: "folder/c", was: plainFile, mode: nothing},
		{name: "b", was: plainFile, mode: plainFile},
		{name: "new/deep/d", was: nothing, mode: plainFile},
		{name: "folder", was: nothing, mode: plainFile},
		{name: "e", was: nothing, mode: plainFile}, // whose content is not laid
	}
	for _, name := range []string{"2", "3", "4"} {
		put(stageName+"x/new-"+name, "new")
	}
	swap := &taking{root: root, stage: stageName + "x"}
	if err := swap.swap(list); err == nil {
		t.Fatal("it did not fail")
	}
	for name, want := range map[string]string{"gone/deep/a": "a", "b": "b", "folder/c": "c"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"new", "e"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestClearTaking: what a take that was cut off left in the folder goes, and nothing that another name leads to.
func TestClearTaking(t *testing.T) {
	dir, at := t.TempDir(), t.TempDir()
	stage, mine := filepath.Join(dir, stageName+"x"), filepath.Join(dir, "mine")
	for _, c := range []struct {
		named string
		stays bool
	}{{stage, false}, {mine, true}} {
		if err := os.MkdirAll(c.named, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(at, takingFile), c.named); err != nil {
			t.Fatal(err)
		}
		clearTaking(at)
		if _, err := os.Lstat(c.named); (err == nil) != c.stays {
			t.Errorf("%s: %v", c.named, err)
		}
	}
}
