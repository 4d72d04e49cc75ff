package git_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
)

func fingerprint(t testing.TB, dir string) git.Fingerprint {
	t.Helper()
	f, err := open(t, dir).Fingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// copyOf makes one copy that goes with the test.
func copyOf(t testing.TB, dir string) *git.Copy {
	t.Helper()
	copies, err := git.Copies(t.Context(), dir, 1, git.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { copies[0].Remove() })
	return copies[0]
}

func changes(t testing.TB, c *git.Copy) []string {
	t.Helper()
	got, err := c.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFingerprintNamesWhatChanged(t *testing.T) {
	cases := []struct {
		name   string
		before func(t *testing.T, dir string)
		change func(t *testing.T, dir string)
		want   []string
	}{
		{name: "nothing", change: func(t *testing.T, dir string) { plain(t, dir, "status") }},
		{name: "edit", change: func(t *testing.T, dir string) { write(t, dir, "a.txt", "x") }, want: []string{"a.txt"}},
		{name: "rewritten with the same bytes", change: func(t *testing.T, dir string) { write(t, dir, "a.txt", "one\ntwo\n") }},
		{name: "edit of an edit",
			before: func(t *testing.T, dir string) { write(t, dir, "a.txt", "xx") },
			change: func(t *testing.T, dir string) { write(t, dir, "a.txt", "yy") }, want: []string{"a.txt"}},
		{name: "new", change: func(t *testing.T, dir string) { write(t, dir, "n/new", "x") }, want: []string{"n/new"}},
		{name: "untracked edited",
			before: func(t *testing.T, dir string) { write(t, dir, "u", "1") },
			change: func(t *testing.T, dir string) { write(t, dir, "u", "2") }, want: []string{"u"}},
		{name: "deleted", change: func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "sub/b.txt")) }, want: []string{"sub/b.txt"}},
		{name: "staged", before: func(t *testing.T, dir string) { write(t, dir, "a.txt", "x") },
			change: func(t *testing.T, dir string) { plain(t, dir, "add", "a.txt") }, want: []string{"a.txt"}},
		{name: "ignored", change: func(t *testing.T, dir string) { write(t, dir, "ignored", "x") }},
		{name: "hidden by info/exclude", change: func(t *testing.T, dir string) {
			write(t, dir, ".git/info/exclude", "secret\n")
			write(t, dir, "secret", "x")
		}, want: []string{".git/info/exclude", "secret"}},
		{name: "hidden by assume-unchanged",
			before: func(t *testing.T, dir string) { plain(t, dir, "update-index", "--assume-unchanged", "a.txt") },
			change: func(t *testing.T, dir string) { write(t, dir, "a.txt", "x") }, want: []string{"a.txt"}},
		{name: "hidden by skip-worktree", change: func(t *testing.T, dir string) {
			plain(t, dir, "update-index", "--skip-worktree", "a.txt")
			write(t, dir, "a.txt", "x")
		}, want: []string{"a.txt"}},
		{name: "setting", change: func(t *testing.T, dir string) { plain(t, dir, "config", "x.y", "z") }, want: []string{".git/config"}},
		{name: "hook", change: func(t *testing.T, dir string) { write(t, dir, ".git/hooks/pre-commit", "#!/bin/sh\n") }, want: []string{".git/hooks/pre-commit"}},
		{name: "branch", change: func(t *testing.T, dir string) { plain(t, dir, "branch", "b") }, want: []string{".git/refs/heads/b"}},
		{name: "commit", change: func(t *testing.T, dir string) { plain(t, dir, "commit", "-q", "--allow-empty", "-m", "m") },
			want: []string{".git/HEAD", ".git/refs/heads/main"}},
		{name: "inside a repository within", before: func(t *testing.T, dir string) {
			plain(t, dir, "init", "-q", "inner")
			write(t, dir, "inner/f", "1")
		}, change: func(t *testing.T, dir string) { write(t, dir, "inner/f", "2") }, want: []string{"inner/f"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := repository(t)
			if c.before != nil {
				c.before(t, dir)
			}
			copied := copyOf(t, dir)
			c.change(t, copied.Dir)
			want := slices.DeleteFunc(slices.Clone(c.want), func(name string) bool { return c.name == "commit" && name != ".git/HEAD" }) // its HEAD names no branch
			if got := changes(t, copied); !slices.Equal(got, want) {
				t.Errorf("changes of a copy = %q, want %q", got, want)
			}
			a := fingerprint(t, dir)
			c.change(t, dir)
			b := fingerprint(t, filepath.Join(dir, "."))
			if got := a.Changes(b); !slices.Equal(got, c.want) {
				t.Errorf("Changes = %q, want %q", got, c.want)
			}
			if got := b.Changes(a); !slices.Equal(got, c.want) {
				t.Errorf("Changes the other way = %q, want %q", got, c.want)
			}
		})
	}
}

