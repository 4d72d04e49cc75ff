package work_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Whatever state a repository is in, a run leaves its files, index, stash, refs and settings as they were, starts nothing that it
// names, and still does its work.
func TestRepositories(t *testing.T) {
	for name, c := range map[string]struct {
		make  func(t *testing.T, dir string)
		lacks string
	}{
		"plain":    {func(*testing.T, string) {}, ""},
		"detached": {func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") }, ""},
		"dirty": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b": "staged\n", "c": "mine\n"})
			git(t, dir, "add", "b")
			write(t, dir, map[string]string{"b": "staged, then changed\n"})
		}, "uncommitted changes in 2 files"},
		"mid-merge": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "-b", "other")
			write(t, dir, map[string]string{"b": "theirs\n"})
			git(t, dir, "commit", "-q", "-am", "theirs")
			git(t, dir, "checkout", "-q", "main")
			write(t, dir, map[string]string{"b": "ours\n"})
			git(t, dir, "commit", "-q", "-am", "ours")
			run(dir, "merge", "-q", "other")
		}, "uncommitted changes in 1 file"},
		"index.lock": {func(t *testing.T, dir string) { write(t, dir, map[string]string{".git/index.lock": ""}) }, ""},
		"stash": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b": "later\n"})
			git(t, dir, "stash", "-q")
		}, ""},
		"packed": {func(t *testing.T, dir string) { git(t, dir, "gc", "-q") }, ""},
		"names": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"with space": "x", "with\nnewline": "x", "ünï/cödé": "x", "-dash": "x"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "names")
		}, ""},
		"hooks": {func(t *testing.T, dir string) {
			for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "reference-transaction", "post-index-change"} {
				path := filepath.Join(dir, ".git", "hooks", hook)
				if err := os.WriteFile(path, []byte("#!/bin/sh\ntouch "+filepath.Join(dir, "hooked")+"\nexit 1\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, ""},
		"filters": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{".gitattributes": "* filter=evil diff=evil merge=evil text=auto eol=crlf\n"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "attributes")
			evil := "touch " + filepath.Join(dir, "filtered")
			for _, key := range []string{"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command", "diff.evil.textconv",
				"merge.evil.driver", "core.fsmonitor", "core.editor", "core.pager", "gpg.program", "core.sshCommand"} {
				git(t, dir, "config", key, evil)
			}
			git(t, dir, "config", "commit.gpgSign", "true")
		}, ""},
		"sparse": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"deep/er/x": "x\n"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "deep")
			git(t, dir, "sparse-checkout", "set", "deep")
		}, ""},
		"submodule": {func(t *testing.T, dir string) {
			other := t.TempDir()
			git(t, other, "init", "-q")
			git(t, other, "commit", "-q", "--allow-empty", "-m", "other")
			git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
			git(t, dir, "commit", "-q", "-m", "submodule")
		}, "the content of submodules"},
		"shallow": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b": "2\n"})
			git(t, dir, "commit", "-q", "-am", "second")
			other := t.TempDir()
			git(t, other, "clone", "-q", "--depth", "1", "file://"+dir, "shallow")
			replace(t, dir, filepath.Join(other, "shallow"))
		}, ""},
		"borrowing": {func(t *testing.T, dir string) {
			other := t.TempDir()
			git(t, other, "clone", "-q", "--shared", dir, "shared")
			if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(other, "lender")); err != nil {
				t.Fatal(err)
			}
			replace(t, dir, filepath.Join(other, "shared"))
			write(t, dir, map[string]string{".git/objects/info/alternates": filepath.Join(other, "lender", "objects") + "\n"})
		}, ""},
		"ignored": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{".gitignore": "node_modules/\n", "node_modules/x": "x"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "ignore")
		}, "node_modules, which git ignores"},
		"caches": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"node_modules/x": "x", "sub/__pycache__/x": "x", "c": "mine\n"})
		}, "uncommitted changes in 1 file; node_modules, which is not committed"},
		"branch taken": {func(t *testing.T, dir string) { git(t, dir, "branch", "run"); git(t, dir, "branch", "heads/run") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n"})
			c.make(t, w.project)
			before := digest(t, w.project)
			w.begin(step(1, "Raise a", "files: a (change)", "check: `has a 2`"), record.Options{})
			w.agents["one"] = w.writes(map[string]string{"a": "2\n"})
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			s := w.status()
			if s.State != work.Done || w.at("a") != "2" {
				t.Errorf("%s %q", s.State, s.Tasks[0].Why)
			}
			if after := digest(t, w.project); after != before {
				t.Errorf("the project was changed:\n%s", difference(before, after))
			}
			if lacks := strings.Join(s.Begun.Base.Lacks, "; "); lacks != c.lacks {
				t.Errorf("workspaces lack %q, want %q", lacks, c.lacks)
			}
		})
	}
}

