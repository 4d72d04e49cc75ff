package slash

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// File is a file that a command would write if the person agrees.
type File struct{ Path, Text string }

// Create writes a new file, below the project in dir as tools write, elsewhere at the person's path. A path
// that leaves dir (absolute, or with ..) was named by a person at the terminal and is theirs to choose; inside
// dir the rules of tools apply: no links, no steering files without approval.
func (f File) Create(dir string) error {
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
		out, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = out.WriteString(f.Text)
		return errors.Join(err, out.Close())
	}
	top, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	was, err := top.Look(filepath.ToSlash(f.Path))
	if err != nil {
		return err
	}
	if was.There {
		return failure.Usage(f.Path+" already exists", "use another name")
	}
	return top.Apply(folder.Change{Was: was, Now: []byte(f.Text)})
}