func TestWorktreeIsWhatIsThere(t *testing.T) {
	dir := repository(t)
	outside := t.TempDir()
	write(t, outside, "keep", "precious")
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "new/file", "untracked")
	write(t, dir, "ignored", "not me")
	os.Remove(filepath.Join(dir, "sub/b.txt"))
	write(t, dir, "sub/c.txt", "c")
	links := map[string]string{"inside": "a.txt", "abs": outside, "up": "../..", "loop": "loop"}
	if runtime.GOOS != "windows" {
		for name, target := range links {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := fingerprint(t, dir)
	gitDir := listing(t, filepath.Join(dir, ".git"))
	c := copyOf(t, filepath.Join(dir, "sub"))
	copied := c.Dir
	top := filepath.Dir(copied)
	got := listing(t, top)
	got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, ".git/") })
	want := []string{".gitignore", "a.txt", "inside", "new/file", "sub/c.txt"}
	if runtime.GOOS == "windows" {
		want = slices.DeleteFunc(want, func(s string) bool { return s == "inside" })
	}
	if !slices.Equal(got, want) {
		t.Errorf("the copy holds %q, want %q", got, want)
	}
	if log := plain(t, top, "log", "--format=%s"); log != "second: sub\nfirst\n" {
		t.Errorf("log in the copy = %q", log)
	}
	if status := plain(t, top, "status", "--porcelain", "a.txt", "sub/b.txt", "new"); status != " M a.txt\n D sub/b.txt\n?? new/\n" {
		t.Errorf("status in the copy = %q", status)
	}
	// What a check does to the copy reaches neither the repository nor what links lead to.
	plain(t, top, "commit", "-qam", "in the copy")
	plain(t, top, "config", "core.hooksPath", "/elsewhere")
	if err := os.Symlink(outside, filepath.Join(copied, "planted")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(copied, "locked"), 0o700)
	write(t, copied, "locked/x", "x")
	os.Chmod(filepath.Join(copied, "locked"), 0o500)
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(top)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the private folder is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "keep")); err != nil {
		t.Errorf("removing followed a link: %v", err)
	}
	if got := before.Changes(fingerprint(t, dir)); len(got) > 0 {
		t.Errorf("the repository changed: %q", got)
	}
	if after := listing(t, filepath.Join(dir, ".git")); !slices.Equal(gitDir, after) {
		t.Errorf(".git changed from %q to %q", gitDir, after)
	}
}

// A chain of links that only leaves the project when it is walked, not by its spelling.
func TestWorktreeLeavesOutCrookedLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights here")
	}
	dir := repository(t)
	write(t, dir, "x/y/z/f", "f")
	for name, target := range map[string]string{"x/y/z/root": "../../..", "x/y/z/out": "root/../../etc"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	copied := copyOf(t, dir).Dir
	if _, err := os.Lstat(filepath.Join(copied, "x/y/z/out")); err == nil {
		t.Error("the link out is in the copy")
	}
	if _, err := os.Lstat(filepath.Join(copied, "x/y/z/root")); err != nil {
		t.Errorf("the link within is not: %v", err)
	}
}

// A linked work tree and a submodule have a file for a .git, and their data elsewhere.
func TestLinkedWorkTreeAndSubmodule(t *testing.T) {
	main := repository(t)
	linked := filepath.Join(t.TempDir(), "linked")
	plain(t, main, "worktree", "add", "-q", "-b", "side", linked)
	plain(t, main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "mod")
	for _, dir := range []string{linked, filepath.Join(main, "mod")} {
		write(t, dir, "fresh", "1")
		before := fingerprint(t, dir)
		c := copyOf(t, dir)
		copied := c.Dir
		if log := plain(t, copied, "log", "--format=%s"); log != "second: sub\nfirst\n" {
			t.Errorf("log in the copy of %s = %q", dir, log)
		}
		if status := plain(t, copied, "status", "--porcelain"); status != "?? fresh\n" {
			t.Errorf("status in the copy of %s = %q", dir, status)
		}
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
		write(t, dir, "a.txt", "changed")
		if got := before.Changes(fingerprint(t, dir)); !slices.Equal(got, []string{"a.txt"}) {
			t.Errorf("changes in %s = %q", dir, got)
		}
	}
	before := fingerprint(t, main)
	write(t, main, "mod/a.txt", "changed again")
	if got := before.Changes(fingerprint(t, main)); !slices.Equal(got, []string{"mod/a.txt"}) {
		t.Errorf("changes seen from above = %q", got)
	}
	copied := copyOf(t, main).Dir
	if body, err := os.ReadFile(filepath.Join(copied, "mod/a.txt")); string(body) != "changed again" {
		t.Errorf("the submodule in the copy: %q, %v", body, err)
	}
}

// listing returns the files below dir, sorted, with slashes.
func listing(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func BenchmarkFingerprint(b *testing.B) {
	bench(b, func(r git.Repo) error { _, err := r.Fingerprint(b.Context()); return err })
}
func BenchmarkFiles(b *testing.B) {
	bench(b, func(r git.Repo) error { _, err := r.Files(b.Context()); return err })
}

// bench runs f on a repository of 50,000 files, 20 of them changed.
func bench(b *testing.B, f func(git.Repo) error) {
	dir := many(b)
	for i := range 20 {
		write(b, dir, fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%1000, i), "changed\n")
	}
	r := open(b, dir)
	for b.Loop() {
		if err := f(r); err != nil {
			b.Fatal(err)
		}
	}
}

// many is a repository of 50,000 files in one pack, as a clone has it.
func many(b *testing.B) string {
	dir := repository(b)
	line := "a line of a file that is as long as most are\n"
	var all bytes.Buffer
	fmt.Fprint(&all, "commit refs/heads/main\ncommitter t <t@example.com> 1700000000 +0000\ndata 5\nmany\n\nfrom refs/heads/main^0\n")
	for i := range 50_000 {
		name, body := fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%1000, i), fmt.Sprintf("file %d\n", i)+strings.Repeat(line, i%100)
		write(b, dir, name, body)
		fmt.Fprintf(&all, "M 100644 inline %s\ndata %d\n%s\n", name, len(body), body)
	}
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	cmd.Stdin = &all
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v %s", err, out)
	}
	plain(b, dir, "reset", "-q")
	return dir
}
