package code_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/fleet/code"
)

// files are the paths and kinds in a folder, but for git's own, with what is in them.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			all[rel] = "folder"
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			all[rel] = "-> " + to
		case info.Mode().IsRegular():
			raw, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			all[rel] = fmt.Sprintf("%v %x", info.Mode()&0o111 != 0, sha256.Sum256(raw))
		default:
			all[rel] = info.Mode().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same compares two folders, leaving out names.
func same(t testing.TB, what, a, b string, but ...string) {
	t.Helper()
	left, right := files(t, a), files(t, b)
	for _, pair := range [][2]map[string]string{{left, right}, {right, left}} {
		for name, is := range pair[0] {
			if pair[1][name] != is && !slices.Contains(but, name) {
				t.Errorf("%s: %q is %q and %q", what, name, left[name], right[name])
			}
		}
	}
}

// hostile is a project with what breaks programs that are careless with files.
func hostile(t testing.TB) string {
	t.Helper()
	dir := repository(t)
	for _, name := range []string{"with space.txt", "with\nline.txt", "-dash", ":colon", "tab\t", "\"quoted\"", "glob*?[", "ü.txt", "in valid\xff\xfe", "d\xff/x y",
		"aux", "trailing ", "a\\b", "#hash", "~tilde", "$HOME", "`x`"} {
		put(t, dir, name, "of "+name)
	}
	put(t, dir, "run.sh", "#!/bin/sh\n")
	put(t, dir, "crlf.txt", "a\r\nb\r\n")
	put(t, dir, ".gitattributes", "* text=auto eol=lf ident\n*.txt filter=evil working-tree-encoding=UTF-16\n*.bin filter=lfs diff=lfs merge=lfs -text\n")
	put(t, dir, "p.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")
	put(t, dir, "id.c", "$Id$\n")
	put(t, dir, "empty.txt", "")
	plain(t, dir, "config", "filter.evil.clean", "touch "+filepath.Join(dir, "PWNED"))
	plain(t, dir, "config", "filter.evil.smudge", "touch "+filepath.Join(dir, "PWNED"))
	plain(t, dir, "config", "filter.evil.required", "true")
	plain(t, dir, "config", "core.fsmonitor", "touch "+filepath.Join(dir, "PWNED"))
	for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "pre-push", "reference-transaction"} {
		put(t, dir, ".git/hooks/"+hook, "#!/bin/sh\ntouch "+filepath.Join(dir, "PWNED")+"\n")
		if err := os.Chmod(filepath.Join(dir, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.Chmod(filepath.Join(dir, "run.sh"), 0o755), os.MkdirAll(filepath.Join(dir, "empty/deeper"), 0o755),
		os.Symlink("run.sh", filepath.Join(dir, "link")), os.Symlink("sub", filepath.Join(dir, "to a folder")),
		os.Symlink("/etc/passwd", filepath.Join(dir, "outside")), os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestHostileFolder: everything that can be taken along comes to the worker as it is, and back as it was made, and no program that the
// project names runs.
func TestHostileFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other disks do not take these names")
	}
	h, project := newHub(t), hostile(t)
	put(t, project, "deep/testdata/server.key", "not committed\n")
	inner := filepath.Join(project, "third")
	put(t, inner, "lib.c", "int x;\n")
	plain(t, inner, "init", "-q")
	put(t, inner, ".gitignore", "built\n")
	put(t, inner, "built", "x")
	before := tracked(t, filepath.Join(project, ".git"))
	r, dir, _ := fetched(t, h, temp(t), "t1", project)
	if now := tracked(t, filepath.Join(project, ".git")); now != before {
		t.Errorf("the project's .git was changed: %s", differing(before, now))
	}
	left := []string{".env", "ignored", "ignored/x", "outside", "dangling", "deep", "deep/testdata", "deep/testdata/server.key", "third/built"}
	same(t, "fetched", project, dir, left...)
	said := plain(t, dir, "--git-dir="+gitDir(t, r), "log", "-1", "--format=%B", "refs/heads/base")
	for _, lack := range []string{"secrets: .env, deep/testdata/server.key", "the link outside", "the link dangling", "history of third",
		"Git LFS keeps elsewhere: p.bin"} {
		if !strings.Contains(said, lack) {
			t.Errorf("%q is not said to be lacking: %s", lack, said)
		}
	}
	for _, name := range []string{"with\nline.txt", "in valid\xff\xfe", "d\xff/x y"} {
		put(t, dir, name, "changed")
	}
	put(t, dir, "new\xff\n/f", "new")
	put(t, dir, "third/lib.c", "int y;\n")
	put(t, dir, "crlf.txt", "c\r\n")
	err := errors.Join(os.Remove(filepath.Join(dir, "link")), os.Symlink("with space.txt", filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "run.sh"), 0o644),
		os.Chmod(filepath.Join(dir, "-dash"), 0o755), os.Remove(filepath.Join(dir, ":colon")),
		os.Remove(filepath.Join(dir, "aux")), os.Mkdir(filepath.Join(dir, "aux"), 0o755), os.RemoveAll(filepath.Join(dir, "sub")))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "aux/now a folder", "x")
	put(t, dir, "sub", "now a file")
	if err := os.Remove(filepath.Join(dir, "to a folder")); err != nil {
		t.Fatal(err)
	}
	if _, err := code.Push(t.Context(), r, dir, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := code.Take(t.Context(), h.dir, "t1", 1, project); err != nil {
		t.Fatal(err)
	}
	same(t, "taken", project, dir, left...)
	if _, err := os.Lstat(filepath.Join(project, "PWNED")); err == nil {
		t.Error("a program that the project names ran")
	}
	if left, _ := filepath.Glob(filepath.Join(project, ".socrates-take-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if now := tracked(t, filepath.Join(project, ".git")); now != before {
		t.Errorf("the project's .git was changed by the take: %s", differing(before, now))
	}
}

// gitDir is the one that a worker keeps for itself.
func gitDir(t testing.TB, r code.Remote) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(r.Dir, "trees", "*.git"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}

// TestHostileAgent: what an agent does to its .git, or writes into attributes, does not decide what is pushed.
func TestHostileAgent(t *testing.T) {
	h, project := newHub(t), repository(t)
	r, dir, _ := fetched(t, h, temp(t), "t1", project)
	pwned := filepath.Join(temp(t), "PWNED")
	put(t, dir, "a.txt", "committed by the agent\n")
	plain(t, dir, "checkout", "-q", "-b", "mine")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "the agent's")
	put(t, dir, "after.txt", "and after\n")
	for key, value := range map[string]string{"filter.evil.clean": "touch " + pwned, "core.fsmonitor": "touch " + pwned, "core.hooksPath": dir, "core.worktree": "/etc",
		"remote.origin.url": "ext::touch " + pwned, "core.excludesFile": filepath.Join(dir, "all")} {
		plain(t, dir, "config", key, value)
	}
	put(t, dir, ".gitattributes", "*.txt filter=evil\n")
	put(t, dir, ".git/info/exclude", "*\n")
	put(t, dir, "all", "*\n")
	commit, err := code.Push(t.Context(), r, dir, 1)
	if err != nil || commit == "" {
		t.Fatal(commit, err)
	}
	changes, err := code.Changes(t.Context(), h.dir, "t1", 1)
	if got, want := strings.Join(changes, " "), ".gitattributes a.txt after.txt all"; err != nil || got != want {
		t.Errorf("pushed %q, %v, want %q", got, err, want)
	}
	if _, err := os.Lstat(pwned); err == nil {
		t.Error("a program that the agent named ran")
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, ".git")), os.Symlink("/", filepath.Join(dir, ".git"))); err != nil {
		t.Fatal(err)
	}
	if again, err := code.Push(t.Context(), r, dir, 1); err != nil || again != commit {
		t.Errorf("without its .git: %q, %v", again, err)
	}
	put(t, dir, "nested/f", "x")
	plain(t, filepath.Join(dir, "nested"), "init", "-q")
	plain(t, filepath.Join(dir, "nested"), "add", ".")
	plain(t, filepath.Join(dir, "nested"), "commit", "-qm", "x")
	if _, err := code.Push(t.Context(), r, dir, 1); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("a repository inside: %v", err)
	}
}

