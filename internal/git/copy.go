package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/scratch"
)

// Limits bound a copy. A zero field means its default.
type Limits struct {
	Files int   // most files; 0: 200,000
	Bytes int64 // most bytes of all files together; 0: 4 GB
}

// errTooBig means that the folder exceeds the limits. Nothing was copied.
var errTooBig = errors.New("the folder is too big to copy")

// Copy is a throw-away copy of a folder, in a new private folder outside it. A repository's copy has its files as they
// are on disk now, including changed and untracked ones but not ignored ones. The copy's own .git has HEAD detached at
// the original's, an index that equals HEAD, and borrows the original's objects, so git works in it; it shares no ref,
// setting or hook, and the original's .git is not written. For any other folder everything is copied except .git.
//
// No filter runs. Pipes, devices and links that dangle or lead out of the folder are left out, so nothing that runs in
// the copy can write through them.
type Copy struct {
	Dir string // the copy of the folder that was asked for

	private *scratch.Dir
	top     string // the copied work tree: Dir or above it
	from    string // the original
	limits  Limits
	repo    Repo // top as a repository; without a program, it is none
	head    string
	made    map[string]record // files by path from top
	dirs    map[string]uint64 // inodes of folders
	mask    fs.FileMode       // what the system's umask leaves of a file's permissions
	sealed  int64             // a change before this is as we made it; 0: not known
}

// Copies makes n copies of dir, reading it once, so that all have the same state: otherwise the evidence of different
// seats could not be compared. Either all are made or none, and then nothing is left behind. told, if set, gets the
// number of files copied so far; it must not block.
func Copies(ctx context.Context, dir string, n int, limits Limits, told func(done, all int)) (copies []*Copy, err error) {
	r, err := original(dir)
	if err != nil {
		return nil, fmt.Errorf("copying the folder: %w", err)
	}
	defer func() {
		if err != nil {
			for _, c := range copies {
				err = errors.Join(err, c.Remove())
			}
			copies, err = nil, fmt.Errorf("copying %s: %w", r.top, err)
		}
	}()
	p, err := survey(ctx, r, limits.orDefault())
	if err != nil {
		return nil, err
	}
	for range n {
		c, err := newCopy(r, limits)
		if err != nil {
			return copies, err
		}
		copies = append(copies, c)
	}
	return copies, finish(ctx, r, p.items, copies, told)
}

// original opens what is copied: a repository at its top, or a plain folder, which has no program.
func original(dir string) (Repo, error) {
	r, err := Open(dir)
	if errors.Is(err, ErrNone) || errors.Is(err, ErrNoGit) || errors.Is(err, ErrOld) {
		r = Repo{}
		r.top, err = real(dir)
	}
	r.dir = r.top
	return r, err
}

// finish puts items into the copies and completes them: any later change in them is by others.
func finish(ctx context.Context, r Repo, items []item, copies []*Copy, told func(done, all int)) error {
	prefix := r.prefix
	r.prefix = ""
	err := copyAll(ctx, r.top, items, copies, told)
	if err == nil && r.program != "" {
		err = r.attach(ctx, copies)
	}
	for _, c := range copies {
		if err == nil {
			err = c.seal(prefix)
		}
	}
	return err
}

// Renew updates the copy to the current content of dir, the folder it is a copy of. It stays in its place; only what
// has changed is copied again. After an error, including that somebody changed the copy, it is of no use. A copy that a
// seat changed is refused, because its changes would be taken for the project's.
func (c *Copy) Renew(ctx context.Context, dir string, told func(done, all int)) error {
	r, err := original(dir)
	if err != nil {
		return fmt.Errorf("copying the folder: %w", err)
	}
	if (r.program == "") != (c.repo.program == "") || r.top != c.from {
		return fmt.Errorf("copying %s: it changed meanwhile", r.top)
	}
	if changed, err := c.Changes(ctx); err != nil || len(changed) > 0 {
		return cmp.Or(err, fmt.Errorf("the copy of %s was changed: %s", r.top, strings.Join(changed, ", ")))
	}
	p, err := survey(ctx, r, c.limits.orDefault())
	had := len(c.made)
	if err == nil {
		p.items, err = c.outdated(p.items)
	}
	if err == nil && len(p.items) == 0 && len(c.made) == had && c.stands(ctx, r) {
		return nil
	}
	if err == nil && c.repo.program != "" {
		err = os.RemoveAll(filepath.Join(c.top, ".git"))
	}
	if err == nil {
		err = finish(ctx, r, p.items, []*Copy{c}, told)
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", r.top, err)
	}
	return nil
}

