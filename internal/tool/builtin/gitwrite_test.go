package builtin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// repo is a bench in a repository with one commit, whose settings start programs wherever git lets them.
func repo(t *testing.T) *bench {
	d := newBench(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	write(t, home, ".gitconfig", "[user]\n\tname = Some One\n\temail = one@example.org\n[core]\n\thooksPath = "+filepath.ToSlash(home)+"\n[commit]\n\tgpgSign = true\n")
	run(t, d.dir, "init", "-q", "-b", "main")
	write(t, d.dir, "a.txt", "one\n")
	write(t, d.dir, "b.txt", "one\n")
	run(t, d.dir, "add", ".")
	run(t, d.dir, "commit", "-qm", "first")
	return d
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestGitStatusAndBlame(t *testing.T) {
	d := repo(t)
	write(t, d.dir, "a.txt", "one\ntwo\n")
	write(t, d.dir, "sub/new\x1b[2J", "x\n")
	write(t, d.dir, ".env", "KEY="+canary)
	run(t, d.dir, "rm", "-q", "b.txt")
	got := d.must("git_status").Text
	head, rest, _ := strings.Cut(got, "\n")
	if !strings.HasPrefix(head, "On main, at ") || rest != " M a.txt\nD  b.txt\n?? .env  (may contain secrets: never shown)\n?? sub/new\n" {
		t.Errorf("git_status = %q", got)
	}
	if got := d.must("git_status", "path", "sub").Text; !strings.HasSuffix(got, ".\n?? sub/new\n") {
		t.Errorf("git_status of sub = %q", got)
	}
	hash := strings.TrimSpace(git(t, d.dir, "rev-parse", "--short=12", "HEAD"))
	blame := d.must("git_blame", "path", "a.txt").Text
	if !strings.HasPrefix(blame, hash+" 20") || !strings.Contains(blame, " first\n     1\tone\nnot committed yet\n     2\ttwo\n") {
		t.Errorf("git_blame = %q", blame)
	}
	if got := d.must("git_blame", "path", "a.txt", "rev", "HEAD", "from", 1, "to", 1).Text; strings.Contains(got, "two") {
		t.Errorf("git_blame of HEAD = %q", got)
	}
	write(t, d.dir, "a.txt", strings.Repeat("x\n", 2100))
	long := d.must("git_blame", "path", "a.txt", "from", 50, "to", 2100).Text
	if !strings.Contains(long, "  2049\tx\n") || !strings.HasSuffix(long, "[continue with from=2050]\n") {
		t.Errorf("git_blame of 2100 lines ends in %q", long[max(0, len(long)-80):])
	}
	d.fails([]string{"never shown"}, "git_blame", "path", ".env")
	d.fails([]string{"outside"}, "git_blame", "path", "../x")
	d.fails([]string{"--output=x"}, "git_blame", "path", "a.txt", "rev", "--output=x")
}

func TestGitCommit(t *testing.T) {
	d := repo(t)
	write(t, d.dir, "staged by others.txt", "x\n")
	run(t, d.dir, "add", "staged by others.txt")
	write(t, d.dir, "a.txt", "two\n")
	write(t, d.dir, "b.txt", "two\n")
	write(t, d.dir, "sub/new.txt", "new\n")
	write(t, d.dir, "sub/.env", "KEY="+canary)
	out := d.must("git_commit", "message", "Change it's text\n\n# no comment\n", "paths", []string{"a.txt", "sub", "sub/new.txt"})
	if got := git(t, d.dir, "show", "--name-only", "--format=%an <%ae>|%B", "HEAD"); got != "Some One <one@example.org>|Change it's text\n\n# no comment\n\n\na.txt\nsub/new.txt\n" {
		t.Errorf("the commit is %q", got)
	}
	if got := git(t, d.dir, "status", "--porcelain"); got != " M b.txt\nA  \"staged by others.txt\"\n?? sub/.env\n" {
		t.Errorf("afterwards %q", got)
	}
	if !strings.HasPrefix(out.Text, "Committed as ") || !strings.Contains(out.Text, "[sub/.env may contain secrets and was left out]") {
		t.Errorf("text %q", out.Text)
	}
	a := d.acts[0]
	if want := []string{"git", "commit", "-m", "Change it's text\n\n# no comment", "--only", "--", "a.txt", "sub/new.txt"}; !slices.Equal(a.Argv, want) || a.Dir != d.dir {
		t.Errorf("asked for %q in %s", a.Argv, a.Dir)
	}
	if want := "git commit -m 'Change it'\\''s text\n\n# no comment'\n M a.txt\n?? sub/new.txt\n"; a.Text != want {
		t.Errorf("shown %q, want %q", a.Text, want)
	}
	run(t, d.dir, "rm", "-q", "sub/new.txt")
	os.Remove(filepath.Join(d.dir, "b.txt"))
	d.must("git_commit", "message", "all of it", "paths", []string{"b.txt", "sub/new.txt"}, "all", true)
	if got := git(t, d.dir, "show", "--name-status", "--format=", "HEAD"); got != "D\tb.txt\nA\tstaged by others.txt\nD\tsub/new.txt\n" {
		t.Errorf("the second is %q", got)
	}
	for _, c := range []struct {
		want string
		args []any
	}{
		{"message is empty", []any{"message", " \n", "paths", []string{"a.txt"}}},
		{"name the paths", []any{"message", "x"}},
		{"nothing changed there", []any{"message", "x", "paths", []string{"a.txt"}}},
		{"never shown", []any{"message", "x", "paths", []string{"sub/.env"}}},
		{"may contain secrets", []any{"message", "x", "paths", []string{"."}}},
		{"outside", []any{"message", "x", "paths", []string{"../x"}}},
	} {
		d.fails([]string{c.want}, "git_commit", c.args...)
	}
}

// A repository names hooks, filters and programs to sign with; none of them runs, and what needs one is refused.
func TestGitCommitRunsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	d := repo(t)
	mark := filepath.Join(t.TempDir(), "mark")
	trap := "#!/bin/sh\ntouch '" + mark + "'\n"
	for _, hook := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-index-change", "reference-transaction"} {
		write(t, d.dir, ".git/hooks/"+hook, trap)
		os.Chmod(filepath.Join(d.dir, ".git", "hooks", hook), 0o755)
	}
	write(t, d.dir, ".git/trap", trap)
	os.Chmod(filepath.Join(d.dir, ".git", "trap"), 0o755)
	program := filepath.Join(d.dir, ".git", "trap")
	for _, setting := range []string{"core.fsmonitor", "core.editor", "gpg.program", "gpg.ssh.program", "filter.x.clean", "filter.x.process", "diff.x.textconv", "diff.external",
		"trailer.x.command", "core.sshCommand", "sequence.editor"} {
		run(t, d.dir, "config", setting, program)
	}
	run(t, d.dir, "config", "commit.gpgSign", "true")
	run(t, d.dir, "config", "core.hooksPath", filepath.Join(d.dir, ".git", "hooks"))
	os.Remove(mark)
	write(t, d.dir, ".gitattributes", "*.big filter=x\n*.txt diff=x\n")
	write(t, d.dir, "f.big", "x\n")
	write(t, d.dir, "a.txt", "two\n")
	d.must("git_status")
	d.must("git_blame", "path", "a.txt")
	d.must("git_blame", "path", "a.txt", "rev", "HEAD")
	d.must("git_commit", "message", "x", "paths", []string{"a.txt", ".gitattributes"})
	d.fails([]string{"f.big", "the filter x"}, "git_commit", "message", "x", "paths", []string{"f.big"})
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the repository ran")
	}
}

func TestGitCommitOfNobody(t *testing.T) {
	d := repo(t)
	write(t, os.Getenv("HOME"), ".gitconfig", "")
	write(t, d.dir, "a.txt", "two\n")
	d.fails([]string{"user.name"}, "git_commit", "message", "x", "paths", []string{"a.txt"})
}
