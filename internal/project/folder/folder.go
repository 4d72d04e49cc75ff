// Package folder lets tools read a project folder safely: nothing outside it, no secrets, no devices.
//
// Open returns a Folder, whose methods take names: Read and Entries for one, Files for all, Reader for many in a row.
// Names passed in may be relative or absolute; returned names are relative with slashes. Every name is processed the
// same way: cleaned and checked to be in the folder (Inside), links followed and checked again (real), opened below an
// os.Root so that nothing can be swapped in between, and checked once more after opening. What is secret by its name
// (package sensitive), hidden by a rule (Hide), outside, or not an ordinary file is refused with an *Error that a model
// understands, too.
//
// Changes take two steps. Look reads the file as it is; Apply writes all changes of a set or none, and only if every
// file still is what Look saw. It is the only way by which tools write, so what it refuses cannot be written.
//
// Secrets finds what programs must not see or change while they run in a sandbox; it caches what it has read of folders
// and reads only changed ones again.
//
// A Folder is safe for concurrent use, except for Hide, which must come first; a Reader is for one goroutine. It
// assumes that nobody moves the project's folder itself. Errors contain the name as it was given, never a path of the
// machine.
package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/inuse"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// Most is the size in bytes of the largest file that is read.
const Most = 16 << 20

// Folder is an open project folder. Names passed in may be relative or absolute, with either kind of slash where the
// system has both; returned names are relative, with slashes. Failures are *Error. The resolved paths of folders are
// cached until it is closed: if a folder is replaced by a link in the meantime, that is noticed when a file is opened,
// since the root refuses it.
type Folder struct {
	root  *os.Root
	dir   string // absolute, without links
	given string // absolute, as given

	folders sync.Map // real paths by path, of the folders seen so far
	repo    func() (git.Repo, error)
	hides   func(name string) bool // nil: only possible secrets are hidden
}

// Open opens the folder dir. Close it after use. git is started only when it is first needed.
func Open(dir string) (*Folder, error) {
	if dir == "" { // Abs would take it for the current folder
		return nil, &Error{Path: dir, Reason: Missing, Detail: "no project folder was named"}
	}
	given, err := filepath.Abs(dir)
	var abs string
	if err == nil {
		abs, err = filepath.EvalSymlinks(given)
	}
	if err != nil {
		return nil, &Error{Path: dir, Reason: Missing, Detail: "no such folder"}
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, &Error{Path: dir, Reason: Broken, Detail: "the folder cannot be opened"}
	}
	return &Folder{root: root, dir: abs, given: given, repo: sync.OnceValues(func() (git.Repo, error) { return git.Open(abs) })}, nil
}

// Hide hides more than possible secrets: files whose names, relative with slashes, hides returns true for. Call it before anything else.
func (f *Folder) Hide(hides func(name string) bool) { f.hides = hides }

// hidden returns the error for a file that is never shown; nil: it may be shown.
func (f *Folder) hidden(asked, name string) error {
	switch {
	case sensitive.Secret(name):
		return &Error{Path: asked, Reason: Hidden}
	case f.hides != nil && f.hides(name):
		return &Error{Path: asked, Reason: Hidden, Detail: "a rule forbids reading it"}
	}
	return nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Dir is the folder's path, absolute and without links.
func (f *Folder) Dir() string { return f.dir }

// Inside turns name into a clean path relative to the folder, with slashes. It does not access the disk. An absolute
// name may be in the folder with or without its links resolved: people write the path they used. A secret name is
// refused here already.
func (f *Folder) Inside(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", &Error{Path: name, Reason: Outside, Detail: "it is outside the project folder: the name contains a NUL byte"}
	}
	local := filepath.FromSlash(name)
	if filepath.IsAbs(local) {
		rel, err := filepath.Rel(f.dir, local)
		if err != nil || !filepath.IsLocal(rel) {
			rel, err = filepath.Rel(f.given, local)
		}
		if err != nil {
			return "", &Error{Path: name, Reason: Outside}
		}
		local = rel
	}
	if local == "" {
		local = "."
	}
	if !filepath.IsLocal(local) {
		return "", &Error{Path: name, Reason: Outside}
	}
	clean := filepath.ToSlash(filepath.Clean(local))
	return clean, f.hidden(name, clean)
}

// real is the path of name with links followed, relative to the folder. A link is judged by its target. Paths of the
// kernel are refused by name, because opening one can have effects.
func (f *Folder) real(name string) (string, error) {
	clean, err := f.Inside(name)
	if err != nil {
		return "", err
	}
	full, err := f.follow(filepath.Join(f.dir, filepath.FromSlash(clean)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{Path: name, Reason: Missing}
	case err != nil:
		return "", &Error{Path: name, Reason: Broken}
	}
	for _, system := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(full, system) {
			return "", &Error{Path: name, Reason: Irregular}
		}
	}
	rel, err := filepath.Rel(f.dir, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &Error{Path: name, Reason: Outside, Detail: "it is a link that leads outside the project folder"}
	}
	if rel = filepath.ToSlash(rel); rel != clean {
		err = f.hidden(name, rel)
	}
	return rel, err
}

