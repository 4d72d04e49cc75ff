package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// moved is a file that two commits have differently.
type moved struct {
	name     string
	old, new string // blobs; zeros: none
}

// between are the files that differ between two trees, with their ids on both sides; renames count as one gone and one
// new.
func (s Store) between(ctx context.Context, from, to string) (list []moved, err error) {
	rows, err := s.List(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to)
	for i := 0; i+1 < len(rows); i += 2 {
		if f := strings.Fields(strings.TrimPrefix(rows[i], ":")); len(f) == 5 {
			list = append(list, moved{rows[i+1], f[2], f[3]})
		}
	}
	return list, err
}

// InTheWay are the files on r's disk that its git does not track, those that it ignores included, which would be lost if it were brought
// from one commit to another: of the name of a new file, in a folder of its name, or in the place of a folder above it.
func (s Store) InTheWay(ctx context.Context, r Repo, from, to string) (way []string, err error) {
	list, err := s.between(ctx, from, to)
	if err != nil {
		return nil, err
	}
	at := map[string]bool{}
	for _, m := range list {
		if !none(m.old) {
			continue
		}
		switch name, mode := obstacle(r, m.name); {
		case name == "":
		case mode.IsRegular() || mode.IsDir() || mode&fs.ModeSymlink != 0:
			at[":(top,literal)"+name] = true
		default: // git looks at nothing else
			way = append(way, name)
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(at)), 500) {
		untracked, err := r.list(ctx, append([]string{"ls-files", "--others", "-z", "--full-name", "--"}, part...)...)
		if err != nil {
			return nil, err
		}
		way = append(way, untracked...)
	}
	return way, nil
}

// obstacle is what is on the disk where a file would have to be written: something of its name, or of that of a folder above that is
// no folder. empty: nothing is.
func obstacle(r Repo, name string) (at string, mode fs.FileMode) {
	for i := 0; i < len(name); {
		end := strings.IndexByte(name[i:], '/')
		if end < 0 {
			end = len(name) - i
		}
		at, i = name[:i+end], i+end+1
		info, err := os.Lstat(filepath.Join(r.top, filepath.FromSlash(at)))
		if err != nil {
			return "", 0
		}
		if mode = info.Mode(); !mode.IsDir() {
			return at, mode
		}
	}
	return at, mode
}

// Fits says whether Apply can change the files of r by what tells two commits of the store apart. It cannot where one of these files is not
// on the disk as the first commit has it, which r need not know; what is in the way is asked of InTheWay.
func (s Store) Fits(ctx context.Context, r Repo, from, to string) error {
	list, err := s.between(ctx, from, to)
	if err != nil {
		return err
	}
	changed, err := r.Status(ctx, "")
	if err != nil {
		return err
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
		back := moved{m.name, m.new, m.old}
		if is, err := s.lies(ctx, r, back); err != nil {
			return err
		} else if is == whole {
			continue
		}
		if slices.ContainsFunc(changed, func(e FileStatus) bool { return e.Name == m.name }) {
			return fmt.Errorf("%s has uncommitted changes", m.name)
		}
		at, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD:"+m.name)
		if err != nil && !none(m.old) || err == nil && at != m.old {
			return fmt.Errorf("%s has changed since", m.name)
		}
	}
	if err := unfiltered(ctx, r, names); err != nil {
		return err
	}
	return s.apply(ctx, r, from, to, "--check")
}

// Apply changes the files of r by what tells two commits of the store apart, and commits nothing. What could be lost is asked of Fits
// before. If it fails, files may have been changed: Withdraw takes that back.
func (s Store) Apply(ctx context.Context, r Repo, from, to string) error {
	return s.apply(ctx, r, from, to)
}

