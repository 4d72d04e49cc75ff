// Package litter names the folders that programs fill by themselves whenever they run: what is in them and not tracked is nobody's work. A
// turn that only ran the tests must not count as one that changed files, nor may a step commit what its check left behind.
package litter

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folders are the names of such folders.
var Folders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules", ".tox", ".nox", ".gradle"}

// tag is the file that marks a folder as a cache, whatever its name, and signature is how it begins: https://bford.info/cachedir.
const tag = "CACHEDIR.TAG"

var signature = []byte("Signature: 8a477f597d28d172789f06886806bc55")

// Tagged returns the folders below a folder that are marked as caches, such as cargo's target, with slashes. A folder that cannot be read
// has none.
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

// begins reports whether a file begins with some bytes.
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
