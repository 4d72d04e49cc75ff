// Package sample is a small project and a question about it, for showing a debate without a model.
package sample

import (
	"embed"
	"io/fs"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/private"
)

//go:embed hours
var files embed.FS

// Question is what the project bears on.
const Question = "Should hours keep its entries in SQLite or in a JSON file?"

// Write writes the project into a folder, over what a person changed there.
func Write(dir string) error {
	return fs.WalkDir(files, "hours", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		within, err := filepath.Rel("hours", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		return private.Replace(filepath.Join(dir, within), text)
	})
}