// stands reports whether the copy is of the folder and commit that r is at now, so that its .git, which nobody changed, need not be
// created anew.
func (c *Copy) stands(ctx context.Context, r Repo) bool {
	if filepath.Join(c.top, filepath.FromSlash(r.prefix)) != c.Dir {
		return false
	}
	if r.program == "" {
		return true
	}
	head, err := r.Head(ctx)
	return err == nil && head.Hash == c.head
}

// outdated removes the files that differ from the original now, and returns those to create.
func (c *Copy) outdated(items []item) (missing []item, err error) {
	there := make(map[string]bool, len(items))
	for _, i := range items {
		if had, ok := c.made[i.name]; ok && had.from == i.is {
			there[i.name] = true
		} else {
			missing = append(missing, i)
		}
	}
	top, err := os.OpenRoot(c.top)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	for name := range c.made {
		if there[name] || strings.HasPrefix(name, ".git/") {
			continue
		}
		delete(c.made, name)
		if err := top.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for dir, _ := split(name); dir != "" && top.Remove(filepath.FromSlash(dir)) == nil; dir, _ = split(dir) { // if it is empty
			delete(c.dirs, dir)
		}
	}
	return missing, nil
}

// orDefault replaces zero fields by the defaults.
func (l Limits) orDefault() Limits {
	if l.Files == 0 {
		l.Files = 200_000
	}
	if l.Bytes == 0 {
		l.Bytes = 4 << 30
	}
	return l
}

// newCopy creates the private folder of a copy, still empty.
func newCopy(r Repo, limits Limits) (*Copy, error) {
	if err := outside(r.top, os.TempDir()); err != nil {
		return nil, err
	}
	private, err := scratch.New("copy")
	if err != nil {
		return nil, err
	}
	// The copy keeps the folder's name: build tools derive names from it.
	c := &Copy{private: private, top: filepath.Join(private.Path, filepath.Base(r.top)), from: r.top, limits: limits,
		made: map[string]record{}, dirs: map[string]uint64{}}
	if err = os.Mkdir(c.top, 0o700); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// outside returns an error if temp is from or below it, through any links or spellings.
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

// seal records the time after which changes of the copy are by others. prefix leads from the work tree to the folder
// that was asked for, which may have no files and then was not copied. Sealing waits until the file system's clock has
// moved on, at most 50 ms, so that a change right after it has a later time.
func (c *Copy) seal(prefix string) error {
	c.Dir = filepath.Join(c.top, filepath.FromSlash(prefix))
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	top, err := openFolder(c.private.Path)
	if err != nil {
		return err
	}
	defer top.close()
	mark := filepath.Base(c.top) + ".sealed"
	first := int64(0)
	for range 50 { // until the clock that stamps files has moved on; a coarser one only means that some files are read later
		if err := top.write(mark, 0o777, nil, 0); err != nil {
			return err
		}
		is, err := top.look(mark)
		if err == nil {
			err = top.remove(mark)
		}
		if err != nil {
			return err
		}
		if c.sealed, c.mask = is.changed, is.perm; first == 0 {
			first = is.changed
		}
		if is.changed != first || is.changed == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// Remove deletes the copy. It follows no link.
func (c *Copy) Remove() error { return c.private.Remove() }
