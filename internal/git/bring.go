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

// moved is a file that differs between two commits.
type moved struct {
	name     string
	old, new string // blobs; zeros: none
}

// between returns the files that differ between two trees, with their ids on both sides; a rename is one deleted and one new file.
func (s Store) between(ctx context.Context, from, to string) (list []moved, err error) {
	rows, err := s.List(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to)
	for i := 0; i+1 < len(rows); i += 2 {
		if f := strings.Fields(strings.TrimPrefix(rows[i], ":")); len(f) == 5 {
			list = append(list, moved{rows[i+1], f[2], f[3]})
		}
	}
	return list, err
}

// InTheWay returns the untracked files of r, including ignored ones, that would be lost if r were changed from one commit to another: a
// file with the name of a new one, files in a folder of that name, or a file in place of a folder above it.
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
		default: // git tracks nothing else
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

// obstacle returns what exists on disk where a file would have to be written: something with its name, or something other than a folder
// with the name of a folder above it. Empty: nothing.
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

// Fits returns an error if Apply cannot change the files of r by the difference of two commits of the store: if one of these files is not
// on disk as in the first commit, which r need not have. For files in the way see InTheWay.
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

// Apply changes the files of r by the difference of two commits of the store, and commits nothing. Call Fits first, which checks what
// could be lost. If Apply fails, files may have been changed: Withdraw reverts that.
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

// Brought says how far a change of r's files from one commit to another got: whether all are as in the second commit,
// which are or were being written, and one that is as in neither, since somebody changed it (empty: none).
func (s Store) Brought(ctx context.Context, r Repo, from, to string) (all bool, files []string, other string, err error) {
	list, err := s.between(ctx, from, to)
	all = err == nil
	for _, m := range list {
		is, err := s.lies(ctx, r, m)
		switch {
		case err != nil:
			return false, nil, "", err
		case is == otherwise:
			other = m.name
		case is != before:
			files = append(files, m.name)
		}
		all = all && is == whole
	}
	return all, files, other, err
}

// Withdraw reverts the files that a failed or killed process had changed to the second commit while r is at the first, including the one
// it was writing. Nothing is lost: their content is in that commit. Other files are left alone.
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
		case is == otherwise || is == before:
		case none(m.old):
			gone = append(gone, m.name)
		default:
			back = append(back, m.name)
		}
	}
	for _, name := range gone { // first, because it may be what filled the disk
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
	// The run began with uncommitted work, which r's index does not have.
	at := s.At(r.top).Indexed(filepath.Join(s.repo.own, "withdrawn"))
	if _, err := at.Run(ctx, nil, "read-tree", from); err != nil {
		return err
	}
	_, err = at.Run(ctx, nul(back), "checkout-index", "--force", "-z", "--stdin")
	return err
}

// emptied removes the folders above a file that are empty now: git does not have them either.
func emptied(r Repo, name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(r.top, filepath.FromSlash(dir))) != nil {
			return
		}
	}
}

// State of a file on disk, compared with two commits.
const (
	otherwise = iota // as in neither
	before           // as in the first
	torn             // it was being written: it has a prefix of the second's content, or the first commit's file is gone
	whole            // as in the second
)

// lies returns the state of a file on disk. It knows only SHA-1: Borrow refuses repositories of another format.
func (s Store) lies(ctx context.Context, r Repo, m moved) (int, error) {
	at := filepath.Join(r.top, filepath.FromSlash(m.name))
	info, err := os.Lstat(at)
	switch {
	case err != nil && none(m.new):
		return whole, nil
	case err != nil && none(m.old):
		return before, nil
	case err != nil:
		return torn, nil
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
	if bytes.Contains(raw, []byte("\r")) && blobID(raw) != m.new && blobID(raw) != m.old && convertsEnds(ctx, r, m.name) {
		raw = bytes.TrimSuffix(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\r"))
	}
	switch blobID(raw) {
	case m.new:
		return whole, nil
	case m.old:
		return before, nil
	}
	if none(m.new) {
		return otherwise, nil
	}
	full, err := s.Run(ctx, nil, "cat-file", "blob", m.new)
	if err == nil && bytes.HasPrefix(full, raw) {
		return torn, nil
	}
	return otherwise, err
}

// convertsEnds reports whether r's git writes a file with CRLF for the LF of a commit.
func convertsEnds(ctx context.Context, r Repo, name string) bool {
	off, err := filtersOff(ctx, r)
	if err != nil {
		return false
	}
	id, _, err := r.feed(ctx, strings.NewReader("a\r\n"), 1<<10, r.environment(off), "hash-object", "--stdin", "--path", name)
	return err == nil && strings.TrimSpace(string(id)) == blobID([]byte("a\n"))
}

// none reports whether a blob id means that the file does not exist.
func none(blob string) bool { return strings.Trim(blob, "0") == "" }

// blobID is the id that git gives to a content.
func blobID(raw []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(raw)), raw...))
	return hex.EncodeToString(sum[:])
}

// Leads reports whether commit to of r contains from in its history, or is from.
func (s Store) Leads(ctx context.Context, r Repo, from, to string) bool {
	_, err := r.line(ctx, "merge-base", "--is-ancestor", from, to)
	return err == nil
}