func (s Store) apply(ctx context.Context, r Repo, from, to string, flags ...string) error {
	patch, err := s.Run(ctx, nil, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil {
		return err
	}
	args := append([]string{"apply", "--whitespace=nowarn"}, append(flags, "-")...)
	_, _, err = r.feed(ctx, bytes.NewReader(patch), 64<<10, r.environment(nil), args...)
	return err
}

// Brought says how many of the files that two commits have differently are on r's disk as the second one has them, byte for byte.
func (s Store) Brought(ctx context.Context, r Repo, from, to string) (there, all int, err error) {
	list, err := s.between(ctx, from, to)
	for _, m := range list {
		if is, err := s.lies(ctx, r, m); err != nil {
			return 0, 0, err
		} else if is == whole {
			there++
		}
	}
	return there, len(list), err
}

// Withdraw puts those files back that a process which failed or was killed had brought to the second commit, where r is at the first, also
// the one that it was writing. Nothing is lost: what they hold is in that commit. Other files are left alone.
func (s Store) Withdraw(ctx context.Context, r Repo, from, to string) error {
	list, err := s.between(ctx, from, to)
	if err != nil {
		return err
	}
	var gone, back []string
	for _, m := range list {
		is, err := s.lies(ctx, r, m)
		switch {
		case err != nil:
			return err
		case is == otherwise:
		case none(m.old):
			gone = append(gone, m.name)
		default:
			back = append(back, m.name)
		}
	}
	for _, name := range gone { // first: it may be what filled the disk
		if err := os.Remove(filepath.Join(r.top, filepath.FromSlash(name))); err != nil {
			return err
		}
		emptied(r, name)
	}
	if err := unfiltered(ctx, r, back); err != nil {
		return err
	}
	by := func(names []string, args ...string) error {
		if len(names) == 0 {
			return nil
		}
		_, _, err := r.feed(ctx, nul(names), 64<<10, append(r.environment(nil), "GIT_LITERAL_PATHSPECS=1"),
			append(args, "--pathspec-from-file=-", "--pathspec-file-nul")...)
		return err
	}
	if err := by(gone, "rm", "--cached", "--quiet", "--ignore-unmatch"); err != nil {
		return err
	}
	if head, err := r.Head(ctx); err != nil || head.Hash == from {
		return errors.Join(err, by(back, "restore", "--source="+from, "--staged", "--worktree"))
	}
	// It began with uncommitted work, of which r's index knows nothing.
	at := s.At(r.top).Indexed(filepath.Join(s.repo.own, "withdrawn"))
	if _, err := at.Run(ctx, nil, "read-tree", from); err != nil {
		return err
	}
	_, err = at.Run(ctx, nul(back), "checkout-index", "--force", "-z", "--stdin")
	return err
}

// emptied removes the folders above a file that have nothing in them any more: git has none either.
func emptied(r Repo, name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(r.top, filepath.FromSlash(dir))) != nil {
			return
		}
	}
}

// How a file is on the disk, compared with the second of two commits.
const (
	otherwise = iota
	torn      // it was being written: it is how the file begins there, or the first commit's is gone
	whole
)

// lies says how a file is on the disk.
// Only sha1 is known here: Borrow refuses repositories of another format.
func (s Store) lies(ctx context.Context, r Repo, m moved) (int, error) {
	at := filepath.Join(r.top, filepath.FromSlash(m.name))
	info, err := os.Lstat(at)
	switch {
	case err != nil && none(m.new):
		return whole, nil
	case err != nil && !none(m.old):
		return torn, nil
	case err != nil || none(m.new):
		return otherwise, nil
	}
	var raw []byte
	switch mode := info.Mode(); {
	case mode.IsRegular():
		raw, err = os.ReadFile(at)
	case mode&fs.ModeSymlink != 0:
		var to string
		to, err = os.Readlink(at)
		raw = []byte(to)
	default:
		return otherwise, nil
	}
	if err != nil {
		return otherwise, nil
	}
	switch blobID(raw) {
	case m.new:
		return whole, nil
	case m.old:
		return otherwise, nil
	}
	full, err := s.Run(ctx, nil, "cat-file", "blob", m.new)
	if err == nil && bytes.HasPrefix(full, raw) {
		return torn, nil
	}
	return otherwise, err
}

// none says whether a blob is that of a file that does not exist.
func none(blob string) bool { return strings.Trim(blob, "0") == "" }

// blobID is the id that git gives to a content.
func blobID(raw []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(raw)), raw...))
	return hex.EncodeToString(sum[:])
}

// Leads says whether a commit of r is one that another leads to, or that one itself.
func (s Store) Leads(ctx context.Context, r Repo, from, to string) bool {
	_, err := r.line(ctx, "merge-base", "--is-ancestor", from, to)
	return err == nil
}
