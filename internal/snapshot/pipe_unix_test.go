//go:build unix

package snapshot_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A pipe, which would hold up whoever opens it, in the place of a file that was kept.
func TestPipesAreNeverOpened(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	write(t, dir, "a", "a")
	first := p.take(t)
	try(t, os.Remove(filepath.Join(dir, "a")))
	try(t, syscall.Mkfifo(filepath.Join(dir, "a"), 0o600))
	try(t, syscall.Mkfifo(filepath.Join(dir, "b"), 0o600))
	second := p.take(t)
	if held := p.tree(t, second.Tree); len(held) > 0 || !slices.Equal(second.Left, []string{"a: a pipe, socket or device"}) {
		t.Errorf("the snapshot holds %v without %q", held, second.Left)
	}
	if r := p.restore(t, first.Tree, second.Tree); len(r.Files) > 0 || len(r.Left) != 1 {
		t.Errorf("Restore = %+v", r)
	}
}
