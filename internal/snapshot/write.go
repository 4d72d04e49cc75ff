package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	fileMode    = "100644"
	programMode = "100755"
	linkMode    = "120000"
)

// write writes the files of changes. A file that cannot be written is recorded in left; the others are still written.
// git returns the blobs in the order they are requested, so one stream serves all.
func (w *writer) write(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, c := range changes {
		in.WriteString(c.blob + "\n")
	}
	return w.store.Stream(ctx, &in, func(out io.Reader) error {
		r := bufio.NewReaderSize(out, 64<<10)
		for _, c := range changes {
			body, err := blob(r)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Path, err)
			}
			if why := w.put(c, body); why != "" {
				w.left[c.Path] = why
				continue
			}
			w.finished(c)
		}
		return nil
	}, "cat-file", "--batch", "--buffer")
}

// blob reads one answer of cat-file: "hash kind size", the bytes and a newline.
func blob(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(head)
	if len(f) != 3 || f[1] != "blob" {
		return nil, fmt.Errorf("the snapshot is damaged: git said %q", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size > LargestFile {
		return nil, fmt.Errorf("the snapshot is damaged: git said %q", strings.TrimSpace(head))
	}
	body := make([]byte, size+1)
	_, err = io.ReadFull(r, body)
	// The last byte is the newline after the blob.
	return body[:size], err
}

// put writes one file, or returns why it could not.
func (w *writer) put(c Change, body []byte) (why string) {
	if c.mode != fileMode && c.mode != programMode && c.mode != linkMode {
		return "a separate repository"
	}
	// Somebody may have restored it already: a file that is as it should be is no failure.
	if why := w.touchable(c); why != "" {
		if w.same(c, body) {
			return ""
		}
		return why
	}
	name := filepath.FromSlash(c.Path)
	if err := w.folder.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return reason(err)
	}
	// In the same folder, so that the rename is atomic.
	temp := filepath.Join(filepath.Dir(name), tempPrefix+rand.Text())
	err := w.create(temp, c, body)
	if err == nil {
		err = w.folder.Rename(temp, name)
	}
	if err != nil {
		w.folder.Remove(temp)
		return reason(err)
	}
	return ""
}

// create writes the new file under another name. If the file was closed to others, it stays closed to them, even if it no longer exists.
func (w *writer) create(temp string, c Change, body []byte) error {
	if c.mode == linkMode {
		return w.folder.Symlink(string(body), temp)
	}
	perm := fs.FileMode(0o666)
	if c.mode == programMode {
		perm = 0o777
	}
	old, oldErr := w.folder.Lstat(filepath.FromSlash(c.Path))
	if was, ok := w.closed.files[c.Path]; ok && oldErr != nil {
		perm = like(was, perm)
	}
	f, err := w.folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if oldErr == nil && old.Mode().IsRegular() {
		err = errors.Join(err, f.Chmod(like(old.Mode().Perm(), perm)))
	}
	return errors.Join(err, f.Close())
}

// like is old with the execute bits of want: whoever may read may execute.
func like(old, want fs.FileMode) fs.FileMode {
	old &^= 0o111
	if want&0o100 != 0 {
		old |= old >> 2 & 0o111
	}
	return old
}

// same reports whether the file is already as it should be.
func (w *writer) same(c Change, body []byte) bool {
	name := filepath.FromSlash(c.Path)
	if !w.plain(c.Path, map[string]bool{}) || reserved(c.Path, c.mode == linkMode) {
		return false
	}
	info, err := w.folder.Lstat(name)
	switch {
	case err != nil:
		return false
	case c.mode == linkMode:
		to, err := w.folder.Readlink(name)
		return err == nil && to == string(body)
	case !info.Mode().IsRegular() || info.Size() != int64(len(body)) || (info.Mode()&0o100 != 0) != (c.mode == programMode):
		return false
	}
	is, err := w.folder.ReadFile(name)
	return err == nil && bytes.Equal(is, body)
}
