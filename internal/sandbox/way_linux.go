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

// step is a place on the path from a writable folder to a protected path. Nothing below the last one matters: it is the
// path itself, or a link, or not a folder, or missing.
type step struct {
	child.Step
	missing bool
}

// way returns what must stay in place so that p stays what it is; nothing if p is in no writable folder. Links on the
// path are followed: they must stay, and so must what is between them and p. A folder on the path stays writable but
// cannot be renamed: otherwise a program could move it away and build another p under the old name.
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

// stretch is the path to p up to the first link, and the path of p through that link.
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
		case errors.Is(err, fs.ErrPermission) && len(out) > 0: // its content is invisible to us: all of it is protected
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
			if err != nil { // there is nothing behind it, and it cannot be replaced by a link to something
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
