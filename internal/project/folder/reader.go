package folder

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/inuse"
)

// Reader reads many text files one after the other. It keeps the last folder open, so that sorted names cost little. It
// is for one goroutine. Its buffer grows to the largest file and is reused.
type Reader struct {
	f    *Folder
	dir  string
	root *os.Root // root of dir
	body []byte
}

// Reader returns a new Reader. Close it after use.
func (f *Folder) Reader() *Reader { return &Reader{f: f} }

// Close closes the open folder.
func (r *Reader) Close() {
	if r.root != nil {
		r.root.Close()
		r.root = nil
	}
}

// Read is Folder.Read for a name that Files returned, but does not follow a link: its target has a name of its own. The
// result is valid until the next call.
func (r *Reader) Read(name string, limit int) ([]byte, error) {
	if err := r.enter(path.Dir(name)); err != nil {
		return nil, err
	}
	base := path.Base(name)
	before, err := r.root.Lstat(base)
	if err != nil {
		return nil, &Error{Path: name, Reason: Missing}
	}
	if !before.Mode().IsRegular() || inuse.Is(before) {
		return nil, &Error{Path: name, Reason: Irregular}
	}
	if before.Size() > int64(limit) {
		return r.f.Read(name, limit) // this says why it fails
	}
	file, err := r.root.OpenFile(base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, &Error{Path: name, Reason: Broken}
	}
	defer file.Close()
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, &Error{Path: name, Reason: Broken, Detail: "it changed while it was opened"}
	}
	return r.all(name, file, int(before.Size()), limit)
}

// all reads a file of about size bytes. The size is a hint: a file of the kernel reports 0, and a growing one has more.
func (r *Reader) all(name string, file *os.File, size, limit int) ([]byte, error) {
	for done := 0; ; {
		if free := len(r.body) - done; free < size+1-done || free == 0 {
			r.body = append(make([]byte, 0, max(2*len(r.body), size+512)), r.body[:done]...)
			r.body = r.body[:cap(r.body)]
		}
		n, err := file.Read(r.body[done:])
		done += n
		switch {
		case err == io.EOF || err == nil && done == size && size > 0:
			if looksBinary(r.body[:done]) {
				return nil, &Error{Path: name, Reason: Binary}
			}
			return r.body[:done], nil
		case err != nil:
			return nil, &Error{Path: name, Reason: Broken}
		case done > limit:
			return nil, &Error{Path: name, Reason: Huge, Detail: fmt.Sprintf("it is larger than %d KB", limit>>10)}
		}
	}
}

// enter opens the folder dir.
func (r *Reader) enter(dir string) error {
	if r.root != nil && r.dir == dir {
		return nil
	}
	r.Close()
	rel, err := r.f.real(dir)
	if err != nil {
		return err
	}
	root, err := r.f.root.OpenRoot(filepath.FromSlash(rel))
	if err != nil {
		return &Error{Path: dir, Reason: Broken}
	}
	r.dir, r.root = dir, root
	return nil
}
