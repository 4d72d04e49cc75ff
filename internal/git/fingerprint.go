package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Fingerprint is the state of a repository at one moment: for each path what is staged and what is on disk, and under
// .git/ the settings, hooks and refs. Nobody can hide a change from it with git's own means (assume-unchanged,
// skip-worktree, info/exclude, settings). Files that .gitignore ignores are left out; .gitignore itself is not. Values
// can only be compared.
type Fingerprint map[string]string

// Changes names the paths that differ between a and b, sorted, relative to the top of the work tree.
func (a Fingerprint) Changes(b Fingerprint) []string {
	differ := map[string]bool{}
	for _, pair := range [][2]Fingerprint{{a, b}, {b, a}} {
		for name, v := range pair[0] {
			if w, ok := pair[1][name]; !ok || v != w {
				differ[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// tooLong is the size above which a file is identified by its size and times instead of its content.
const tooLong = 64 << 20

// Fingerprint takes the fingerprint of the whole work tree, even if r was opened below its top. Nested repositories are
// included. Only files that differ from the index are read. If the repository changes during the read, the result is
// inconsistent, so fingerprints are only compared where nobody else writes.
func (r Repo) Fingerprint(ctx context.Context) (Fingerprint, error) {
	f := Fingerprint{}
	err := Repo{program: r.program, dir: r.top, top: r.top}.fingerprint(ctx, f, "")
	if err != nil {
		return nil, fmt.Errorf("looking at the work tree: %w", err)
	}
	return f, nil
}

// fingerprint adds what a repository consists of besides its files: its head, its settings, its index. It descends into
// submodules, under their paths.
func (r Repo) fingerprint(ctx context.Context, f Fingerprint, under string) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	f[under+".git/HEAD"] = head.Branch + " " + head.Hash
	if err := r.settings(ctx, f, under); err != nil {
		return err
	}
	staged, suspects, err := r.staged(ctx)
	if err != nil {
		return err
	}
	off, err := filtersOff(ctx, r)
	if err != nil {
		return err
	}
	out, cut, err := r.run(ctx, listSize, off, "diff-files", "-z", "--name-only", "--ignore-submodules=all")
	if err != nil || cut {
		return orCut(err)
	}
	suspects = append(suspects, fields(out)...)
	// No --exclude-standard: it would obey info/exclude.
	others, err := r.list(ctx, "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
	if err != nil {
		return err
	}
	for name, entry := range staged {
		f[under+name] = entry
	}
	for _, name := range append(suspects, others...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.lookAt(ctx, r, under, name, staged[name]); err != nil {
			return err
		}
	}
	return nil
}

// staged returns what is staged per path, and the paths whose state on disk git was told to ignore or does not check.
func (r Repo) staged(ctx context.Context) (staged map[string]string, suspects []string, err error) {
	rows, err := r.list(ctx, "ls-files", "-z", "-v", "--stage", "--cached")
	if err != nil {
		return nil, nil, err
	}
	staged = make(map[string]string, len(rows))
	for _, row := range rows {
		entry, name, ok := strings.Cut(row, "\t")
		if !ok || len(entry) < 2 {
			return nil, nil, fmt.Errorf("git ls-files printed %q", row)
		}
		tag, entry := entry[0], entry[2:]
		staged[name] += entry // an unmerged path has up to three entries
		if tag == 'S' || tag >= 'a' && tag <= 'z' || strings.HasPrefix(entry, "160000") {
			suspects = append(suspects, name)
		}
	}
	return staged, suspects, nil
}

// lookAt adds what is on disk at name unless it equals what is staged.
func (f Fingerprint) lookAt(ctx context.Context, r Repo, under, name, staged string) error {
	full := filepath.Join(r.top, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil {
		f[under+name] = staged + " gone"
		return nil
	}
	if info.IsDir() {
		inner := strings.TrimSuffix(name, "/") + "/"
		f[under+name] = staged + " folder"
		if _, err := os.Lstat(filepath.Join(full, ".git")); err != nil {
			return nil
		}
		return Repo{program: r.program, dir: full, top: full}.fingerprint(ctx, f, under+inner)
	}
	now := content(full, info, newHash(staged))
	if staged == "" || !strings.HasPrefix(staged, now+" ") {
		f[under+name] = staged + " disk " + now
	}
	return nil
}

// newHash is the hash function of a staged entry's blob; for what is not staged, SHA-256.
func newHash(staged string) hash.Hash {
	if f := strings.Fields(staged); len(f) > 1 && len(f[1]) == 2*sha1.Size {
		return sha1.New()
	}
	return sha256.New()
}

// content is the mode of a file and the name git would give its content, as in the index.
func content(full string, info fs.FileInfo, h hash.Hash) string {
	blob := func(size int64, body io.Reader) (string, error) {
		fmt.Fprintf(h, "blob %d\x00", size)
		_, err := io.Copy(h, body)
		return hex.EncodeToString(h.Sum(nil)), err
	}
	stat := fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return stat
		}
		sum, _ := blob(int64(len(target)), strings.NewReader(target))
		return "120000 " + sum
	case !info.Mode().IsRegular() || info.Size() > tooLong:
		return stat
	}
	file, err := os.Open(full)
	if err != nil {
		return stat
	}
	defer file.Close()
	sum, err := blob(info.Size(), io.LimitReader(file, tooLong))
	if err != nil {
		return stat
	}
	if info.Mode()&0o100 != 0 {
		return "100755 " + sum
	}
	return "100644 " + sum
}

// settings adds what controls git: configuration, hooks, exclusions and refs.
func (r Repo) settings(ctx context.Context, f Fingerprint, under string) error {
	refs, cut, err := r.run(ctx, listSize, nil, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil || cut {
		return orCut(err)
	}
	for row := range strings.Lines(string(refs)) {
		id, name, _ := strings.Cut(strings.TrimSpace(row), " ")
		f[under+".git/"+name] = id
	}
	for _, which := range []string{"--git-dir", "--git-common-dir"} {
		dir, err := ownPath(ctx, r, which)
		if err != nil {
			return err
		}
		for _, name := range []string{"config", "config.worktree", "info", "hooks", "objects/info/alternates"} {
			err := filepath.WalkDir(filepath.Join(dir, name), func(full string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return nil
				}
				info, err := d.Info()
				rel, relErr := filepath.Rel(dir, full)
				if err != nil || relErr != nil {
					return nil
				}
				f[path.Join(under+".git", filepath.ToSlash(rel))] = content(full, info, sha256.New())
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
