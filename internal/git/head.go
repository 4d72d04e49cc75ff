package git

import (
	"os"
	"path/filepath"
	"strings"
)

// plainHead reads a repository's head without a process of git, which would take longer than the rest of a small snapshot. It returns
// false on no branch, or if the branch has no file of its own, as in a worktree, in packed-refs or in a reftable. See git's
// gitrepository-layout(5).
func plainHead(dir string) (Head, bool) {
	ref, ok := strings.CutPrefix(small(dir, "HEAD"), "ref: ")
	branch, is := strings.CutPrefix(ref, "refs/heads/")
	if !ok || !is || !filepath.IsLocal(filepath.FromSlash(ref)) {
		return Head{}, false
	}
	hash := small(dir, ref)
	if len(hash) != 40 && len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return Head{}, false
	}
	return Head{branch, hash}, true
}

// small reads a file of one short line in a git dir; empty: there is no such file.
func small(dir, name string) string {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return ""
	}
	text, _ := os.ReadFile(file)
	line, rest, _ := strings.Cut(string(text), "\n")
	if rest != "" {
		return ""
	}
	return line
}