// follow is filepath.EvalSymlinks, but checks each folder above a file only once.
func (f *Folder) follow(full string) (string, error) {
	info, err := os.Lstat(full)
	// A short name of Windows has a tilde, and only EvalSymlinks finds the name it abbreviates.
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || strings.Contains(full, "~") || full == f.dir {
		return filepath.EvalSymlinks(full)
	}
	above := filepath.Dir(full)
	if known, ok := f.folders.Load(above); ok {
		return filepath.Join(known.(string), filepath.Base(full)), nil
	}
	resolved, err := filepath.EvalSymlinks(above)
	if err != nil {
		return "", err
	}
	f.folders.Store(above, resolved)
	return filepath.Join(resolved, filepath.Base(full)), nil
}

// open opens name, which must be an ordinary file or, if wantDir, a folder. The caller closes the file. It never waits for a pipe.
func (f *Folder) open(name string, wantDir bool) (*os.File, error) {
	rel, err := f.real(name)
	if err != nil {
		return nil, err
	}
	local := filepath.FromSlash(rel)
	before, err := f.root.Lstat(local)
	if err != nil {
		return nil, &Error{Path: name, Reason: Missing}
	}
	switch {
	case wantDir && !before.IsDir():
		return nil, &Error{Path: name, Reason: WrongKind, Detail: "it is a file, not a folder"}
	case !wantDir && before.IsDir():
		return nil, &Error{Path: name, Reason: WrongKind}
	case !wantDir && (!before.Mode().IsRegular() || inuse.Is(before)):
		return nil, &Error{Path: name, Reason: Irregular}
	}
	file, err := f.root.OpenFile(local, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, &Error{Path: name, Reason: Broken}
	}
	// Someone may have put a link or a pipe there in between.
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		file.Close()
		return nil, &Error{Path: name, Reason: Broken, Detail: "it changed while it was opened"}
	}
	return file, nil
}

// Read returns the bytes of a text file of at most limit bytes; 0: Most. A binary file is refused as binary even if it
// is too large, since that is the more useful message. Binary means a NUL within the first 64 KB.
func (f *Folder) Read(name string, limit int) ([]byte, error) {
	if limit == 0 {
		limit = Most
	}
	body, _, err := f.bytes(name, limit)
	if looksBinary(body) {
		return nil, &Error{Path: name, Reason: Binary}
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}

// Raw is Read for a file that need not be text.
func (f *Folder) Raw(name string, limit int) ([]byte, error) {
	body, _, err := f.bytes(name, limit)
	if err != nil {
		return nil, err
	}
	return body, nil
}

// bytes returns a file and its permission bits. For one that is too large it returns the beginning and an error. It
// reads one byte beyond the limit to find out whether there is more.
func (f *Folder) bytes(name string, limit int) ([]byte, fs.FileMode, error) {
	file, err := f.open(name, false)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	var whole bytes.Buffer
	info, err := file.Stat()
	if err != nil {
		return nil, 0, &Error{Path: name, Reason: Broken}
	}
	whole.Grow(int(min(info.Size(), int64(limit))) + bytes.MinRead)
	// The size is only a hint: it is wrong for files that are being written.
	if _, err := whole.ReadFrom(io.LimitReader(file, int64(limit)+1)); err != nil {
		return nil, 0, &Error{Path: name, Reason: Broken}
	}
	if whole.Len() > limit {
		err = &Error{Path: name, Reason: Huge, Detail: fmt.Sprintf("it is larger than %d KB", limit>>10)}
	}
	return whole.Bytes(), info.Mode().Perm(), err
}

// Lines splits text into lines that are safe to show, one for each line of the file. A newline at the end starts no new line.
func Lines(body []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	if len(body) == 0 {
		return nil
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(clean.Text(strings.TrimSuffix(line, "\r")), "\n", " ")
	}
	return lines
}

// Text reports whether body is that of a text file.
func Text(body []byte) bool { return !looksBinary(body) }

// looksBinary searches for a NUL, like git.
func looksBinary(body []byte) bool { return bytes.IndexByte(body[:min(len(body), 64<<10)], 0) >= 0 }

// Item is one entry of a folder.
type Item struct {
	Name   string // of a link itself, not its target
	Mode   fs.FileMode
	Size   int64
	Secret bool // it exists, but is never shown
}

// Items returns the entries of the folder name, sorted by name: at most mostNames; further ones are left out.
func (f *Folder) Items(name string) ([]Item, error) {
	dir, err := f.open(name, true)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	infos, err := dir.Readdir(mostNames)
	if err != nil && err != io.EOF {
		return nil, &Error{Path: name, Reason: Broken}
	}
	items := make([]Item, len(infos))
	for i, info := range infos {
		hidden := f.hidden("", path.Join(filepath.ToSlash(name), info.Name())) != nil || sensitive.Secret(info.Name())
		items[i] = Item{info.Name(), info.Mode(), info.Size(), hidden}
	}
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	return items, nil
}

// Repo is the folder's git repository. The errors are git.Open's.
func (f *Folder) Repo() (git.Repo, error) { return f.repo() }
