package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// errTaken says that something else has the name of a piece.
var errTaken = errors.New("the name is already used")

// Write writes a piece that is new into the project in dir, or where a person's own go, never through a link and never into git's own
// folder. Nothing is written unless all of it can be.
// A piece that is there already is written again with the same bytes, which changes nothing. A failure halfway leaves
// the files before it, whole.
func (p Piece) Write(dir string) error {
	if p.Below != "" {
		dir = p.Below
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("adopting %s: %w", p.ID(), err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("adopting %s: %w", p.ID(), err)
	}
	defer root.Close()
	files := slices.Clone(p.all())
	for i, one := range files {
		to := path.Join(p.To, one.name)
		have, err := target(root, to)
		switch {
		case err == nil && p.merge == nil && !bytes.Equal(have, one.data):
			err = fmt.Errorf("%s already exists", to)
		case err == nil || errors.Is(err, fs.ErrNotExist):
			err = nil
			if p.merge != nil {
				files[i].data, err = p.merge(have)
			}
		}
		if err != nil {
			return fmt.Errorf("adopting %s into %s: %w", p.ID(), p.To, err)
		}
	}
	for _, one := range files {
		if err := put(root, path.Join(p.To, one.name), one); err != nil {
			return fmt.Errorf("adopting %s: %w", p.ID(), err)
		}
	}
	return nil
}

// target reads the file that would be written at a path of the project. An error other than that it does not exist says why nothing
// may be written there: a link on the way could lead anywhere, such as into git's own folder.
// Names are compared as disks do that tell no case apart and drop dots and blanks at the end; git~1 is the short name
// of .git on Windows.
func target(root *os.Root, to string) ([]byte, error) {
	parts := strings.Split(to, "/")
	for i, part := range parts {
		at := filepath.FromSlash(path.Join(parts[:i+1]...))
		if name := strings.ToLower(strings.TrimRight(part, ". ")); name == ".git" || name == "git~1" {
			return nil, fmt.Errorf("%s is inside a .git folder", to)
		}
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i+1 < len(parts):
			continue // the names below it are looked at as well
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fmt.Errorf("%s is a link; replace it with a real file or folder", filepath.ToSlash(at))
		case i+1 < len(parts) && !info.IsDir():
			return nil, fmt.Errorf("%s is not a folder", filepath.ToSlash(at))
		}
	}
	return regular(root, to)
}

// regular reads an ordinary file of the project. It never waits for a pipe.
// A link is followed within the project and no further: the root sees to that.
func regular(root *os.Root, name string) ([]byte, error) { return within(root, name, largest) }

// within is regular for a file of at most so many bytes.
func within(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not an ordinary file", name)
	case info.Size() > most:
		return nil, fmt.Errorf("%s is larger than %d KiB", name, most>>10)
	}
	return root.ReadFile(filepath.FromSlash(name))
}

// put writes a file in one step, so that a link that takes its name meanwhile is replaced and not followed.
// A mode that the file has is kept. The new file must not exist before, so two that write at once do not mix.
func put(root *os.Root, to string, one file) error {
	to = filepath.FromSlash(to)
	if err := root.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	mode := one.mode
	if info, err := root.Lstat(to); err == nil {
		mode = info.Mode().Perm()
	}
	fresh := to + ".new"
	f, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(one.data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(fresh, to)
	}
	if err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	return nil
}
