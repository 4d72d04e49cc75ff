package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/inuse"
)

// errMoved means that a link replaced a folder or a file between the decision about a path and its opening.
var errMoved = errors.New("a folder or link in its path was replaced while it was opened")

// errIrregular refuses pipes and devices, which could hang or never end. Programs may still open them: this is about
// what the interpreter opens itself.
var errIrregular = errors.New("not a regular file")

// openReal opens a path without following any link, including in the folders above: it opens what the decision was about. path is absolute
// and its links are followed already.
func openReal(path string, flag int, perm os.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	f, err := openBeneath(path, flag, perm)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	return f, nil
}

// openStepwise goes down folder by folder, if the system cannot do it in one call. Each folder is held open and compared with the name it
// was found under, so that a link which replaces it afterwards leads nowhere.
func openStepwise(path string, flag int, perm os.FileMode) (*os.File, error) {
	moved := func(err error) (*os.File, error) {
		if err == nil {
			err = errMoved
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	volume := filepath.VolumeName(path) + string(filepath.Separator)
	at, err := os.OpenRoot(volume)
	if err != nil {
		return moved(err)
	}
	defer func() { at.Close() }()
	dir, base := filepath.Split(path[len(volume):])
	for part := range strings.SplitSeq(dir, string(filepath.Separator)) {
		if part == "" {
			continue
		}
		before, err := at.Lstat(part)
		if err != nil || !before.IsDir() {
			return moved(err)
		}
		next, err := at.OpenRoot(part)
		if err != nil {
			return moved(err)
		}
		at.Close()
		at = next
		if after, err := at.Stat("."); err != nil || !os.SameFile(before, after) {
			return moved(err)
		}
	}
	return openIn(at, base, flag, perm, moved)
}

// openIn opens a file in a folder that is held open. It truncates the file only once it is known to be the right one.
// moved wraps an error, or reports a replacement if there is none.
func openIn(at *os.Root, base string, flag int, perm os.FileMode, moved func(error) (*os.File, error)) (*os.File, error) {
	before, err := at.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
		f, err := at.OpenFile(base, flag|os.O_EXCL, perm) // this follows no link
		if err != nil {
			return moved(err)
		}
		return f, nil
	}
	if err != nil || !before.Mode().IsRegular() || inuse.Is(before) {
		return moved(err)
	}
	f, err := at.OpenFile(base, flag&^(os.O_CREATE|os.O_TRUNC)|noWait, 0)
	if err != nil {
		return moved(err)
	}
	after, err := f.Stat()
	if err == nil && os.SameFile(before, after) {
		if flag&os.O_TRUNC == 0 {
			return f, nil
		}
		if err = f.Truncate(0); err == nil {
			return f, nil
		}
	}
	f.Close()
	return moved(err)
}
