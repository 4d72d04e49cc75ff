package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
)

// Limits bound a copy. A zero field means its default.
type Limits struct {
	Files int   // most files; 0: 200,000
	Bytes int64 // most bytes of all files together; 0: 4 GB
}

// ErrTooBig: the folder has more than the limits allow. Nothing of the copy is left.
var ErrTooBig = errors.New("the folder is too big to copy")

// Worktree makes a throw-away work tree: the files of r as they lie on the disk now, changed and untracked ones
// included, ignored ones not, in a new private folder outside the repository. Its own .git has HEAD detached at r's, an
// index that equals HEAD, and reads r's objects, so git works in it; but it shares no ref, setting or hook with r, and
// r's .git is not written, so a crash leaves nothing to prune but a temporary folder. No filter runs. Links that dangle
// or lead out of the repository are left out, so that what runs in the copy cannot write through them. dir stands for
// the folder r was opened at; remove deletes the copy without following links.
func (r Repo) Worktree(ctx context.Context) (dir string, remove func() error, err error) {
	whole := Repo{program: r.program, dir: r.top, top: r.top}
	names, err := whole.Files(ctx)
	if err != nil {
		return "", nil, err
	}
	top, remove, err := copyTo(ctx, r.top, Limits{}, func(c *copier) error {
		for _, name := range names {
			if err := c.add(ctx, strings.TrimSuffix(name, "/")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", nil, fmt.Errorf("copying the work tree: %w", err)
	}
	if err := whole.attach(ctx, top); err != nil {
		return "", nil, errors.Join(fmt.Errorf("copying the work tree: %w", err), remove())
	}
	dir = filepath.Join(top, filepath.FromSlash(r.prefix))
	// r's folder may hold no file of the project, and then was not copied.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}

// attach gives the copy at top a .git of its own that borrows r's objects.
func (r Repo) attach(ctx context.Context, top string) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	format, err := r.line(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	places, err := r.line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow")
	if err != nil {
		return err
	}
	objects, shallow, ok := strings.Cut(strings.ReplaceAll(places, "\r", ""), "\n")
	if !ok {
		return fmt.Errorf("git rev-parse printed %q", places)
	}
	copied := Repo{program: r.program, dir: top, top: top}
	if _, err := copied.line(ctx, "init", "--quiet", "--template=", "--object-format="+format); err != nil {
		return err
	}
	own := filepath.Join(top, ".git")
	if err := os.MkdirAll(filepath.Join(own, "objects", "info"), 0o700); err != nil {
		return err
	}
	alternates := []byte(filepath.ToSlash(objects) + "\n")
	if err := os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), alternates, 0o600); err != nil {
		return err
	}
	// Where a shallow history ends has to be known, or its oldest commits look damaged.
	if body, err := os.ReadFile(shallow); err == nil {
		if err := os.WriteFile(filepath.Join(own, "shallow"), body, 0o600); err != nil {
			return err
		}
	}
	if head.Hash == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(own, "HEAD"), []byte(head.Hash+"\n"), 0o600); err != nil {
		return err
	}
	_, err = copied.line(ctx, "read-tree", "HEAD")
	return err
}

// CopyTree copies dir, for folders that are no repository, as Worktree does for those that are. Everything is copied
// but .git, pipes, devices and links that lead out of dir. ErrTooBig, wrapped: see limits.
func CopyTree(ctx context.Context, dir string, limits Limits) (copied string, remove func() error, err error) {
	copied, remove, err = copyTo(ctx, dir, limits, func(c *copier) error { return c.add(ctx, ".") })
	if err != nil {
		return "", nil, fmt.Errorf("copying the folder: %w", err)
	}
	return copied, remove, nil
}

// copyTo makes a private folder, lets fill put copies of from's files into it, and removes it again if that fails.
func copyTo(ctx context.Context, from string, limits Limits, fill func(*copier) error) (dir string, remove func() error, err error) {
	if limits.Files == 0 {
		limits.Files = 200_000
	}
	if limits.Bytes == 0 {
		limits.Bytes = 4 << 30
	}
	src, err := os.OpenRoot(from)
	if err != nil {
		return "", nil, err
	}
	defer src.Close()
	sweep()
	private, err := os.MkdirTemp("", copyPrefix+"*") // 0700, new
	if err == nil {
		private, err = filepath.EvalSymlinks(private)
	}
	if err != nil {
		return "", nil, err
	}
	owner := flock.New(filepath.Join(private, ownerFile))
	if _, err := owner.TryLock(); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(private))
	}
	// The copy keeps the folder's name: build tools derive names from it.
	dir = filepath.Join(private, filepath.Base(from))
	remove = func() error {
		owner.Close()
		return removeAll(private)
	}
	if real, err := filepath.EvalSymlinks(from); err == nil {
		from = real
	}
	if rel, relErr := filepath.Rel(from, private); relErr == nil && filepath.IsLocal(rel) {
		return "", nil, errors.Join(errors.New("the temporary folder lies in the project"), remove())
	}
	err = os.Mkdir(dir, 0o700)
	var dst *os.Root
	if err == nil {
		dst, err = os.OpenRoot(dir)
	}
	if err == nil {
		defer dst.Close()
		err = fill(&copier{src: src, dst: dst, left: limits, made: map[string]bool{".": true}})
	}
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}

