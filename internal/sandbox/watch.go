package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// prints are fingerprints of what is at each path: for a folder, of everything in it. A missing path has one, too.
type prints map[string]string

// look takes the fingerprints of paths, whole folders included.
func look(paths []string) (prints, error) {
	out := prints{}
	for _, p := range paths {
		sum := sha256.New()
		err := filepath.WalkDir(p, func(at string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			return describe(sum, at, d)
		})
		if err != nil {
			return nil, fmt.Errorf("%s cannot be watched: %w", p, err)
		}
		out[p] = string(sum.Sum(nil))
	}
	return out, nil
}

// describe writes what would differ if the entry changed.
func describe(w io.Writer, at string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%q %v %d\n", at, info.Mode(), info.Size())
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(at)
		fmt.Fprintf(w, "%q\n", to)
		return err
	case info.Mode().IsRegular():
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}
	return nil
}

// changed returns the paths whose content has changed.
func (p prints) changed() ([]string, error) {
	var out []string
	paths := slices.Sorted(maps.Keys(p))
	now, err := look(paths)
	if err != nil { // a file that could be read before and cannot be read now has changed
		return paths, err
	}
	for _, path := range paths {
		if now[path] != p[path] {
			out = append(out, path)
		}
	}
	return out, nil
}