// replace puts a repository in the place of another.
func replace(t *testing.T, dir, by string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(by, dir); err != nil {
		t.Fatal(err)
	}
}

func difference(a, b string) string {
	var out []string
	for line := range strings.Lines(b) {
		if !strings.Contains(a, line) {
			out = append(out, "+"+line)
		}
	}
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			out = append(out, "-"+line)
		}
	}
	return strings.Join(out, "")
}

// Uncommitted work becomes the commit that a run begins with, if that is wanted, without the project's index being touched. What is
// ignored does not, nor what programs keep beside the code, and neither does what an agent's programs keep there.
func TestWithChanges(t *testing.T) {
	t.Run("checkout", func(t *testing.T) { withChanges(t, func(*testing.T, *world) {}) })
	t.Run("worktree", func(t *testing.T) { // the rules of info/exclude are elsewhere
		withChanges(t, func(t *testing.T, w *world) {
			other := filepath.Join(t.TempDir(), "other")
			git(t, w.project, "worktree", "add", "-q", "-b", "other", other)
			w.project = other
		})
	})
}

func withChanges(t *testing.T, change func(*testing.T, *world)) {
	caches := map[string]string{"sub/__pycache__/x.pyc": "x", "node_modules/m/i.js": "x", "out/x.o": "x",
		"out/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n"}
	w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n", ".gitignore": "ignored\n"})
	write(t, w.project, map[string]string{".git/info/exclude": "excluded\n"})
	change(t, w)
	write(t, w.project, map[string]string{"b": "mine\n", "new": "mine\n", "ignored": "x\n", "excluded": "x\n"})
	write(t, w.project, caches)
	before := digest(t, w.project)
	w.begin(step(1, "Raise a", "files: a (change)", "check: `has a 2`", "check: `has b mine`"), record.Options{Changes: true})
	w.agents["one"] = func(j work.Job, n int) work.Report {
		for _, name := range []string{"ignored", "excluded"} {
			if _, err := os.Stat(filepath.Join(j.Dir, name)); err == nil {
				t.Errorf("%s came along", name)
			}
		}
		for name := range caches {
			if _, err := os.Stat(filepath.Join(j.Dir, name)); err == nil {
				t.Errorf("%s came along", name)
			}
		}
		write(t, j.Dir, caches) // its programs keep the same
		return w.writes(map[string]string{"a": "2\n"})(j, n)
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s := w.status(); s.State != work.Done || w.at("new") != "mine" || digest(t, w.project) != before {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
}

// A gc of the project harms no run: its objects are its own.
func TestPruned(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1\n"})
	git(t, w.project, "checkout", "-q", "-b", "topic")
	write(t, w.project, map[string]string{"b": "1\n"})
	git(t, w.project, "add", "-A")
	git(t, w.project, "commit", "-q", "-m", "topic")
	w.begin(step(1, "Raise a", "files: a (change)", "check: `has b 1`"), record.Options{})
	w.agents["one"] = func(j work.Job, n int) work.Report {
		git(t, w.project, "checkout", "-q", "main")
		git(t, w.project, "branch", "-q", "-D", "topic")
		git(t, w.project, "reflog", "expire", "--expire=now", "--all")
		git(t, w.project, "gc", "-q", "--prune=now")
		return w.writes(map[string]string{"a": "2\n"})(j, n)
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s := w.status(); s.State != work.Done || w.at("b") != "1" {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
}

func TestNoRepository(t *testing.T) {
	empty, none, bare := t.TempDir(), t.TempDir(), t.TempDir()
	git(t, empty, "init", "-q")
	git(t, bare, "init", "-q", "--bare")
	for dir, want := range map[string]string{none: "not in a git repository", bare: "not in a git repository", empty: "no commit yet"} {
		if _, _, err := workspace.Make(t.Context(), dir, filepath.Join(t.TempDir(), "run"), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
