package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

// What cannot be done whole is taken back, folders that were made included.
func TestApplyIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "one\n")
	write(t, dir, "g", "one\n")
	write(t, dir, "h", "one\n")
	f := open(t, dir)
	look := func(name string) folder.File {
		was, err := f.Look(name)
		if err != nil {
			t.Fatal(err)
		}
		return was
	}
	edit := folder.Change{Was: look("f"), Now: []byte("two\n")}
	remove := folder.Change{Was: look("g"), Gone: true}
	add := folder.Change{Was: look("n/m/new"), Now: []byte("new\n")}
	for name, last := range map[string]folder.Change{"changed twice": edit, "deleted twice": remove, "made twice": add} {
		err := f.Apply(edit, remove, add, last)
		if e, ok := errors.AsType[*folder.Error](err); !ok || e.Reason != folder.Stale {
			t.Errorf("%s: %v", name, err)
		}
		for file, want := range map[string]string{"f": "one\n", "g": "one\n", "h": "one\n"} {
			if body, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(body) != want {
				t.Errorf("%s: %s holds %q, %v", name, file, body, err)
			}
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 3 {
			t.Errorf("%s: left are %v, %v", name, names, err)
		}
	}
	if err := f.Apply(edit, remove, add); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(filepath.Join(dir, "n", "m", "new")); err != nil || string(body) != "new\n" {
		t.Errorf("n/m/new holds %q, %v", body, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 3 {
		t.Errorf("left are %v, %v", names, err)
	}
}

func TestReader(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	long := strings.Repeat("a line of a long file\n", 10_000)
	for name, body := range map[string]string{"a/1": "one", "a/2": long, "a/3": "", "b/1": "x\x00y", "b/2": "two", "b/.env": "secret"} {
		write(t, dir, name, body)
	}
	if err := os.Symlink(".env", filepath.Join(dir, "b", "key")); err != nil {
		t.Skip("links need rights here:", err)
	}
	if err := errors.Join(os.Symlink("2", filepath.Join(dir, "b", "link")), os.Symlink(outside, filepath.Join(dir, "c"))); err != nil {
		t.Fatal(err)
	}
	write(t, outside, "1", "outside")
	r := open(t, dir).Reader()
	defer r.Close()
	for range 2 {
		for _, c := range [][2]string{{"a/1", "one"}, {"a/2", long}, {"a/3", ""}, {"b/2", "two"}, {"a/1", "one"}} {
			if body, err := r.Read(c[0], 1<<20); err != nil || string(body) != c[1] {
				t.Errorf("%s: %.30q, %v", c[0], body, err)
			}
		}
		for name, want := range map[string]folder.Reason{"b/1": folder.Binary, "b/key": folder.Irregular, "b/link": folder.Irregular, "c/1": folder.Outside, "a/2": folder.Huge, "a": folder.Irregular, "d/1": folder.Missing} {
			body, err := r.Read(name, 1000)
			if e, ok := errors.AsType[*folder.Error](err); !ok || e.Reason != want {
				t.Errorf("%s: %.30q, %v, want %s", name, body, err, want)
			}
		}
	}
}
