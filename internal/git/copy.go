package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/scratch"
)

// Limits bound a copy. A zero field means its default.
type Limits struct {
	Files int   // most files; 0: 200,000
	Bytes int64 // most bytes of all files together; 0: 4 GB
}

// ErrTooBig: the folder has more than the limits allow. Nothing was copied.
var ErrTooBig = errors.New("the folder is too big to copy")

// Copy is a throw-away copy of a folder, in a new private folder outside it. A repository's copy holds its files as they
// are on disk now, including changed and untracked ones but not ignored ones. The copy's own .git has HEAD detached at
// the original's, an index that equals HEAD, and borrows the original's objects, so git works in it; it shares no ref,
// setting or hook, and the original's .git is not written. Of any other folder everything is copied but .git.
//
// No filter runs. Pipes, devices and links that dangle or lead out of the folder are left out, so nothing that runs in
// the copy can write through them.
type Copy struct {
	Dir string // stands for the folder that was copied

	private *scratch.Dir
	top     string // the copied work tree: Dir or above it
	repo    Repo   // top as a repository; no program: it is none
	head    string
	made    map[string]state // by path from top
	sealed  int64            // changes from then on cannot be mistaken for ours
}

// Copies makes n copies of dir, reading it once, so all show the same state. Either all are made or none, and then
// nothing is left. told, if set, hears how many of the files have been copied so far; it must not block.
func Copies(ctx context.Context, dir string, n int, limits Limits, told func(done, all int)) (copies []*Copy, err error) {
	r, err := Open(dir)
	repo := err == nil
	if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrNoGit) && !errors.Is(err, ErrOld) {
		return nil, err
	}
	if !repo {
		if r.top, err = real(dir); err != nil {
			return nil, fmt.Errorf("copying the folder: %w", err)
		}
	}
	defer func() {
		if err != nil {
			for _, c := range copies {
				err = errors.Join(err, c.Remove())
			}
			copies, err = nil, fmt.Errorf("copying %s: %w", r.top, err)
		}
	}()
	src, err := os.OpenRoot(r.top)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	limits = limits.orDefault()
	p := &plan{src: src, most: limits, left: limits}
	if repo {
		err = p.list(ctx, Repo{program: r.program, dir: r.top, top: r.top})
	} else {
		err = p.below(ctx, src, "")
	}
	if err != nil {
		return nil, err
	}
	for range n {
		c, err := newCopy(r.top)
		if err != nil {
			return copies, err
		}
		copies = append(copies, c)
	}
	if err := p.copy(ctx, copies, told); err != nil {
		return copies, err
	}
	if repo {
		err = Repo{program: r.program, dir: r.top, top: r.top}.attach(ctx, copies)
	}
	for _, c := range copies {
		if err == nil {
			err = c.seal(r.prefix)
		}
	}
	return copies, err
}

func (l Limits) orDefault() Limits {
	if l.Files == 0 {
		l.Files = 200_000
	}
	if l.Bytes == 0 {
		l.Bytes = 4 << 30
	}
	return l
}

// newCopy makes the private folder of a copy, with nothing in it yet.
func newCopy(from string) (*Copy, error) {
	if err := outside(from, os.TempDir()); err != nil {
		return nil, err
	}
	private, err := scratch.New("copy")
	if err != nil {
		return nil, err
	}
	// The copy keeps the folder's name: build tools derive names from it.
	c := &Copy{private: private, top: filepath.Join(private.Path, filepath.Base(from)), made: map[string]state{}}
	if err = os.Mkdir(c.top, 0o700); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// outside is an error if temp is from or below it, whatever links or spellings lead there.
func outside(from, temp string) error {
	project, err := os.Stat(from)
	if err != nil {
		return err
	}
	temp, err = real(temp)
	if err != nil {
		return fmt.Errorf("the temporary folder: %w", err)
	}
	for dir := temp; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, project) {
			return fmt.Errorf("the temporary folder %s is inside the project", temp)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// seal completes a copy: from here on whatever changes in it was changed by others. prefix leads from the work tree to
// the folder that was asked for, which may hold no file and then was not copied.
func (c *Copy) seal(prefix string) error {
	c.Dir = filepath.Join(c.top, filepath.FromSlash(prefix))
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	mark := c.top + ".sealed" // its time is told by the clock that stamps the files, however coarse
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	info, err := os.Lstat(mark)
	if err != nil {
		return err
	}
	c.sealed = stateOf(info).changed
	return os.Remove(mark)
}

// Remove deletes the copy. It follows no link.
func (c *Copy) Remove() error { return c.private.Remove() }
