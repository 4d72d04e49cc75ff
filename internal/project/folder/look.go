package folder

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// File is a file of the folder at one moment: the state that a change starts from, and that the file must still have
// when the change is made.
type File struct {
	Name  string // relative, with slashes, links followed
	Path  string // absolute path
	There bool   // false: it does not exist, and the folders above it may not exist either
	Body  []byte
	Mode  fs.FileMode // the permission bits
}

// Look reads the file name in order to change it. It need not exist, but no link may dangle. Binary files and those
// larger than Most are refused, since their content could not be compared later.
func (f *Folder) Look(name string) (File, error) {
	rel, err := f.resolve(name)
	if e, ok := errors.AsType[*Error](err); ok && e.Reason == Hidden && e.Detail == "" {
		e.Detail = "it may contain secrets, or is git's own: it is never shown or changed"
	}
	if err != nil {
		return File{}, err
	}
	was := File{Name: rel, Path: filepath.Join(f.dir, filepath.FromSlash(rel))}
	if rel == "." {
		return File{}, &Error{Path: name, Reason: WrongKind}
	}
	was.Body, was.Mode, err = f.bytes(rel, Most)
	was.There = err == nil
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Reason == Missing {
			return was, nil
		}
		if e.Path = name; looksBinary(was.Body) {
			e.Reason, e.Detail = Binary, ""
		}
	}
	return was, err
}

// resolve is real for a name that need not exist: missing parts are kept as written. It goes up from the name to an
// existing part, follows its links, and appends the rest.
func (f *Folder) resolve(name string) (string, error) {
	inside, err := f.Inside(name)
	if err != nil {
		return "", err
	}
	for there, missing := inside, ""; ; {
		info, err := os.Lstat(filepath.Join(f.dir, filepath.FromSlash(there)))
		switch {
		case err == nil:
			rel, err := f.real(there)
			if e, ok := errors.AsType[*Error](err); ok {
				if e.Path = name; e.Reason == Missing && info.Mode()&fs.ModeSymlink != 0 {
					e.Reason, e.Detail = Broken, "it is a broken link"
				}
				return "", e
			}
			if missing == "" {
				return rel, nil
			}
			if above, err := f.root.Stat(filepath.FromSlash(rel)); err == nil && !above.IsDir() {
				return "", &Error{Path: name, Reason: WrongKind, Detail: rel + " is a file, not a folder"}
			}
			full := path.Join(rel, missing)
			return full, f.hidden(name, full)
		case !errors.Is(err, fs.ErrNotExist) && !notFolder(err):
			return "", &Error{Path: name, Reason: Broken, Detail: "it cannot be reached: " + reason(err)}
		case there == ".":
			return "", &Error{Path: name, Reason: Missing, Detail: "the project folder is gone"}
		}
		missing = path.Join(path.Base(there), missing)
		if missing == inside && strings.HasPrefix(missing, "~/") { // a shell would not create it here
			return "", &Error{Path: name, Reason: Outside, Detail: "it is outside the project folder: ~ is the home folder"}
		}
		there = path.Dir(there)
	}
}
