package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
)

// plain runs git the way a person would, without anything of the person's own settings.
func plain(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2024-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2024-02-03T04:05:06Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// repository makes one with two commits: a.txt, then sub/b.txt and a .gitignore.
func repository(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	plain(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "a.txt", "one\ntwo\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "first")
	write(t, dir, "sub/b.txt", "b\n")
	write(t, dir, ".gitignore", "ignored\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "second: sub")
	return dir
}

func open(t testing.TB, dir string) git.Repo {
	t.Helper()
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOpenFindsTheWorkTree(t *testing.T) {
	dir := repository(t)
	for _, from := range []string{dir, filepath.Join(dir, "sub")} {
		if got := open(t, from).Top(); got != dir {
			t.Errorf("Open(%s).Top() = %s, want %s", from, got, dir)
		}
	}
	if _, err := git.Open(t.TempDir()); !errors.Is(err, git.ErrNone) {
		t.Errorf("a plain folder: %v, want ErrNone", err)
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := git.Open(empty); !errors.Is(err, git.ErrNone) {
		t.Errorf("an empty .git: %v, want ErrNone", err)
	}
	if _, err := git.Open(filepath.Join(dir, "nowhere")); err == nil || errors.Is(err, git.ErrNone) {
		t.Errorf("a missing folder: %v, want an error of its own", err)
	}
}

func TestHeadFilesAndLog(t *testing.T) {
	dir := repository(t)
	ctx := t.Context()
	write(t, dir, "ignored", "x")
	write(t, dir, "new ü\n.txt", "x")
	r := open(t, dir)
	head, err := r.Head(ctx)
	if err != nil || head.Branch != "main" || len(head.Hash) != 40 || len(head.Short()) != 12 {
		t.Errorf("Head = %+v, %v", head, err)
	}
	files, err := r.Files(ctx)
	slices.Sort(files)
	if want := []string{".gitignore", "a.txt", "new ü\n.txt", "sub/b.txt"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("Files = %q, %v, want %q", files, err, want)
	}
	below := open(t, filepath.Join(dir, "sub"))
	if files, err := below.Files(ctx); err != nil || !slices.Equal(files, []string{"b.txt"}) {
		t.Errorf("Files below = %q, %v", files, err)
	}
	log, err := r.Log(ctx, "", "", 10)
	if err != nil || len(log) != 2 || log[0].Subject != "second: sub" || log[0].Date != "2024-02-03" {
		t.Errorf("Log = %+v, %v", log, err)
	}
	if log, err := r.Log(ctx, "main", "a.txt", 10); err != nil || len(log) != 1 || log[0].Subject != "first" {
		t.Errorf("Log of a.txt = %+v, %v", log, err)
	}
	if log, err := below.Log(ctx, "", "", 10); err != nil || len(log) != 1 {
		t.Errorf("Log below = %+v, %v", log, err)
	}
}

// Where a repository stands is what git says, wherever it keeps it.
func TestHead(t *testing.T) {
	said := func(dir string) git.Head {
		branch := strings.TrimSpace(plain(t, dir, "branch", "--show-current"))
		return git.Head{Branch: branch, Hash: strings.TrimSpace(plain(t, dir, "-c", "core.warnAmbiguousRefs=false", "rev-parse", "HEAD"))}
	}
	dir := repository(t)
	for _, step := range [][]string{
		{"status"}, {"switch", "-q", "-c", "feature/ä"}, {"pack-refs", "--all"}, {"commit", "-q", "--allow-empty", "-m", "x"},
		{"symbolic-ref", "refs/heads/other", "refs/heads/main"}, {"switch", "-q", "other"}, {"tag", "HEAD"}, {"switch", "-q", "main"},
		{"switch", "-q", "--detach", "main~1"},
	} {
		plain(t, dir, step...)
		if got, err := open(t, dir).Head(t.Context()); err != nil || got != said(dir) {
			t.Errorf("after git %v: Head = %+v, %v, want %+v", step, got, err, said(dir))
		}
	}
	plain(t, dir, "tag", "-d", "HEAD")
	tree := filepath.Join(t.TempDir(), "tree")
	plain(t, dir, "worktree", "add", "-q", "-b", "beside", tree)
	if got, err := open(t, tree).Head(t.Context()); err != nil || got != said(tree) || got.Branch != "beside" {
		t.Errorf("of a worktree: Head = %+v, %v, want %+v", got, err, said(tree))
	}
	plain(t, dir, "switch", "-q", "main")
	outside, r := filepath.Join(dir, "secret"), open(t, dir)
	write(t, dir, "secret", strings.Repeat("a", 40)+"\n")
	for _, head := range []string{"ref: refs/heads/../../../secret\n", "ref: " + outside + "\n", "ref: refs/heads/../heads/main\n"} {
		write(t, dir, ".git/HEAD", head)
		if got, err := r.Head(t.Context()); err == nil && strings.Contains(got.Hash, "aaaa") {
			t.Errorf("%q: Head = %+v", head, got)
		}
	}
}

func TestRepositoryWithoutACommit(t *testing.T) {
	dir := t.TempDir()
	plain(t, dir, "init", "-q", "-b", "main")
	r := open(t, dir)
	if head, err := r.Head(t.Context()); err != nil || head != (git.Head{Branch: "main"}) || head.Short() != "" {
		t.Errorf("Head = %+v, %v", head, err)
	}
	if _, err := r.Log(t.Context(), "", "", 1); !errors.Is(err, git.ErrRevision) {
		t.Errorf("Log: %v, want ErrRevision", err)
	}
	if _, err := r.Fingerprint(t.Context()); err != nil {
		t.Error(err)
	}
	copied := copyOf(t, dir)
	write(t, copied.Dir, "x", "")
	if got := changes(t, copied); !slices.Equal(got, []string{"x"}) {
		t.Errorf("changes of the copy = %q", got)
	}
	if err := copied.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(copied.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
}

func TestRevisionsCannotBeOptionsOrObjects(t *testing.T) {
	dir := repository(t)
	write(t, dir, "--output=gotcha", "")
	r := open(t, dir)
	blob := strings.TrimSpace(plain(t, dir, "rev-parse", "HEAD:a.txt"))
	bad := []string{"", "-p", "--output=x", "HEAD:a.txt", ":0:a.txt", ":/first", "HEAD^{/first}", "HEAD..main", blob,
		"HEAD^{tree}", "nowhere", "HEAD\n--all", "HEAD x", "*", strings.Repeat("a", 300)}
	for _, rev := range bad {
		if hash, err := r.Resolve(t.Context(), rev); err == nil {
			t.Errorf("Resolve(%q) = %s", rev, hash)
		}
	}
	for _, rev := range []string{"HEAD", "HEAD~1", "HEAD^", "main", "main@{0}"} {
		if hash, err := r.Resolve(t.Context(), rev); err != nil || len(hash) != 40 {
			t.Errorf("Resolve(%q) = %s, %v", rev, hash, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gotcha")); err == nil {
		t.Error("a file was written")
	}
}

func TestDiffAndShow(t *testing.T) {
	dir := repository(t)
	ctx := t.Context()
	write(t, dir, "a.txt", "one\nTWO\n")
	write(t, dir, "sub/b.txt", "B\n")
	r := open(t, dir)
	got, err := r.Diff(ctx, git.Query{Size: 1 << 20})
	if err != nil || !strings.Contains(got.Body, "+TWO") || !strings.Contains(got.Body, "+B") {
		t.Errorf("Diff = %q, %v", got.Body, err)
	}
	hide := func(name string) bool { return name == "a.txt" }
	got, err = r.Diff(ctx, git.Query{Size: 1 << 20, Hide: hide})
	if err != nil || strings.Contains(got.Body, "TWO") || !strings.Contains(got.Body, "+B") || !slices.Equal(got.Hidden, []string{"a.txt"}) {
		t.Errorf("Diff without a.txt = %+v, %v", got, err)
	}
	got, err = r.Show(ctx, git.Query{From: "HEAD~1", Size: 1 << 20, Hide: hide})
	if err != nil || strings.Contains(got.Body, "two") || !strings.Contains(got.Body, "    first") {
		t.Errorf("Show without a.txt = %+v, %v", got, err)
	}
	below := open(t, filepath.Join(dir, "sub"))
	got, err = below.Diff(ctx, git.Query{Size: 1 << 20})
	if err != nil || strings.Contains(got.Body, "TWO") || !strings.Contains(got.Body, "a/b.txt") {
		t.Errorf("Diff below = %q, %v", got.Body, err)
	}
	got, err = r.Diff(ctx, git.Query{From: "HEAD~1", To: "HEAD", Stat: true, Size: 1 << 20})
	if err != nil || !strings.Contains(got.Body, "2 files changed") {
		t.Errorf("Diff --stat = %q, %v", got.Body, err)
	}
	plain(t, dir, "add", "sub")
	got, err = r.Diff(ctx, git.Query{Staged: true, Size: 1 << 20})
	if err != nil || strings.Contains(got.Body, "TWO") || !strings.Contains(got.Body, "+B") {
		t.Errorf("Diff of what is staged = %q, %v", got.Body, err)
	}
	if got, err = r.Diff(ctx, git.Query{Size: 10}); err != nil || len(got.Body) != 10 || !got.Cut {
		t.Errorf("Diff of 10 bytes = %+v, %v", got, err)
	}
	if _, err := below.Diff(ctx, git.Query{Path: "../a.txt", Size: 100}); err == nil {
		t.Error("Diff went above its folder")
	}
	body, cut, err := r.Blob(ctx, "HEAD", "a.txt", 5)
	if err != nil || string(body) != "one\nt" || !cut {
		t.Errorf("Blob = %q, %v, %v", body, cut, err)
	}
	if _, _, err := below.Blob(ctx, "HEAD", "../a.txt", 5); err == nil {
		t.Error("Blob went above its folder")
	}
}

func TestCancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := open(t, repository(t))
	cancel()
	if _, err := r.Files(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Files = %v, want cancelled", err)
	}
}

// A repository that names a program wherever it can. Each would leave a file behind.
func TestHostileRepositoryRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the canary is a shell script")
	}
	dir := repository(t)
	canary := filepath.Join(t.TempDir(), "canary")
	trap := filepath.Join(dir, "trap.sh")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >>"+canary+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, "hooks")
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"} {
		write(t, hooks, hook, "")
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho "+hook+" >>"+canary+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, ".gitattributes", "*.txt diff=evil filter=evil.with=odd\nsub/* filter=clean\n")
	evil := "[core]\n\tfsmonitor = " + trap + "\n\thooksPath = " + hooks + "\n\tpager = " + trap + "\n\tworktree = /\n" +
		"[diff]\n\texternal = " + trap + "\n\tsubmodule = diff\n[diff \"evil\"]\n\ttextconv = " + trap + "\n\tcommand = " + trap + "\n" +
		"[filter \"evil.with=odd\"]\n\tclean = " + trap + "\n\tsmudge = " + trap + "\n\tprocess = " + trap + "\n\trequired = true\n" +
		"[filter \"clean\"]\n\tclean = " + trap + "\n\tsmudge = " + trap + "\n" +
		"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + trap + "\n[pager]\n\tlog = " + trap + "\n" +
		"[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n[submodule]\n\trecurse = true\n" +
		"[remote \"origin\"]\n\turl = ext::" + trap + "\n\tpromisor = true\n\tpartialclonefilter = blob:none\n" +
		"[alias]\n\tlog = !" + trap + "\n"
	write(t, dir, "evil.config", evil)
	plain(t, dir, "config", "include.path", "../evil.config")
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "sub/b.txt", "changed\n")
	t.Setenv("GIT_EXTERNAL_DIFF", trap)
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor="+trap+"'")

	r, ctx := open(t, dir), t.Context()
	if r.Top() != dir {
		t.Errorf("Top = %s, want %s", r.Top(), dir)
	}
	_, err := r.Files(ctx)
	_, err2 := r.Log(ctx, "", "", 5)
	diff, err3 := r.Diff(ctx, git.Query{Size: 1 << 20})
	_, err4 := r.Show(ctx, git.Query{From: "HEAD", Size: 1 << 20})
	_, err5 := r.Fingerprint(ctx)
	_, _, err6 := r.Blob(ctx, "HEAD", "a.txt", 100)
	copied := copyOf(t, dir)
	for _, name := range []string{"evil.config", ".gitattributes"} { // a seat may do to its copy what this repository does
		if body, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			write(t, copied.Dir, name, string(body))
		}
	}
	plain(t, copied.Dir, "config", "include.path", "../evil.config")
	write(t, copied.Dir, "fresh", "")
	changes(t, copied)
	if err := errors.Join(err, err2, err3, err4, err5, err6, copied.Remove()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(diff.Body, "+changed") {
		t.Errorf("Diff = %q", diff.Body)
	}
	if said, err := os.ReadFile(canary); err == nil {
		t.Errorf("the repository ran:\n%s", said)
	}
	// The trap works: git left to itself springs it.
	os.Unsetenv("GIT_CONFIG_PARAMETERS")
	cmd := exec.Command("git", "--work-tree="+dir, "diff")
	cmd.Dir = dir
	cmd.Run()
	if _, err := os.Stat(canary); err != nil {
		t.Error("the trap would not have gone off at all")
	}
}
