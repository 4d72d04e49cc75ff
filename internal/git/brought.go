package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Brought says whether a file or folder of the work tree, by its path from the folder, is byte for byte as the commit that is
// checked out has it. old: that commit, or one that it was made of, has it so and was there before a time. Files of git's own
// tell the time: nobody but git writes those.
func (r Repo) Brought(ctx context.Context, name string, before time.Time) (whole, old bool, err error) {
	commits, err := r.line(ctx, "rev-list", "--parents", "--max-count=1", "HEAD")
	if err != nil {
		return false, false, fmt.Errorf("what HEAD is made of: %w", err)
	}
	files, hashes, err := r.hashed(ctx, name)
	if err != nil || len(files) == 0 {
		return false, false, err
	}
	for i, commit := range strings.Fields(commits) {
		has, err := r.has(ctx, commit, name, files, hashes)
		if err != nil {
			return false, false, err
		}
		whole = whole || i == 0 && has
		if has && !old {
			if old, err = r.older(ctx, commit, before); err != nil {
				return false, false, err
			}
		}
	}
	return whole, old && whole, nil
}

// hashed are the files at or below name, by path from the top, with the hash of their content. There are none if one of them
// is no ordinary file.
func (r Repo) hashed(ctx context.Context, name string) (files, hashes []string, err error) {
	odd := false
	err = filepath.WalkDir(filepath.Join(r.dir, name), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.top, at)
		odd = odd || !d.Type().IsRegular() || strings.ContainsAny(rel, "\r\n\"")
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	if err != nil || odd || len(files) == 0 {
		return nil, nil, err
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(r.top, filepath.FromSlash(f)))
	}
	out, cut, err := r.feed(ctx, strings.NewReader(strings.Join(paths, "\n")+"\n"), listSize, r.environment(nil), "hash-object", "--no-filters", "--stdin-paths")
	if err != nil || cut {
		return nil, nil, orCut(err)
	}
	return files, strings.Fields(string(out)), nil
}

// has says whether a commit has all of the files with these hashes.
func (r Repo) has(ctx context.Context, commit, name string, files, hashes []string) (bool, error) {
	spec, err := filepath.Rel(r.top, filepath.Join(r.dir, name))
	if err != nil {
		return false, err
	}
	entries, err := r.list(ctx, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", filepath.ToSlash(spec))
	if err != nil {
		return false, err
	}
	for i, f := range files {
		if i >= len(hashes) || !slices.ContainsFunc(entries, func(e string) bool {
			head, path, _ := strings.Cut(e, "\t")
			return path == f && strings.HasSuffix(head, " blob "+hashes[i])
		}) {
			return false, nil
		}
	}
	return true, nil
}

// older says whether a commit was there before a time: its file was, or it is in a pack and no pack has come since.
func (r Repo) older(ctx context.Context, commit string, before time.Time) (bool, error) {
	objects, err := r.path(ctx, "--git-path", "objects")
	if err != nil {
		return false, err
	}
	if info, err := os.Stat(filepath.Join(objects, commit[:2], commit[2:])); err == nil {
		return info.ModTime().Before(before), nil
	}
	packs, err := os.ReadDir(filepath.Join(objects, "pack"))
	for _, p := range packs {
		if info, err := p.Info(); err != nil || !info.ModTime().Before(before) {
			return false, err
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err == nil, err
}