// A copy's folder holds a lock file that its maker keeps locked: it can be told from one whose maker was killed.
const (
	copyPrefix = "socrates-copy-"
	ownerFile  = ".owner"
)

// sweep removes the copies of processes that are gone. What cannot be removed is left to the next one.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), copyPrefix+"*"))
	for _, dir := range dirs {
		name := filepath.Join(dir, ownerFile)
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		owner := flock.New(name, flock.SetFlag(os.O_RDWR))
		if free, err := owner.TryLock(); err != nil || !free {
			continue
		}
		owner.Close()
		removeAll(dir)
	}
}

// removeAll deletes dir. os.RemoveAll follows no link; folders a check made read-only are opened up first.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// copier copies between two roots, neither of which it can leave.
type copier struct {
	src, dst *os.Root
	left     Limits
	made     map[string]bool // folders of dst
}

// add copies name, a path with slashes, with everything below it. What is gone or no file is skipped.
func (c *copier) add(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := c.src.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil || path.Base(name) == ".git":
		return nil
	case info.IsDir():
		err = c.folder(ctx, name)
	case info.Mode()&fs.ModeSymlink != 0:
		err = c.link(name)
	case info.Mode().IsRegular():
		err = c.file(name, info)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := c.src.Lstat(filepath.FromSlash(name)); gone != nil { // it went while it was copied
			return nil
		}
	}
	return err
}

func (c *copier) folder(ctx context.Context, name string) error {
	if err := c.parent(path.Join(name, "x")); err != nil {
		return err
	}
	dir, err := c.src.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := c.add(ctx, path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) link(name string) error {
	target, err := c.src.Readlink(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	// Only the root itself can tell where a chain of links ends; it refuses to follow one that leaves it.
	if _, err := c.src.Stat(filepath.FromSlash(name)); err != nil {
		return nil
	}
	if err := c.parent(name); err != nil {
		return err
	}
	err = c.dst.Symlink(target, filepath.FromSlash(name))
	if errors.Is(err, fs.ErrExist) || runtime.GOOS == "windows" { // where making links is a privilege
		return nil
	}
	return err
}

func (c *copier) file(name string, info fs.FileInfo) error {
	c.left.Files--
	c.left.Bytes -= info.Size()
	if c.left.Files < 0 || c.left.Bytes < 0 {
		return ErrTooBig
	}
	if err := c.parent(name); err != nil {
		return err
	}
	in, err := c.src.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := c.dst.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // a second name for the same file: other case, or a linked folder above it
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, info.Size()+1))
	if n > info.Size() {
		err = fmt.Errorf("%s grows while it is copied", name)
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		// Build tools compare times.
		err = c.dst.Chtimes(filepath.FromSlash(name), info.ModTime(), info.ModTime())
	}
	return err
}

// parent makes the folders above name.
func (c *copier) parent(name string) error {
	dir := path.Dir(name)
	if c.made[dir] {
		return nil
	}
	c.made[dir] = true
	return c.dst.MkdirAll(filepath.FromSlash(dir), 0o700)
}