// TestKindsOfFolders: a folder that is no repository, one without a commit, one whose HEAD is detached, one below the top, one whose
// history has secrets, one that a repository ignores.
func TestKindsOfFolders(t *testing.T) {
	h := newHub(t)
	bare := filepath.Join(temp(t), "plain")
	put(t, bare, "x/y.txt", "y\n")
	put(t, bare, ".env", "secret")
	if err := os.MkdirAll(filepath.Join(bare, "nothing in it"), 0o755); err != nil {
		t.Fatal(err)
	}
	unborn := filepath.Join(temp(t), "unborn")
	put(t, unborn, "f.txt", "f\n")
	plain(t, unborn, "init", "-q")
	detached := repository(t)
	plain(t, detached, "checkout", "-q", "--detach", "HEAD~1")
	leaky := repository(t)
	plain(t, leaky, "add", "-f", ".env")
	plain(t, leaky, "commit", "-qm", "oops")
	plain(t, leaky, "rm", "-q", ".env")
	plain(t, leaky, "commit", "-qm", "gone")
	keys := repository(t)
	put(t, keys, "sub/testdata/server.key", "a test's\n")
	plain(t, keys, "add", "-A", "--", ":!.env")
	plain(t, keys, "commit", "-qm", "a test")
	shallow := filepath.Join(temp(t), "shallow")
	plain(t, filepath.Dir(shallow), "clone", "-q", "--depth=1", "file://"+keys, shallow)
	for task, c := range map[string]struct{ folder, log, has, lacks string }{
		"plain":    {bare, "", "x/y.txt", ".env"},
		"unborn":   {unborn, "The files as given to the worker\n", "f.txt", ""},
		"detached": {detached, "first\n", "new.txt", ".env"},
		"below":    {filepath.Join(repository(t), "sub"), "second\nfirst\n", "b.txt", ".env"},
		"leaky":    {leaky, "The files as given to the worker\n", "a.txt", ".env"},
		"keys":     {keys, "a test\nsecond\nfirst\n", "sub/testdata/server.key", ".env"},
		"ignored":  {filepath.Join(repository(t), "ignored"), "", "x", ""},
		"shallow":  {shallow, "a test\n", "sub/testdata/server.key", ""},
	} {
		r, dir, at := fetched(t, h, temp(t), task, c.folder)
		if _, err := os.Lstat(filepath.Join(at, c.has)); err != nil {
			t.Errorf("%s: %v", task, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, c.lacks)); c.lacks != "" && err == nil {
			t.Errorf("%s has %s", task, c.lacks)
		}
		log, err := person(at, "log", "--format=%s")
		if log = strings.SplitN(log, "\n\n", 2)[0]; (err == nil) != (c.log != "") || err == nil && log != c.log {
			t.Errorf("%s: the log is %q, %v, want %q", task, log, err, c.log)
		}
		objects := filepath.Join(gitDir(t, r))
		if out := plain(t, objects, "--git-dir=.", "rev-list", "--objects", "--all"); strings.Contains(out, ".env") {
			t.Errorf("%s: a secret came along: %s", task, out)
		}
		put(t, at, "made.txt", "made\n")
		if commit, err := code.Push(t.Context(), r, dir, 1); err != nil || commit == "" {
			t.Errorf("%s: %q, %v", task, commit, err)
		}
		if paths, err := code.Take(t.Context(), h.dir, task, 1, c.folder); err != nil || strings.Join(paths, " ") != "made.txt" {
			t.Errorf("%s: %q, %v", task, paths, err)
		}
		if got := read(t, c.folder, "made.txt"); got != "made\n" {
			t.Errorf("%s has %q", task, got)
		}
	}
}

