package code

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/socrates-cli/socrates/internal/inuse"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// stageName is the prefix of the folder that holds new contents until they are complete, and old ones until the take
// is done.
const stageName = ".socrates-take-"

// takingFile names, in a task's repository, the folder that a take has created in the project. Both are removed
// together.
const takingFile = "taking"

// clearTaking removes what an interrupted take left in the folder.
func clearTaking(at string) {
	file := filepath.Join(at, takingFile)
	raw, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if stage := string(raw); strings.HasPrefix(filepath.Base(stage), stageName) && scratch.RemoveAll(stage) == nil {
		os.Remove(file)
	}
}

// apply applies the changes. Contents are on disk before the first file changes; then files change only by renaming,
// and are restored if one fails. Takes into the same folder wait for each other.
func (p *pushed) apply(ctx context.Context, dir, task, top string) (err error) {
	sum := sha256.Sum256([]byte(top))
	lock, err := locked(ctx, filepath.Join(dir, sharedName, "take-"+hex.EncodeToString(sum[:10])+".lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	at := place(dir, task)
	clearTaking(at)
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	missing, err := p.missing(root)
	if err != nil || len(missing) == 0 {
		return err
	}
	stage := filepath.Join(top, stageName+rand.Text())
	if err := private.Replace(filepath.Join(at, takingFile), []byte(stage)); err != nil {
		return err
	}
	t := &taking{root: root, stage: filepath.Base(stage), keep: strings.TrimSuffix(string(p.given.Prefix), "/")}
	defer func() {
		if t.stuck { // it may contain the only copy of a file
			err = errors.Join(fmt.Errorf("%w; the files as they were are in %s", err, stage), os.Remove(filepath.Join(at, takingFile)))
			return
		}
		clearTaking(at)
	}()
	if err := os.Mkdir(stage, 0o700); err != nil {
		return err
	}
	if err := t.lay(ctx, p, missing); err != nil {
		return err
	}
	if now, err := p.missing(root); err != nil || !slices.Equal(now, missing) {
		return cmp.Or(err, errors.New("the folder is changing"))
	}
	return t.swap(missing)
}

// taking is a take in progress.
type taking struct {
	root  *os.Root
	stage string // the folder of staged contents
	keep  string // the given folder, from the top
	undo  []func() error
	stuck bool // a step could not be undone
}

// missing returns the changes that the folder does not have yet. It is an error if a file differs from both versions.
func (p *pushed) missing(root *os.Root) (list []change, err error) {
	gone := map[string]bool{}
	for _, c := range p.changes {
		if c.mode == nothing {
			gone[c.name] = true
		}
	}
	for _, c := range p.changes {
		if c.was == module && c.mode == nothing {
			continue // of a submodule it had nothing
		}
		there, err := p.look(root, c, gone)
		if err != nil {
			return nil, err
		}
		if !there {
			list = append(list, c)
		}
	}
	return list, nil
}

// look compares the folder with a change: there reports that it has the pushed version.
func (p *pushed) look(root *os.Root, c change, gone map[string]bool) (there bool, err error) {
	for dir := path.Dir(c.name); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(filepath.FromSlash(dir))
		switch {
		case err != nil && absent(err):
		case err != nil:
			return false, fmt.Errorf("%s: %w", dir, err)
		case err == nil && !info.IsDir() && !gone[dir]:
			return false, fmt.Errorf("%s is no longer the folder that the files came from", dir)
		}
	}
	if err := leads(root, p.targets[c.name], c.name); err != nil {
		return false, err
	}
	mode, sum, err := p.lies(root, c.name)
	switch {
	case err != nil:
		return false, err
	case mode == c.mode && sum == c.nowBlob:
		return true, nil
	case mode == c.was && sum == c.wasBlob:
		return false, nil
	case mode == tree && c.was == nothing:
		return false, p.emptied(root, c.name, gone)
	case c.was == nothing:
		return false, fmt.Errorf("%s exists already", c.name)
	case mode == nothing:
		return false, fmt.Errorf("%s was deleted after it was sent", c.name)
	}
	return false, fmt.Errorf("%s has changed since it was sent", c.name)
}

// leads returns an error if a link of the push would lead out through a link of the folder.
func leads(root *os.Root, target, name string) error {
	if target == "" {
		return nil
	}
	if _, err := root.Stat(filepath.FromSlash(path.Join(path.Dir(name), target))); err != nil && !absent(err) {
		return fmt.Errorf("the link %s would point outside the folder: %w", name, err)
	}
	return nil
}

// absent reports that nothing exists at a name, also because a file is where a parent folder would be.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// lies returns the kind of the file at a name, and git's hash of its content; zeros: nothing.
func (p *pushed) lies(root *os.Root, name string) (mode, sum string, err error) {
	at := filepath.FromSlash(name)
	info, err := root.Lstat(at)
	if err != nil {
		if absent(err) {
			err = nil
		}
		return nothing, noCommit, err
	}
	h := sha1.New()
	switch {
	case info.IsDir():
		return tree, "", nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(at)
		fmt.Fprintf(h, "blob %d\x00%s", len(target), target)
		return link, hex.EncodeToString(h.Sum(nil)), err
	case hidden(info) || inuse.Is(info):
		return "other", "", nil
	}
	f, err := root.Open(at)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	n, err := io.Copy(h, f)
	if err == nil && n != info.Size() {
		err = fmt.Errorf("%s is being written", name)
	}
	mode = plainFile
	if info.Mode()&0o100 != 0 {
		mode = program
	}
	return mode, hex.EncodeToString(h.Sum(nil)), err
}

// emptied returns an error if a folder that becomes a file contains anything not deleted by the same push.
func (p *pushed) emptied(root *os.Root, dir string, gone map[string]bool) error {
	at, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	entries, err := at.ReadDir(-1)
	if err = errors.Join(err, at.Close()); err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			err = p.emptied(root, name, gone)
		} else if !gone[name] {
			err = fmt.Errorf("%s is in the way of %s, which was a folder", name, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// laid returns the staged name of a new content.
func (t *taking) laid(i int) string { return filepath.Join(t.stage, fmt.Sprintf("new-%d", i)) }

// lay stages the new contents on disk.
func (t *taking) lay(ctx context.Context, p *pushed, list []change) error {
	var at []int
	var blobs []string
	for i, c := range list {
		switch c.mode {
		case nothing:
		case link:
			if err := t.root.Symlink(p.targets[c.name], t.laid(i)); err != nil {
				return err
			}
		default:
			at, blobs = append(at, i), append(blobs, c.nowBlob)
		}
	}
	return contents(ctx, p.store, blobs, func(n int, body io.Reader) error { return t.write(at[n], list[at[n]], body) })
}

// write writes one new content.
func (t *taking) write(i int, c change, body io.Reader) error {
	perm := fs.FileMode(0o666)
	if c.mode == program {
		perm = 0o777
	}
	f, err := t.root.OpenFile(t.laid(i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	if err == nil && (c.was == plainFile || c.was == program) {
		err = keepMode(t.root, f, c)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// keepMode gives a file the permissions of the one it replaces; the push decides whether it is executable.
func keepMode(root *os.Root, f *os.File, c change) error {
	info, err := root.Lstat(filepath.FromSlash(c.name))
	if err != nil || !info.Mode().IsRegular() {
		return nil // it was checked before, and will be once more
	}
	perm := info.Mode().Perm()
	if c.mode == program {
		perm |= perm & 0o444 >> 2
	} else {
		perm &^= 0o111
	}
	return f.Chmod(perm)
}

// swap moves old contents aside and new ones into place. If one step fails, earlier ones are undone.
func (t *taking) swap(list []change) (err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, back := range slices.Backward(t.undo) {
			if backErr := back(); backErr != nil {
				err, t.stuck = errors.Join(err, backErr), true
			}
		}
	}()
	for i, c := range list { // a removed file may block a new one
		if c.mode == nothing {
			err = t.remove(c.name, i)
		}
		if err != nil {
			return err
		}
	}
	for i, c := range list {
		if c.mode != nothing {
			err = t.place(c, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// aside returns the name that an old content has until the take is done.
func (t *taking) aside(i int) string { return filepath.Join(t.stage, fmt.Sprintf("old-%d", i)) }

// remove moves a file aside, and removes folders that become empty, as git does.
func (t *taking) remove(name string, i int) error {
	at, aside := filepath.FromSlash(name), t.aside(i)
	if err := t.straight(name); err != nil {
		return err
	}
	if err := t.root.Rename(at, aside); err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { return t.root.Rename(aside, at) })
	return t.prune(path.Dir(name))
}

// place renames a new content to its name, which has either the old content or the new one at every moment.
func (t *taking) place(c change, i int) error {
	name := filepath.FromSlash(c.name)
	if err := t.folders(path.Dir(c.name)); err != nil {
		return err
	}
	if err := t.straight(c.name); err != nil {
		return err
	}
	info, err := t.root.Lstat(name)
	back := func() error { return t.root.Remove(name) }
	switch {
	case c.was != nothing && err == nil && !info.IsDir():
		back = func() error { return t.root.Rename(t.aside(i), name) }
		if err := t.root.Link(name, t.aside(i)); err != nil { // a disk without hard links: then this step cannot be undone
			back = func() error { return fmt.Errorf("%s stays as it was pushed", c.name) }
		}
	case c.was == nothing && err == nil && info.IsDir(): // it is empty by now
		if err := t.root.Remove(name); err != nil {
			return err
		}
		t.undo = append(t.undo, func() error { return t.root.Mkdir(name, info.Mode().Perm()) })
	case c.was != nothing || !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has changed since it was sent", c.name)
	}
	if err := t.root.Rename(t.laid(i), name); err != nil {
		return err
	}
	t.undo = append(t.undo, back)
	return nil
}

// straight returns an error if the path of a name now contains a link.
func (t *taking) straight(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := t.root.Lstat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is no longer a folder", dir)
		}
	}
	return nil
}

// folders makes the folders that a file needs.
func (t *taking) folders(dir string) error {
	if dir == "." {
		return nil
	}
	if err := t.folders(path.Dir(dir)); err != nil {
		return err
	}
	name := filepath.FromSlash(dir)
	err := t.root.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		t.undo = append(t.undo, func() error { return t.root.Remove(name) })
	}
	return err
}

// prune removes folders that became empty, but not the given one.
func (t *taking) prune(dir string) error {
	for ; dir != "." && dir != t.keep; dir = path.Dir(dir) {
		name := filepath.FromSlash(dir)
		info, err := t.root.Lstat(name)
		if err != nil || t.root.Remove(name) != nil { // something is left in it
			return nil
		}
		t.undo = append(t.undo, func() error { return t.root.Mkdir(name, info.Mode().Perm()) })
	}
	return nil
}
