package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/sandbox/child"
)

// step is a place on the way from a writable folder to a path in it. Nothing below the last one matters: it is the path
// itself, or a link, or no folder, or missing.
type step struct {
	child.Step
	missing bool
}

// way is what must stay in place for p to stay what it is; nothing if p is in no writable folder. Links on it are
// followed: they must stay, and so must what is on the way from them to p. A folder on the way stays writable but
// cannot be renamed: else a program would move it away and build another p under the old name.
func (r Rules) way(p string) (out []step, err error) {
	for range 20 {
		steps, link, err := r.stretch(p)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be protected: %w", p, err)
		}
		out = append(out, steps...)
		if link == "" {
			return out, nil
		}
		p = link
	}
	return nil, fmt.Errorf("%s cannot be protected: too many links in its path", p)
}

// stretch is the way to p up to the first link, and where p lies by that link.
func (r Rules) stretch(p string) (out []step, link string, err error) {
	root := r.root(p)
	if root == "" {
		return nil, "", nil
	}
	at := root
	names := strings.Split(strings.Trim(strings.TrimPrefix(p, root), "/"), "/")
	for i, name := range names {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return append(out, step{child.Step{Path: at, Last: true}, true}), "", nil
		case errors.Is(err, fs.ErrPermission) && len(out) > 0: // what is in it is nobody's to see here: all of it is held
			out[len(out)-1].Last = true
			return out, "", nil
		case err != nil:
			return nil, "", err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := filepath.EvalSymlinks(at)
			if _, gone := os.Lstat(at); errors.Is(gone, fs.ErrNotExist) {
				return append(out, step{child.Step{Path: at, Last: true}, true}), "", nil
			}
			if err != nil && i < len(names)-1 {
				return nil, "", fmt.Errorf("%s is a broken symbolic link", at)
			}
			if err != nil { // nothing lies behind it, and it cannot be exchanged for a link to something
				return append(out, step{child.Step{Path: at, Last: true}, false}), "", nil
			}
			return append(out, step{child.Step{Path: at, Last: true}, false}), filepath.Join(to, filepath.Join(names[i+1:]...)), nil
		}
		last := i == len(names)-1 || !info.IsDir()
		out = append(out, step{child.Step{Path: at, Last: last}, false})
		if last {
			break
		}
	}
	return out, "", nil
}