// TestTakeRefuses: what changed in the folder since is named and nothing is lost; a file that was not touched may change.
func TestTakeRefuses(t *testing.T) {
	h := newHub(t)
	for name, c := range map[string]struct {
		do   func(project string) error
		says string
	}{
		"changed": {func(p string) error { return os.WriteFile(filepath.Join(p, "a.txt"), []byte("mine\n"), 0o644) }, "a.txt has changed"},
		"deleted": {func(p string) error { return os.Remove(filepath.Join(p, "a.txt")) }, "a.txt was deleted"},
		"made":    {func(p string) error { return os.WriteFile(filepath.Join(p, "fresh.txt"), []byte("mine\n"), 0o644) }, "fresh.txt exists already"},
		"mode":    {func(p string) error { return os.Chmod(filepath.Join(p, "a.txt"), 0o755) }, "a.txt has changed"},
		"kind": {func(p string) error {
			return errors.Join(os.Remove(filepath.Join(p, "a.txt")), os.Symlink("new.txt", filepath.Join(p, "a.txt")))
		}, "a.txt has changed"},
		"a link for one": {func(p string) error { return os.Symlink("sub", filepath.Join(p, "deep")) }, "deep is no longer the folder"},
		"out":            {func(p string) error { return os.Symlink(os.TempDir(), filepath.Join(p, "deep")) }, "deep"},
		"in the way":     {func(p string) error { return os.WriteFile(filepath.Join(p, "deep"), nil, 0o644) }, "deep is no longer the folder"},
		"below":          {func(p string) error { return os.WriteFile(filepath.Join(p, "sub/c.txt"), nil, 0o644) }, "sub/c.txt is in the way"},
		"read-only":      {func(p string) error { return os.WriteFile(filepath.Join(p, "new.txt"), []byte("untouched"), 0o644) }, ""},
	} {
		project, task := repository(t), strings.ReplaceAll(name, " ", "-")
		r, dir, _ := fetched(t, h, temp(t), task, project)
		put(t, dir, "a.txt", "the worker's\n")
		put(t, dir, "fresh.txt", "fresh\n")
		put(t, dir, "deep/er/f.txt", "deep\n")
		if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "sub", "now a file\n")
		if _, err := code.Push(t.Context(), r, dir, 1); err != nil {
			t.Fatal(err)
		}
		if err := c.do(project); err != nil {
			t.Fatal(err)
		}
		before := tracked(t, project)
		_, err := code.Take(t.Context(), h.dir, task, 1, project)
		if c.says == "" {
			if err != nil || read(t, project, "new.txt") != "untouched" || read(t, project, "sub") != "now a file\n" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if now := tracked(t, project); now != before {
			t.Errorf("%s: the folder was changed: %s", name, differing(before, now))
		}
	}
}

