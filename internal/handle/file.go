package handle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// mostAttached is the size in bytes of the largest text file that goes with a message.
const mostAttached = 256 << 10

// File is what a model is sent of a file that a person names: of the project, or by an absolute path of the machine. What may hold
// secrets is refused in either.
func (s Source) File(name string) (attach.File, error) {
	f, err := folder.Open(s.Dir)
	if err != nil {
		return attach.File{}, err
	}
	defer f.Close()
	if _, err := f.Inside(name); err != nil && filepath.IsAbs(name) && !hidden(err) {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return attach.File{}, &folder.Error{Path: name, Reason: folder.Missing}
		}
		if secret(real) || secret(name) {
			return attach.File{}, &folder.Error{Path: name, Reason: folder.Hidden}
		}
		f.Close()
		if f, err = folder.Open(filepath.Dir(real)); err != nil {
			return attach.File{}, err
		}
		defer f.Close()
		name = real
	}
	most := mostAttached
	if attach.Named(name) {
		most = attach.MostBytes
	}
	body, err := f.Raw(name, most)
	if err != nil {
		return attach.File{}, err
	}
	if !attach.Named(name) && folder.Text(body) {
		return attach.File{Text: string(body)}, nil
	}
	out, err := attach.Read(filepath.Base(name), body)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return out, err
}

// hidden says whether an error is about a file that is never shown.
func hidden(err error) bool {
	e, ok := errors.AsType[*folder.Error](err)
	return ok && e.Reason == folder.Hidden
}

// secret says whether an absolute path is that of a secret, of the person's home or of any folder.
func secret(path string) bool {
	if home, err := os.UserHomeDir(); err == nil {
		if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
			return sensitive.HomeSecret(filepath.ToSlash(rel))
		}
	}
	return sensitive.Secret(filepath.ToSlash(path))
}
