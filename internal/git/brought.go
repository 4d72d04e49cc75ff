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

// Arrival is when what git has came to it. Its zero value: git does not have it so.
type Arrival int

// The arrivals of content that git has.
const (
	Nowhere   Arrival = iota
	Meanwhile         // the commit that is checked out or the index has it
	Before            // and so has that commit, or one that it or the index is made of, and that was there before a time
)

// mostNamed bounds the names that one command of git is given.
const mostNamed = 400

// Brought says of files and folders of the work tree, by their paths from the folder, where git has them from as they are, but for
// the ends of lines. Files of git's own tell the time: nobody but git writes those.
func (r Repo) Brought(ctx context.Context, names []string, before time.Time) (map[string]Arrival, error) {
	out := map[string]Arrival{}
	if len(names) == 0 {
		return out, nil
	}
	made, err := r.made(ctx, before)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, mostNamed) {
		if err := r.brought(ctx, some, made, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// source is a commit that the work tree may have been made of.
type source struct {
	commit string
	old    bool
}

// made are the commit that is checked out, first, its parents, and those of an unfinished merge.
func (r Repo) made(ctx context.Context, before time.Time) (out []source, err error) {
	line, _ := r.line(ctx, "rev-list", "--parents", "--max-count=1", "HEAD") // there may be no commit yet
	commits := strings.Fields(line)
	for _, under := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"} {
		if commit, err := r.line(ctx, "rev-parse", "--verify", "--quiet", under+"^{commit}"); err == nil && commit != "" {
			commits = append(commits, commit)
		}
	}
	for _, commit := range commits {
		old, err := r.older(ctx, commit, before)
		if err != nil {
			return nil, err
		}
		out = append(out, source{commit, old})
	}
	return out, nil
}

func (r Repo) brought(ctx context.Context, names []string, made []source, out map[string]Arrival) error {
	files, specs := map[string]contents{}, []string{}
	for _, name := range names {
		spec, err := filepath.Rel(r.top, filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		if files[name], err = r.hashed(name); err != nil {
			return err
		}
		specs = append(specs, filepath.ToSlash(spec))
	}
	here := make([]string, len(names))
	for i, name := range names {
		here[i] = filepath.ToSlash(name)
	}
	staged, err := r.list(ctx, append([]string{"--literal-pathspecs", "ls-files", "--stage", "--full-name", "-z", "--"}, here...)...)
	if err != nil {
		return err
	}
	whole, old := map[string]bool{}, map[string]bool{}
	has := func(entries []string, note func(name string)) {
		there := map[string]string{}
		for _, e := range entries {
			head, name, _ := strings.Cut(e, "\t")
			there[name] += " " + head // an unfinished merge has a file up to three times
		}
		for name, files := range files {
			if files.in(there) {
				note(name)
			}
		}
	}
	has(staged, func(name string) { whole[name] = true })
	for i, m := range made {
		entries, err := r.list(ctx, append([]string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", m.commit, "--"}, specs...)...)
		if err != nil {
			return err
		}
		has(entries, func(name string) {
			whole[name] = whole[name] || i == 0
			old[name] = old[name] || m.old
		})
	}
	for name := range whole {
		if out[name] = Meanwhile; old[name] {
			out[name] = Before
		}
	}
	return nil
}

// contents are files, by path from the top, with the hashes that git may know them by.
type contents map[string][]string

// in says whether all of the files are there, by what git says of each. It is false of none.
func (c contents) in(there map[string]string) bool {
	for name, hashes := range c {
		if !slices.ContainsFunc(strings.Fields(there[name]), func(word string) bool { return slices.Contains(hashes, word) }) {
			return false
		}
	}
	return len(c) > 0
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
