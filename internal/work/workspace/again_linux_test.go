package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// two are commits whose trees differ in a file, a folder and a link.
func two(t *testing.T, s *Space) (first, second string) {
	t.Helper()
	commit := func(files map[string]string) string {
		at := s.store.Indexed(filepath.Join(t.TempDir(), "index"))
		for name, text := range files {
			mode := "100644"
			if to, ok := strings.CutPrefix(text, "-> "); ok {
				mode, text = "120000", to
			}
			blob, err := line(at.Run(t.Context(), strings.NewReader(text), "hash-object", "-w", "--stdin"))
			if err == nil {
				_, err = at.Run(t.Context(), nil, "update-index", "--add", "--cacheinfo", mode+","+blob+","+name)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		tree, err := line(at.Run(t.Context(), nil, "write-tree"))
		if err != nil {
			t.Fatal(err)
		}
		of, err := s.Commit(t.Context(), tree, "files")
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	files := map[string]string{"a": "one\n", "b": "two\n", "dir/c": "three\n", "dir/sub/d": "four\n", "other/e": "five\n", "link": "-> a",
		".gitignore": "ignored\n"}
	first = commit(files)
	delete(files, "other/e")
	files["a"], files["link"], files["new/f"] = "ones\n", "-> b", "six\n"
	return first, commit(files)
}

// listed is all that a folder has, its .git too: kind, permissions, links, content and attributes of each name.
func listed(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		info, err := d.Info()
		if err != nil {
			return err
		}
		raw := make([]byte, 1024)
		n, _ := unix.Llistxattr(at, raw)
		says := fmt.Sprintf("%s %q", info.Mode(), raw[:max(n, 0)])
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			if name == ".git/index" { // when and where files were written is in it
				text = nil
			}
			says += fmt.Sprintf(" %d %q", info.Sys().(*syscall.Stat_t).Nlink, text)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			if err != nil {
				return err
			}
			says += to
		}
		all[name] = says
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What is left in a folder that is used again never reaches the next who works there: it is byte for byte, with permissions, links,
// attributes and all of .git, what a new clone is, whatever was done to it.
func TestUsedAgain(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nobody)
	if err != nil {
		t.Skip(err)
	}
	first, second := two(t, s)
	place, err := s.Clone(t.Context(), "new", second)
	if err != nil {
		t.Fatal(err)
	}
	want := listed(t, place)
	clean, err := s.Clean(t.Context(), 7, second, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := listed(t, clean.Dir); !maps.Equal(got, want) {
		t.Fatal("a clone of a check is not one of a task")
	}
	outside := t.TempDir()
	write := func(name, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
	}
	for name, leave := range map[string]func(dir string) error{
		"nothing": func(string) error { return nil },
		"files": func(dir string) error {
			return errors.Join(write(dir+"/more", "x"), write(dir+"/ignored", "x"), write(dir+"/dir/ignored", "x"), write(dir+"/b", "changed"),
				write(dir+"/nested/.git/config", "x"), write(dir+"/with\nnewline/x", "x"), os.Mkdir(dir+"/empty", 0o755), os.Remove(dir+"/dir/c"))
		},
		"git": func(dir string) error {
			g := func(args ...string) error {
				c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
				c.Dir = dir
				return c.Run()
			}
			return errors.Join(write(dir+"/b", "stashed"), g("stash"), g("config", "core.hooksPath", "/evil"), g("branch", "left"), g("tag", "left"),
				write(dir+"/.git/hooks/pre-commit", "#!/bin/sh\n"), write(dir+"/.git/info/exclude", "a\n"), write(dir+"/.git/info/attributes", "* filter=x\n"),
				g("update-index", "--assume-unchanged", "b"), write(dir+"/b", "hidden"))
		},
		"same size and time": func(dir string) error {
			info, err := os.Lstat(dir + "/b")
			if err != nil {
				return err
			}
			return errors.Join(write(dir+"/b", "2wo\n"), os.Chtimes(dir+"/b", info.ModTime(), info.ModTime()))
		},
		"permissions": func(dir string) error {
			return errors.Join(os.Chmod(dir+"/b", 0o777|fs.ModeSetuid), os.Chmod(dir+"/dir", 0o777), os.Chmod(dir+"/dir/sub", 0o500|fs.ModeSetgid))
		},
		"hard link": func(dir string) error {
			os.Remove(filepath.Join(outside, "b"))
			return os.Link(dir+"/b", filepath.Join(outside, "b"))
		},
		"hard link once": func(dir string) error {
			to := filepath.Join(outside, "once")
			return errors.Join(os.Link(dir+"/b", to), os.Remove(to))
		},
		"link before": func(dir string) error { return errors.Join(os.Remove(dir+"/b"), os.Symlink(outside, dir+"/b")) },
		"link of a folder": func(dir string) error {
			return errors.Join(os.RemoveAll(dir+"/dir"), write(outside+"/c", "three\n"), os.Symlink(outside, dir+"/dir"))
		},
		"folder of a file": func(dir string) error { return errors.Join(os.Remove(dir+"/b"), write(dir+"/b/x", "x")) },
		"file of a folder": func(dir string) error { return errors.Join(os.RemoveAll(dir+"/dir"), write(dir+"/dir", "x")) },
		"pipe":             func(dir string) error { return errors.Join(os.Remove(dir+"/b"), syscall.Mkfifo(dir+"/b", 0o644)) },
		"attributes": func(dir string) error {
			for _, name := range []string{"b", "dir"} {
				if err := unix.Lsetxattr(filepath.Join(dir, name), "user.left", []byte("x"), 0); err != nil && !errors.Is(err, unix.ENOTSUP) {
					return err
				}
			}
			return nil
		},
		"top":     func(dir string) error { return os.Chmod(dir, 0o777) },
		"removed": func(dir string) error { return os.RemoveAll(dir) },
	} {
		for _, from := range map[bool][]string{true: {first, second}, false: {first}}[name == "nothing"] {
			dir, err := s.Clone(t.Context(), "one", from)
			if err == nil {
				err = leave(dir)
			}
			if err == nil {
				err = s.Drop("one")
			}
			if err != nil {
				t.Fatal(name, err)
			}
			waits := sparesOf(s).all()
			if len(waits) == 0 && name != "removed" {
				t.Errorf("%s: nothing waits to be used again", name)
			}
			if dir, err = s.Clone(t.Context(), "two", second); err != nil {
				t.Fatal(name, err)
			}
			got := listed(t, dir)
			for _, file := range slices.Sorted(maps.Keys(got)) {
				if got[file] != want[file] {
					t.Errorf("%s: %q is %s, not %s", name, file, got[file], want[file])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d names, not %d: %q", name, len(got), len(want), slices.Sorted(maps.Keys(got)))
			}
			if err := errors.Join(s.Drop("two"), s.RemoveProofs()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A file or link of one name that nobody touched since a time stays; whatever was written to, has another name, or is neither, does not.
func TestUntouched(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("file"), nil, 0o600), os.Symlink("file", at("link")), os.WriteFile(at("twice"), nil, 0o600),
		os.Link(at("twice"), at("again")), syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	later := time.Now().Add(time.Hour)
	for name, want := range map[string]bool{"file": true, "link": true, "twice": false, "again": false, "pipe": false, "folder": false, "absent": false} {
		if got := untouched(in, name, later); got != want {
			t.Errorf("%s stays: %v", name, got)
		}
		if untouched(in, name, time.Now().Add(-time.Hour)) {
			t.Errorf("%s was touched since, and stays", name)
		}
	}
}

// A clone is made once: what somebody did in it is there when it is asked for again. One whose making was broken off is made again.
func TestClone(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nobody)
	if err != nil {
		t.Skip(err)
	}
	first, second := two(t, s)
	for _, c := range []struct {
		broken       bool
		commit, want string
	}{{false, first, "one\n"}, {false, first, "changed"}, {false, second, "changed"}, {true, second, "ones\n"}} {
		if c.broken {
			if err := os.Remove(filepath.Join(s.dir, "index", "t.made")); err != nil {
				t.Fatal(err)
			}
		}
		dir, err := s.Clone(t.Context(), "t", c.commit)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "a")); string(got) != c.want {
			t.Errorf("%+v: the file holds %q (%v)", c, got, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Drop("t"), os.WriteFile(s.Place("t"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Clone(t.Context(), "t", first); err == nil {
		t.Error("a file that lies where the clone belongs was replaced")
	}
}

// What waits is bounded; a clone in which a person changed something, or is at work, is not given up.
func TestRelease(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nobody)
	if err != nil {
		t.Skip(err)
	}
	first, _ := two(t, s)
	here := func(name string) bool {
		_, err := os.Lstat(s.Place(name))
		return err == nil
	}
	for i := range mostSpares + 2 {
		if _, err := s.Clone(t.Context(), fmt.Sprint("n", i), first); err != nil {
			t.Fatal(err)
		}
	}
	for i := range mostSpares + 2 {
		if err := s.Release(t.Context(), fmt.Sprint("n", i), first, first); err != nil || here(fmt.Sprint("n", i)) {
			t.Fatal(err)
		}
	}
	if left, _ := os.ReadDir(sparesOf(s).dir); len(left) != 2*mostSpares {
		t.Error(left)
	}
	dir, err := s.Clone(t.Context(), "mine", first)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, "sleep", "600")
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context(), "mine", first, first); err != nil || !here("mine") {
		t.Error("a workspace in which somebody is at work was given up", err)
	}
	end()
	c.Wait()
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(t.Context(), "mine", first, first); err != nil || !here("mine") {
		t.Error("a workspace with work of a person was given up", err)
	}
}
