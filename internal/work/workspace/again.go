package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Unused folders wait to be reused: git then writes only the files in which two commits differ. Each waits with the
// index that its files were written by, which no agent and no check can reach. A file stays only if the system says
// that nothing of it was touched since, not even its links or attributes; what that index does not know is removed,
// .git first of all.
type spares struct {
	dir   string // where they wait
	store git.Store
}

const (
	indexEnd   = ".index"
	mostSpares = 4
)

// sparesOf returns those of a run.
func sparesOf(s *Space) spares { return spares{filepath.Join(s.dir, "spare"), s.store} }

// all returns the indexes of those that wait.
func (s spares) all() []string {
	left, _ := filepath.Glob(filepath.Join(s.dir, "*"+indexEnd)) // the pattern is constant
	return left
}

// retire keeps a folder for reuse, or removes it.
func (s spares) retire(dir, index string) error {
	_, err := os.Lstat(index)
	if !tellsAll || err != nil || len(s.all()) >= mostSpares || Size(dir) > mostTaken {
		os.Remove(index)
		return scratch.RemoveAll(dir)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	place, err := os.MkdirTemp(s.dir, "") // for a unique name
	if err != nil {
		return err
	}
	if err := errors.Join(os.Remove(place), os.Rename(dir, place)); err != nil {
		return err
	}
	return os.Rename(index, place+indexEnd)
}

// again replaces a folder by a waiting one, with the files of a commit; false: none can be used. Whoever renames its
// index owns the folder, so two never take the same one.
func (s spares) again(ctx context.Context, dir, index, commit string) (bool, error) {
	for _, file := range s.all() {
		if os.Rename(file, index) != nil {
			continue
		}
		if os.Rename(strings.TrimSuffix(file, indexEnd), dir) == nil && s.reset(ctx, dir, index, commit) == nil {
			return true, nil
		}
		os.Remove(index)
		if err := scratch.RemoveAll(dir); err != nil { // a new one has none of its oddities
			return false, err
		}
	}
	return false, context.Cause(ctx)
}

// reset leaves in a folder the files of a commit and nothing else.
func (s spares) reset(ctx context.Context, dir, index, commit string) error {
	written, err := os.Lstat(index)
	if err != nil {
		return err
	}
	at := s.store.At(dir).Indexed(index)
	known, err := at.List(ctx, nil, "ls-files", "-z")
	if err != nil {
		return err
	}
	lost, err := strip(dir, known, written.ModTime())
	if err != nil {
		return err
	}
	// The rest was not touched, so git need not check it: it writes what differs between the commits.
	if _, err := at.Run(ctx, nil, "read-tree", "-m", "-u", commit); err != nil || len(lost) == 0 {
		return err
	}
	now, err := at.List(ctx, nil, "ls-files", "-z")
	if err != nil {
		return err
	}
	missing := map[string]bool{}
	for _, name := range lost {
		missing[name] = true
	}
	now = slices.DeleteFunc(now, func(name string) bool { return !missing[name] })
	_, err = at.Run(ctx, strings.NewReader(strings.Join(now, "\x00")), "checkout-index", "--force", "--index", "-z", "--stdin")
	return err
}

// made returns the mode of a folder created in another one now.
func made(dir string) (fs.FileMode, error) {
	probe, err := os.MkdirTemp(dir, "")
	if err != nil {
		return 0, err
	}
	if err := os.Remove(probe); err != nil {
		return 0, err
	}
	if err := os.Mkdir(probe, 0o777); err != nil {
		return 0, err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return 0, err
	}
	return info.Mode(), os.Remove(probe)
}
