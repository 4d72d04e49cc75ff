package folder

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/socrates-cli/socrates/internal/inuse"
)

// Change is a change of one file. Was comes from Look of the same folder.
type Change struct {
	Was  File // the file when the change was decided on
	Now  []byte
	Gone bool        // delete the file
	Mode fs.FileMode // of a new file; 0: 0644
}

// Apply makes all changes or none; it is the only way anything is written. A file is replaced as a whole: its new
// content is on disk, under a temporary name beside it, before it gets the name, and only if the file is still
// unchanged. The folders above are opened one by one and never through a link created later. Between the last check and
// the rename there is one system call, and a crash between two files leaves the first one changed. After a failure,
// files are restored and folders created for them are removed; if that fails, too, the error says so. It is not safe
// against another Apply on the same files: one of them finds them stale.
func (f *Folder) Apply(changes ...Change) (err error) {
	var steps []*step
	defer func() {
		for i := len(steps) - 1; i >= 0; i-- {
			err = errors.Join(err, steps[i].close(f, err != nil))
		}
	}()
	for _, c := range changes {
		s := &step{Change: c}
		steps = append(steps, s)
		if err := s.prepare(f); err != nil {
			return err
		}
	}
	for _, s := range steps {
		if err := s.same(); err != nil {
			return err
		}
	}
	for _, s := range steps {
		err := s.same()
		if err == nil {
			err = s.do()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step is one change in progress.
type step struct {
	Change
	dir  *os.Root // the file's folder
	base string
	temp string   // the new content, in dir; empty: there is none
	made []string // folders that were created for it
	done bool
}

// fail turns an error of the system into one about the file.
func (s *step) fail(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Path: s.Was.Name, Reason: Broken, Detail: "it cannot be written: " + reason(err)}
}

// prepare opens the folder and writes the new content beside the file.
func (s *step) prepare(f *Folder) (err error) {
	if len(s.Now) > Most {
		return &Error{Path: s.Was.Name, Reason: Huge, Detail: fmt.Sprintf("it would be larger than %d MB", Most>>20)}
	}
	if s.Was.There && s.Was.Mode&0o200 == 0 {
		return &Error{Path: s.Was.Name, Reason: Broken, Detail: "it is read-only"}
	}
	s.base = path.Base(s.Was.Name)
	if err := s.enter(f, path.Dir(s.Was.Name)); err != nil {
		return s.fail(err)
	}
	if s.Gone {
		return nil
	}
	mode := s.Mode
	if s.Was.There {
		mode = s.Was.Mode
	} else if mode == 0 {
		mode = 0o644
	}
	if s.temp, err = s.lay(s.Now, mode); err != nil {
		return s.fail(err)
	}
	return nil
}

// enter opens the folder name, part by part, and creates missing parts. A part that is a link, or becomes one while it
// is opened, was none when the change was decided on. Each folder is checked before and after it is opened: only if
// both are the same was there no swap.
func (s *step) enter(f *Folder, name string) (err error) {
	if s.dir, err = f.root.OpenRoot("."); err != nil || name == "." {
		return err
	}
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		before, err := s.dir.Lstat(part)
		if errors.Is(err, fs.ErrNotExist) && !s.Was.There {
			if err = s.dir.Mkdir(part, 0o777); err == nil {
				s.made = append(s.made, at)
				before, err = s.dir.Lstat(part)
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && before.Mode()&fs.ModeSymlink != 0:
			return s.stale()
		case err == nil && !before.IsDir():
			return &Error{Path: s.Was.Name, Reason: WrongKind, Detail: at + " is a file, not a folder"}
		case err != nil:
			return err
		}
		below, err := s.dir.OpenRoot(part)
		if err != nil {
			return err
		}
		s.dir.Close()
		s.dir = below
		if after, err := below.Stat("."); err != nil || !os.SameFile(before, after) {
			return s.stale()
		}
	}
	return nil
}

// stale is the error that the file has changed.
func (s *step) stale() error { return &Error{Path: s.Was.Name, Reason: Stale} }

// lay writes body to a new file with a name nobody can guess. The data is synced before the file gets its name, so that
// a crash leaves the old content or the new one.
func (s *step) lay(body []byte, mode fs.FileMode) (temp string, err error) {
	temp = ".socrates-" + rand.Text()
	file, err := s.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = file.Write(body)
	if err == nil && s.Was.There { // the mode of a new file follows the person's umask
		err = errors.Join(keepOwner(s.dir, s.base, file), file.Chmod(mode))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		s.dir.Remove(temp)
		return "", err
	}
	return temp, nil
}

// same returns an error if the file has changed. It compares the content and not only the time: an editor may write
// within the same second.
func (s *step) same() error {
	before, err := s.dir.Lstat(s.base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.Was.There:
		return nil
	case err != nil || !s.Was.There || !before.Mode().IsRegular() || inuse.Is(before):
		return s.stale()
	}
	file, err := s.dir.OpenFile(s.base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return s.fail(err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, int64(len(s.Was.Body))+1))
	after, statErr := file.Stat()
	if err != nil || statErr != nil || !os.SameFile(before, after) || !bytes.Equal(body, s.Was.Body) {
		return s.stale()
	}
	return nil
}

// do makes the change. A new file gets its name by a link, which fails if the name is taken.
func (s *step) do() (err error) {
	switch {
	case s.Gone:
		err = s.dir.Remove(s.base)
	case !s.Was.There:
		if err = s.dir.Link(s.temp, s.base); errors.Is(err, fs.ErrExist) {
			return s.stale()
		}
		if err == nil {
			break
		}
		fallthrough // this disk has no hard links
	default:
		if err = s.dir.Rename(s.temp, s.base); err == nil {
			s.temp = ""
		}
	}
	if s.done = err == nil; !s.done {
		return s.fail(err)
	}
	return nil
}

// close reverts the change if undo is set, and closes the folder. It is called in reverse order of the steps, so that
// folders are empty when they are removed; one that is not stays.
func (s *step) close(f *Folder, undo bool) (err error) {
	if s.dir == nil {
		return nil
	}
	defer s.dir.Close()
	if s.temp != "" {
		s.dir.Remove(s.temp)
	}
	if !undo {
		return nil
	}
	switch {
	case s.done && s.Was.There:
		var temp string
		if temp, err = s.lay(s.Was.Body, s.Was.Mode); err == nil {
			if err = s.dir.Rename(temp, s.base); err != nil {
				s.dir.Remove(temp)
			}
		}
	case s.done:
		err = s.dir.Remove(s.base)
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		f.root.Remove(s.made[i])
	}
	if err != nil {
		return &Error{Path: s.Was.Name, Reason: Broken, Detail: "it was changed and could not be put back: " + reason(err)}
	}
	return nil
}