// TestManyAtOnce: tasks of one project are offered, fetched and pushed at once, by workers that share what they keep.
func TestManyAtOnce(t *testing.T) {
	h, project, worker := newHub(t), repository(t), temp(t)
	var all sync.WaitGroup
	for i := range 6 {
		task := fmt.Sprintf("t%d", i)
		dir := filepath.Join(temp(t), "work")
		all.Go(func() {
			commit, err := code.Offer(t.Context(), h.dir, task, project)
			if err != nil {
				t.Error(err)
				return
			}
			h.let(task, "p", 1)
			r := h.remote(worker, task, "p")
			if _, err = code.Fetch(t.Context(), r, commit, dir); err == nil {
				err = os.WriteFile(filepath.Join(dir, task+".txt"), []byte(task), 0o644)
			}
			if err == nil {
				_, err = code.Push(t.Context(), r, dir, 1)
			}
			if err == nil {
				_, err = code.Take(t.Context(), h.dir, task, 1, project)
			}
			if err = errors.Join(err, code.Drop(h.dir, task)); err != nil {
				t.Errorf("%s: %v", task, err)
			}
		})
	}
	all.Wait()
	for i := range 6 {
		if name := fmt.Sprintf("t%d", i); read(t, project, name+".txt") != name {
			t.Errorf("%s is not there", name)
		}
	}
}

