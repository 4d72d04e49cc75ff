package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Brought says whether a file or folder of the work tree, by its path from the folder, is as git has it: as the commit that is
// checked out or the index does, but for the ends of lines. old: that commit, or one that it or the index is made of, has it so and
// was there before a time. Files of git's own tell the time: nobody but git writes those.
func (r Repo) Brought(ctx context.Context, name string, before time.Time) (whole, old bool, err error) {
	files, err := r.hashed(name)
	if err != nil || len(files) == 0 {
		return false, false, err
	}
	spec, err := filepath.Rel(r.top, filepath.Join(r.dir, name))
	if err != nil {
		return false, false, err
	}
	spec = filepath.ToSlash(spec)
	staged, err := r.list(ctx, "--literal-pathspecs", "ls-files", "--stage", "--full-name", "-z", "--", filepath.ToSlash(name))
	if err != nil {
		return false, false, err
	}
	whole = files.in(staged)
	commits, _ := r.line(ctx, "rev-list", "--parents", "--max-count=1", "HEAD") // there may be no commit yet
	made := strings.Fields(commits)
	for _, under := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"} {
		if commit, err := r.line(ctx, "rev-parse", "--verify", "--quiet", under+"^{commit}"); err == nil && commit != "" {
			made = append(made, commit)
		}
	}
	for i, commit := range made {
		has, err := r.list(ctx, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", spec)
		if err != nil {
			return false, false, err
		}
		if !files.in(has) {
			continue
		}
		whole = whole || i == 0
		if !old {
			if old, err = r.older(ctx, commit, before); err != nil {
				return false, false, err
			}
		}
	}
	return whole, old && whole, nil
}

// contents are files, by path from the top, with the hashes that git may know them by.
type contents map[string][]string

// in says whether entries of the index or of a tree have all of the files.
func (c contents) in(entries []string) bool {
	there := map[string]string{}
	for _, e := range entries {
		head, name, _ := strings.Cut(e, "\t")
		there[name] = head
	}
	for name, hashes := range c {
		if !slices.ContainsFunc(strings.Fields(there[name]), func(word string) bool { return slices.Contains(hashes, word) }) {
			return false
		}
	}
	return true
}

// largestBrought bounds what is read of a file.
const largestBrought = 4 << 20

// hashed are the files at or below name. There are none if one of them is neither a file nor a link, or large.
func (r Repo) hashed(name string) (contents, error) {
	files, odd := contents{}, false
	err := filepath.WalkDir(filepath.Join(r.dir, name), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.top, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		var text []byte
		switch {
		case err != nil:
		case d.Type()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(at)
			text = []byte(filepath.ToSlash(to))
		case d.Type().IsRegular() && info.Size() < largestBrought:
			text, err = os.ReadFile(at)
		default:
			odd = true
		}
		files[filepath.ToSlash(rel)] = hashesOf(text)
		return err
	})
	if odd {
		return nil, err
	}
	return files, err
}

// hashesOf are the names of an object with this content, also with other ends of lines, in both of git's formats.
func hashesOf(text []byte) (out []string) {
	for _, text := range [][]byte{text, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))} {
		object := append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)
		out = append(out, fmt.Sprintf("%x", sha1.Sum(object)), fmt.Sprintf("%x", sha256.Sum256(object)))
	}
	return out
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
