// Package scratch makes the temporary folders of this program and removes those whose process is gone: every folder holds
// a lock that its maker keeps, so a folder that nobody locks belongs to nobody.
//
// The layout is TMPDIR/socrates-UID/KIND-RANDOM with a lock file and a folder "d" inside. The folder is made under
// another name, locked, and only then renamed, so nobody ever sees it without its lock. A process that is killed loses
// its locks with its life, and the next start of the program removes what it left.
//
// What is put into a folder is not trusted: it may hold links, or folders without permissions that a program at the
// table made. Removing does not follow links, and opens up folders first.
//
// Dir, New and RemoveStale are safe for concurrent use, also by several processes. Nothing here survives a restart of the
// machine on purpose; what must survive belongs beside the store.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Dir is one temporary folder, 0700, that this process owns until Remove or its end.
type Dir struct {
	Path string // absolute, without links

	outer string
	owner *flock.Flock
}

const (
	ownerFile  = ".owner"
	unfinished = ".new-"
	inside     = "d" // the folder that is handed out: what lies in it never meets the lock
)

// New makes a folder in the system's temporary folder; kind begins its name and says in a listing what it is for.
// The caller removes it, on every path. Its permissions are 0700, and links in the path of the temporary folder are
// resolved, since sandboxes compare paths by their letters.
func New(kind string) (*Dir, error) {
	for tries := 0; ; tries++ {
		d, err := create(kind)
		if err == nil {
			own.Store(d.Path, true)
			return d, nil
		}
		if tries == 10 || !errors.Is(err, fs.ErrNotExist) { // another process's RemoveStale took the parent away while it was empty
			return nil, fmt.Errorf("make a temporary folder: %w", err)
		}
	}
}

// create makes a folder under a name that marks it as unfinished, locks it, and then gives it its name, so that a sweep
// never meets a named folder whose lock is not held yet.
func create(kind string) (*Dir, error) {
	parent, err := parent(true)
	if err != nil {
		return nil, err
	}
	made, err := os.MkdirTemp(parent, unfinished+kind+"-*")
	if err != nil {
		return nil, err
	}
	outer := filepath.Join(parent, strings.TrimPrefix(filepath.Base(made), unfinished))
	d := &Dir{Path: filepath.Join(outer, inside), outer: outer, owner: flock.New(filepath.Join(made, ownerFile))}
	if _, err = d.owner.TryLock(); err != nil {
		err = fmt.Errorf("lock the temporary folder %s: %w", made, err)
	} else {
		err = os.Mkdir(filepath.Join(made, inside), 0o700)
	}
	if err == nil {
		err = os.Rename(made, outer) // locked before anybody sweeps by this name
	}
	if err != nil {
		return nil, errors.Join(err, d.owner.Close(), RemoveAll(made))
	}
	return d, nil
}

// Remove deletes the folder with everything in it; links are not followed. Calling it again does nothing.
// The folder goes before its lock: as soon as the lock is free, another process may take the folder for abandoned.
func (d *Dir) Remove() error {
	own.Delete(d.Path)
	err := errors.Join(RemoveAll(d.outer), d.owner.Close())
	os.Remove(filepath.Dir(d.outer)) // fails while another folder is in it
	return err
}

// Root is where the folders of this user are; empty: there are none. Nothing is made.
func Root() string {
	dir, err := parent(false)
	if err != nil {
		return ""
	}
	return dir
}

// RemoveStale removes the folders whose makers are gone. What cannot be removed is left to the next call. Where no folder of
// ours exists it costs one look.
func RemoveStale() {
	parent, err := parent(false)
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		outer := filepath.Join(parent, e.Name())
		if e.IsDir() && (abandoned(outer) || stuck(e)) {
			RemoveAll(outer)
		}
	}
	os.Remove(parent) // fails while another folder is in it
}

// abandoned says whether nobody owns a folder.
// A folder without a lock file is not ours to remove. The lock file must be a plain file: opening a pipe of that name
// would wait forever.
func abandoned(outer string) bool {
	if strings.HasPrefix(filepath.Base(outer), unfinished) {
		return false
	}
	name := filepath.Join(outer, ownerFile)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	owner := flock.New(name, flock.SetFlag(os.O_RDWR))
	free, err := owner.TryLock()
	if err != nil || !free {
		return false
	}
	owner.Close()
	return true
}

// stuck says whether a folder's maker was killed before it had its name, which takes a moment.
// A minute is far longer than the moment between making and renaming, and a wrong guess costs one retry in New.
func stuck(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && strings.HasPrefix(e.Name(), unfinished) && time.Since(info.ModTime()) > time.Minute
}

// parent is the folder that holds all of this user's: private, so that nobody can plant a name in it. It is an error if
// somebody else has taken its name.
func parent(make bool) (string, error) {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", fmt.Errorf("the temporary folder: %w", err)
	}
	if temp, err = filepath.Abs(temp); err != nil {
		return "", err
	}
	dir := filepath.Join(temp, "socrates-"+strconv.Itoa(os.Getuid()))
	for range 3 { // another process's RemoveStale may remove it at any moment
		info, err := os.Lstat(dir)
		switch {
		case err == nil && info.IsDir() && private(info):
			return dir, nil
		case err == nil:
			return "", fmt.Errorf("%s exists and is not a private folder of yours; remove it, or set TMPDIR to another folder", dir)
		case !errors.Is(err, fs.ErrNotExist) || !make:
			return "", fmt.Errorf("the temporary folder: %w", err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("make a temporary folder: %w", err)
		}
	}
	return dir, nil
}

// RemoveAll removes a folder, also where folders in it, such as caches of modules, may not be written. It follows no link.
func RemoveAll(dir string) error {
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

// own are the folders that this process has made and not removed.
var own sync.Map

// Own says whether path is a folder that this process made.
func Own(path string) bool {
	_, ok := own.Load(path)
	return ok
}