// noise is what no program can pack.
func noise(n int) string {
	r := rand.NewChaCha8([32]byte{1})
	raw := make([]byte, n)
	r.Read(raw)
	return string(raw)
}

// TestSecondFetch: of a project that a worker had before, only what is new is sent, to a repository and to a plain folder.
func TestSecondFetch(t *testing.T) {
	h, worker := newHub(t), temp(t)
	folder := filepath.Join(temp(t), "plain")
	put(t, folder, "x", "x")
	for kind, project := range map[string]string{"repository": repository(t), "plain": folder} {
		put(t, project, "big.bin", noise(3<<20))
		fetched(t, h, worker, kind+"1", project)
		first := h.sent.Swap(0)
		put(t, project, "x.txt", "one more file\n")
		_, dir, _ := fetched(t, h, worker, kind+"2", project)
		second := h.sent.Swap(0)
		if first < 3<<20 || second > 20<<10 {
			t.Errorf("%s: first %d bytes, then %d", kind, first, second)
		}
		same(t, kind, project, dir, ".env", "ignored", "ignored/x")
	}
}

// TestLarge: 50 MB go there and back.
func TestLarge(t *testing.T) {
	h, project := newHub(t), repository(t)
	put(t, project, "there.bin", noise(50<<20))
	r, dir, _ := fetched(t, h, temp(t), "t1", project)
	same(t, "fetched", project, dir, ".env", "ignored", "ignored/x")
	put(t, dir, "there.bin", noise(51 << 20)[1<<20:])
	if _, err := code.Push(t.Context(), r, dir, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := code.Take(t.Context(), h.dir, "t1", 1, project); err != nil {
		t.Fatal(err)
	}
	same(t, "taken", project, dir, ".env", "ignored", "ignored/x")
}

// TestCancel: a fetch and a push that are given up leave no git behind, and the next ones work.
func TestCancel(t *testing.T) {
	h, project := newHub(t), repository(t)
	put(t, project, "big.bin", noise(20<<20))
	commit, err := code.Offer(t.Context(), h.dir, "t1", project)
	if err != nil {
		t.Fatal(err)
	}
	h.let("t1", "p", 1)
	r := h.remote(temp(t), "t1", "p")
	ctx, cancel := context.WithCancel(t.Context())
	h.while = func(sent int64) {
		if sent > 1<<20 {
			cancel()
		}
	}
	if _, err := code.Fetch(ctx, r, commit, filepath.Join(temp(t), "w")); !errors.Is(err, context.Canceled) {
		t.Errorf("the fetch: %v", err)
	}
	h.while = nil
	dir := filepath.Join(temp(t), "w")
	if _, err := code.Fetch(t.Context(), r, commit, dir); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "bigger.bin", noise(21 << 20)[7:])
	ctx, cancel = context.WithCancel(t.Context())
	h.within = func(req *http.Request) {
		if req.Method == http.MethodPost {
			req.Body = &cut{ReadCloser: req.Body, after: 1 << 20, do: cancel}
		}
	}
	if _, err := code.Push(ctx, r, dir, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("the push: %v", err)
	}
	h.within = nil
	if commit, err := code.Push(t.Context(), r, dir, 1); err != nil || commit == "" {
		t.Errorf("the next push: %q, %v", commit, err)
	}
	h.server.Close() // waits for those who are still served
	if left, _ := filepath.Glob(filepath.Join(h.dir, "*.git", "incoming-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if runtime.GOOS == "linux" {
		tasks, _ := filepath.Glob("/proc/self/task/*/children")
		for _, file := range tasks {
			if raw, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(raw)) != "" {
				t.Errorf("processes are left: %s", raw)
			}
		}
	}
}

// cut calls do once so many bytes were read.
type cut struct {
	io.ReadCloser
	after int
	do    func()
}

func (c *cut) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.after -= n; c.after < 0 {
		c.do()
	}
	return n, err
}
