package keyring

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	extension = ".key"   // which no seat may read, wherever it works
	longest   = 64 << 10 // bytes of a file
)

// Path is where the file of a vendor is.
func (r Ring) Path(vendor string) string { return filepath.Join(r.Dir, vendor+extension) }

// open opens the folder of the files, which must be ours and nobody else's.
func (r Ring) open() (*os.Root, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		err = private(r.Dir, info, "700")
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// private is nil if only we can reach what info is about.
func private(path string, info fs.FileInfo, mode string) error {
	switch {
	case !ours(info):
		return fmt.Errorf("%s belongs to another user, so its keys are not used", path)
	case open(info):
		return fmt.Errorf("other users can read %s, so its keys are not used: chmod %s %s", path, mode, path)
	}
	return nil
}

// read reads the record of a vendor, and refuses one that others could have read or written. Links are not
// followed.
func (r Ring) read(vendor string) (record, error) {
	if err := valid(vendor); err != nil {
		return record{}, ErrNone
	}
	root, err := r.open()
	if err != nil {
		return record{}, missing(err)
	}
	defer root.Close()
	name := vendor + extension
	path := r.Path(vendor)
	if info, err := root.Lstat(name); err != nil {
		return record{}, missing(err)
	} else if !info.Mode().IsRegular() {
		return record{}, fmt.Errorf("%s is not a file, so its keys are not used", path)
	}
	f, err := root.Open(name)
	if err != nil {
		return record{}, missing(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = private(path, info, "600")
	}
	if err != nil {
		return record{}, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, longest))
	if err != nil {
		return record{}, fmt.Errorf("read %s: %w", path, err)
	}
	var rec record
	if json.Unmarshal(raw, &rec) != nil || rec.Vendor != vendor || rec.Place == File && rec.Value == "" {
		return record{}, fmt.Errorf("%s is damaged: log in again", path) // what the parser says could quote the key
	}
	return rec, nil
}

// write replaces the file of a vendor in one step.
func (r Ring) write(rec record) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	root, err := r.open()
	if err != nil {
		return err
	}
	defer root.Close()
	raw, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	draft := "." + rec.Vendor + "-" + rand.Text()
	f, err := root.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(draft, rec.Vendor+extension)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save the key in %s: %w", r.Dir, err), root.Remove(draft))
	}
	return nil
}

// remove removes the file of a vendor.
func (r Ring) remove(vendor string) error {
	root, err := r.open()
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(vendor + extension)
}

// names are the vendors that have a file.
func (r Ring) names() ([]string, error) {
	root, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files, err := fs.ReadDir(root.FS(), ".")
	var out []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), extension); ok && valid(name) == nil {
			out = append(out, name)
		}
	}
	return out, err
}
