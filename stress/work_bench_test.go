package stress_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	repository "github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// errand is a run of so many independent steps, whose agent writes one file and is done at once.
func errand(t testing.TB, steps, parallel int) (wall, cpu time.Duration, memory int64) {
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	project, home := filepath.Join(base, "project"), filepath.Join(base, "home")
	var plan strings.Builder
	plan.WriteString("# Plan: Errands\n\n")
	for i := range steps {
		fmt.Fprintf(&plan, "### %d. Errand %d\n\n- files: f%d.txt (new)\n- do: Write f%d.txt.\n- size: small\n- check: `true`\n\n", i+1, i+1, i+1, i+1)
	}
	worker := "info: {id: worker}\nrules:\n  - calls: [{tool: bash, args: {command: 'n=$(basename \"$PWD\" | cut -d - -f 2); echo $n >f$n.txt'}}]\n    reply: Done.\n"
	for _, err := range []error{os.MkdirAll(project, 0o700), os.MkdirAll(home, 0o700),
		os.WriteFile(filepath.Join(base, "plan.md"), []byte(plan.String()), 0o600),
		os.WriteFile(filepath.Join(base, "worker.yaml"), []byte(worker), 0o600),
		os.WriteFile(filepath.Join(project, "README.md"), []byte("# errands\n"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	do := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir, c.Env = project, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return c
	}
	do("git", "init", "-q", "-b", "main")
	do("git", "add", "-A")
	do("git", "commit", "-q", "-m", "first")
	begun := time.Now()
	c := do(program, "execute", filepath.Join(base, "plan.md"), "--name", "errands", "--mode", "yolo", "--allow-check", "true",
		"--parallel", fmt.Sprint(parallel), "--executor", "script:"+filepath.Join(base, "worker.yaml"))
	return time.Since(begun), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak(c)
}

// BenchmarkErrands is what a run takes besides its agents: 40 steps one after the other, whose agent takes no time but one command's.
func BenchmarkErrands(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("carries a plan out")
	}
	for b.Loop() {
		const steps = 40
		none, cpuNone, _ := errand(b, 1, 1)
		wall, cpu, _ := errand(b, steps+1, 1)
		b.ReportMetric((wall-none).Seconds()/steps, "s/step")
		b.ReportMetric((cpu-cpuNone).Seconds()/steps, "cpu-s/step")
	}
}

// BenchmarkManySteps is a run of 500 steps, 16 at once.
func BenchmarkManySteps(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("carries a plan out")
	}
	for b.Loop() {
		const steps = 500
		wall, cpu, memory := errand(b, steps, 16)
		b.ReportMetric(wall.Seconds(), "s")
		b.ReportMetric(cpu.Seconds()/steps, "cpu-s/step")
		b.ReportMetric(float64(memory)/(1<<20), "MiB")
	}
}

// BenchmarkWorkspace holds the workspace of a step in a repository of 50,000 files against git worktree add, and two others against that:
// one in a folder that an earlier step has given up, with a commit that changes a tenth of a percent of the files, and one that exists.
func BenchmarkWorkspace(b *testing.B) {
	dir := b.TempDir()
	git := func(args ...string) {
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for i := range 50_000 {
		name := filepath.Join(dir, fmt.Sprintf("d%d", i/100), fmt.Sprintf("f%d.txt", i))
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprintf("line %d\n", i), 40)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	git("config", "gc.auto", "0") // beside what is measured
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("gc", "-q") // as a repository of that size is
	space, base, err := workspace.Make(b.Context(), dir, filepath.Join(b.TempDir(), "run"), false)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%d", i), fmt.Sprintf("f%d.txt", i*100)), []byte("changed\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	git("commit", "-q", "-a", "-m", "second")
	repo, err := repository.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	head, err := repo.Head(b.Context())
	if err == nil {
		err = space.Know(b.Context(), repo, head.Hash)
	}
	if err != nil {
		b.Fatal(err)
	}
	var tree, made, again, used time.Duration
	n := 0
	for b.Loop() {
		n++
		begun := time.Now()
		git("worktree", "add", "-q", "--detach", filepath.Join(b.TempDir(), "tree"))
		tree += time.Since(begun)
		name := fmt.Sprint("run-1-", n)
		for _, took := range []*time.Duration{&made, &again} {
			begun = time.Now()
			if _, err := space.Clone(b.Context(), name, base.Commit); err != nil {
				b.Fatal(err)
			}
			*took += time.Since(begun)
		}
		if err := space.Release(b.Context(), name, base.Commit, base.Commit); err != nil {
			b.Fatal(err)
		}
		begun = time.Now()
		if _, err := space.Clone(b.Context(), name+"-used", head.Hash); err != nil {
			b.Fatal(err)
		}
		used += time.Since(begun)
		if err := errors.Join(space.Drop(name+"-used"), space.RemoveProofs()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(tree.Seconds()/float64(n), "worktree-s")
	b.ReportMetric(made.Seconds()/tree.Seconds(), "of-worktree")
	b.ReportMetric(used.Seconds()/tree.Seconds(), "reused-of-worktree")
	b.ReportMetric(again.Seconds()/tree.Seconds(), "existing-of-worktree")
}
