package sandbox

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// placeholderMode tells an empty folder that was made to be mounted upon from others: what a run that was killed left
// behind is taken over by the next, and removed.
const placeholderMode = 0o511

// placeholder is an empty folder where something protected might otherwise be created. All runs that need it hold a
// shared lock on it; the last removes it.
type placeholder struct {
	path string
	lock *os.File
}

// place makes a placeholder if nothing is there, and joins one that is.
func (run *Run) place(s step) error {
	for {
		if s.missing {
			if err := os.Mkdir(s.Path, placeholderMode); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		info, err := os.Lstat(s.Path)
		if err != nil || !info.IsDir() || info.Mode().Perm() != placeholderMode {
			return err
		}
		f, err := os.OpenFile(s.Path, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if err == nil {
			err = unix.Flock(int(f.Fd()), unix.LOCK_SH)
			now, gone := os.Lstat(s.Path)
			if err == nil && gone == nil && os.SameFile(info, now) {
				run.placeholders = append(run.placeholders, placeholder{s.Path, f})
				return nil
			}
			f.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.missing = true // another run, which needed it no longer, removed it meanwhile
	}
}

// remove removes the folder unless another run still needs it, or it came to be used.
func (p placeholder) remove() error {
	defer p.lock.Close()
	if unix.Flock(int(p.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	if err := os.Remove(p.path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTEMPTY) {
		return err
	}
	return nil
}
