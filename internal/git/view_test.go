package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/git"
)

// large makes a repository with more files than are copied in a moment.
func large(t testing.TB) string {
	t.Helper()
	dir := repository(t)
	for i := range 5001 {
		write(t, dir, fmt.Sprintf("d%d/f%d.txt", i%10, i), "text\n")
	}
	write(t, dir, ".gitignore", "built/\n*.log\n")
	write(t, dir, "built/deep/out", "out")
	write(t, dir, "sub/a.log", "said")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-q", "-m", "large")
	plain(t, dir, "init", "-q", "sub/inner")
	write(t, dir, "sub/inner/file", "of another")
	return dir
}

func TestView(t *testing.T) {
	dir := large(t)
	temp := temporary(t, t.TempDir())
	var views git.Views
	v, err := views.See(t.Context(), filepath.Join(dir, "sub"), git.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(v.Hidden)
	if want := []string{"built", "sub/a.log", "sub/inner/.git"}; v.From != dir || !slices.Equal(v.Hidden, want) || v.Dir != filepath.Join(v.At, "sub") {
		t.Errorf("%s shown at %s without %v, want %v", v.From, v.At, v.Hidden, want)
	}
	if views.Of(v.Dir) != v || views.Of(dir) != nil {
		t.Error("it is not known by where it is shown, or another folder is")
	}
	if got, want := plain(t, filepath.Dir(v.Git), "rev-parse", "HEAD"), plain(t, dir, "rev-parse", "HEAD"); got != want {
		t.Errorf("its HEAD is %s, want %s", got, want)
	}
	if err := v.Remove(); err != nil || views.Of(v.Dir) != nil {
		t.Errorf("%v, and %v", err, views.Of(v.Dir))
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}

	tree := filepath.Join(t.TempDir(), "tree") // whose .git is a file
	plain(t, dir, "worktree", "add", "-q", "--detach", tree)
	if v, err = views.See(t.Context(), tree, git.Limits{}); err != nil {
		t.Fatal(err)
	}
	defer v.Remove()
	if text, err := os.ReadFile(v.Git); err != nil || !strings.HasPrefix(string(text), "gitdir: "+filepath.Dir(v.At)) {
		t.Errorf("%q %v", text, err)
	}
}

func TestNoView(t *testing.T) {
	temp := temporary(t, t.TempDir())
	var views, unable git.Views
	unable.Able = func() error { return errors.New("not here") }
	small, big, crowded := repository(t), large(t), large(t)
	write(t, crowded, ".gitignore", "*.o\n")
	for i := range 300 {
		write(t, crowded, fmt.Sprintf("d1/%d.o", i), "")
	}
	for name, see := range map[string]func() (*git.View, error){
		"small":   func() (*git.View, error) { return views.See(t.Context(), small, git.Limits{}) },
		"crowded": func() (*git.View, error) { return views.See(t.Context(), crowded, git.Limits{}) },
		"unable":  func() (*git.View, error) { return unable.See(t.Context(), big, git.Limits{}) },
		"none":    func() (*git.View, error) { return (*git.Views)(nil).See(t.Context(), big, git.Limits{}) },
	} {
		if v, err := see(); v != nil || !errors.Is(err, git.ErrCopy) {
			t.Errorf("%s: %v %v", name, v, err)
		}
	}
	if _, err := views.See(t.Context(), big, git.Limits{Files: 5000}); err == nil || !strings.Contains(err.Error(), "too big to copy") {
		t.Errorf("too many files: %v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// BenchmarkView holds showing 50,000 files, and no longer showing them, against `git worktree add`, as BenchmarkCopy does.
func BenchmarkView(b *testing.B) {
	dir := many(b)
	temporary(b, b.TempDir())
	var views git.Views
	before := spent()
	for b.Loop() {
		v, err := views.See(b.Context(), dir, git.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if err := v.Remove(); err != nil {
			b.Fatal(err)
		}
	}
	shown := spent() - before
	before = spent()
	plain(b, dir, "worktree", "add", "-q", "--detach", filepath.Join(b.TempDir(), "tree"))
	tree := spent() - before
	b.ReportMetric(shown.Seconds()/float64(b.N), "show-s")
	b.ReportMetric(tree.Seconds(), "worktree-s")
	b.ReportMetric(shown.Seconds()/float64(b.N)/tree.Seconds(), "of-worktree")
}
