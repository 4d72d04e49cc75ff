package git

import (
	"os"
	"path/filepath"
	"strings"
)

// plainHead reads where a repository stands without a process of git, which takes longer than all else of a small snapshot. False: it is
// on no branch, or its branch is no file of its own, as in a worktree, in packed-refs or in a reftable. git's gitrepository-layout(5).
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

// small reads a file of one short line in a git dir; empty: there is none of that kind.
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
