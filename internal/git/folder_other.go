//go:build !unix

package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// folder is an open folder. Every operation is below it: every name is one part of a path. os.Root refuses what leads
// out of it, like openat with O_NOFOLLOW elsewhere.
type folder struct{ root *os.Root }

// openFolder opens a folder by its path. os.Root prevents names below it from leading out of it, like descriptors elsewhere.
func openFolder(path string) (folder, error) {
	r, err := os.OpenRoot(path)
	return folder{r}, err
}

// open opens a subfolder.
func (f folder) open(name string) (folder, error) {
	info, err := f.root.Lstat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a folder")}
	}
	if err != nil {
		return folder{}, err
	}
	r, err := f.root.OpenRoot(name)
	return folder{r}, err
}

func (f folder) close() { f.root.Close() }

func (f folder) mkdir(name string) error { return f.root.Mkdir(name, 0o700) }

func (f folder) remove(name string) error { return f.root.Remove(name) }

// look returns what is at name. The time of the last change is not known here, so files are read to compare them.
func (f folder) look(name string) (look, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return look{}, err
	}
	l := look{kind: other, perm: info.Mode().Perm(), size: info.Size(), modified: info.ModTime().UnixNano()}
	switch {
	case info.Mode().IsRegular():
		l.kind = kindFile
	case info.IsDir():
		l.kind = kindDir
	case info.Mode()&fs.ModeSymlink != 0:
		l.kind = kindLink
	}
	return l, nil
}

// names returns the names in the folder.
func (f folder) names() ([]string, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// read fills buf with the beginning of a file's content.
func (f folder) read(name string, buf []byte, _ int64) (int, error) {
	in, err := f.stream(name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	n, err := io.ReadFull(in, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

func (f folder) stream(name string) (*os.File, error) { return f.root.Open(name) }

// create creates a file that does not exist yet.
func (f folder) create(name string, perm fs.FileMode) (*os.File, error) {
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// write creates a file that does not exist yet, with its content and, unless it is 0, its time of modification.
func (f folder) write(name string, perm fs.FileMode, body []byte, modified int64) error {
	out, err := f.create(name, perm)
	if err != nil {
		return err
	}
	_, err = out.Write(body)
	if err = errors.Join(err, out.Close()); err == nil && modified != 0 {
		err = f.setTime(name, modified)
	}
	return err
}

// setTime sets a file's time of modification.
func (f folder) setTime(name string, nanoseconds int64) error {
	at := time.Unix(0, nanoseconds)
	return f.root.Chtimes(name, at, at)
}

func (f folder) readlink(name string) (string, error) { return f.root.Readlink(name) }

func (f folder) symlink(target, name string) error { return f.root.Symlink(target, name) }
