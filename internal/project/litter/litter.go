// Package litter names the folders that programs fill by themselves while they run, and fill again: what lies in them and is not
// tracked is nobody's work. A turn that only ran the tests must not count as one that changed files, nor a step commit what its check
// left behind.
package litter

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folders are their names.
var Folders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules", ".tox", ".nox", ".gradle"}

// tag is the file by which a folder says that it is a cache, whatever its name, and how it begins: https://bford.info/cachedir.
const tag = "CACHEDIR.TAG"

var signature = []byte("Signature: 8a477f597d28d172789f06886806bc55")

// Tagged are the folders below a folder that say they are caches, such as cargo's target, with slashes. What cannot be read has none.
func Tagged(dir string) (names []string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir(), err == nil && d.IsDir() && (d.Name() == ".git" || slices.Contains(Folders, d.Name())):
			return fs.SkipDir
		case err != nil || d.Name() != tag || !d.Type().IsRegular() || filepath.Dir(path) == dir || !begins(path, signature):
			return nil
		}
		if name, err := filepath.Rel(dir, filepath.Dir(path)); err == nil {
			names = append(names, filepath.ToSlash(name))
		}
		return fs.SkipDir
	})
	return names
}

// begins says whether a file begins with some bytes.
func begins(path string, with []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(with))
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, with)
}
