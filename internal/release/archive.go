package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// mostProgram is how large a program may be.
const mostProgram = 512 << 20

// Unpack finds the programs in an archive, by their names. It must have been verified before, and hold all of them. Nothing else is
// read, whatever the archive holds.
func (t Target) Unpack(archive []byte) (map[string][]byte, error) {
	found := map[string][]byte{}
	take := func(name string, r io.Reader) (err error) {
		found[name], err = io.ReadAll(io.LimitReader(r, mostProgram))
		return err
	}
	open := t.untar
	if t.OS == "windows" {
		open = t.unzip
	}
	if err := open(archive, take); err != nil {
		return nil, err
	}
	for _, name := range t.Programs() {
		if found[name] == nil {
			return nil, fmt.Errorf("it contains no %s", name)
		}
	}
	return found, nil
}

func (t Target) unzip(archive []byte, take func(name string, r io.Reader) error) error {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	for _, name := range t.Programs() {
		f, err := z.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(take(name, f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (t Target) untar(archive []byte, take func(name string, r io.Reader) error) error {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if slices.Contains(t.Programs(), h.Name) && h.Typeflag == tar.TypeReg {
			if err := take(h.Name, r); err != nil {
				return err
			}
		}
	}
}
