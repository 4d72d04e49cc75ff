// Package folder is a project folder as tools and facts may read it: nothing outside it, no secrets, no devices.
//
// Open gives a Folder, which names are asked of: Read and Entries for one, Files for all, Reader for many in a row.
// Names that come in may be relative or absolute; those that come out are relative with slashes. Every name goes the
// same way: cleaned and held against the folder (Inside), links followed and held against it again (real), opened below
// an os.Root so that nothing can be swapped in between, and looked at once more when open. What is secret by its name
// (package sensitive), hidden by a rule (Hide), outside, or no ordinary file is refused with an *Error that a model
// understands, too.
//
// Changes are two steps. Look takes the file as it is; Apply writes all changes of a set or none, and only where every
// file still is what Look saw. It is the one way by which tools write, so what it refuses cannot be written.
//
// Secrets finds what programs must not see or change while they run in a sandbox; it keeps what it has read of folders
// and looks again only at those that changed.
//
// A Folder is safe for concurrent use, except for Hide, which comes before anything else; a Reader is for one
// goroutine. It trusts that nobody moves the project's folder itself. Errors carry the name as it was asked for, never
// a path of the machine.
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

// Folder is an open project folder. Names it takes may be relative or absolute, with either kind of slash where the
// system has both; names it returns are relative, with slashes. Failures are *Error.
// The paths of folders that were resolved are kept until it is closed: a link that is made of a folder meanwhile is
// noticed when a file is opened, since the root refuses it.
type Folder struct {
	root  *os.Root
	dir   string // absolute, without links
	given string // absolute, as it was asked for

	folders sync.Map // real paths by the paths of folders seen so far
	repo    func() (git.Repo, error)
	hides   func(name string) bool // nil: nothing but what may be secret
}

// Open opens the folder dir. Close it after use.
// git is looked for only when it is first needed.
func Open(dir string) (*Folder, error) {
	if dir == "" { // which Abs would take for where the program was started
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

// Hide keeps more from whoever uses the folder than what may be secret: files whose names, relative with slashes, hides
// says. Call it before anything else.
func (f *Folder) Hide(hides func(name string) bool) { f.hides = hides }

// hidden is the error for a file that is never shown; nil: it may be.
func (f *Folder) hidden(asked, name string) error {
	switch {
	case sensitive.Secret(name):
		return &Error{Path: asked, Reason: Hidden}
	case f.hides != nil && f.hides(name):
		return &Error{Path: asked, Reason: Hidden, Detail: "a rule forbids reading it"}
	}
	return nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Dir is the folder's path, absolute and without links.
func (f *Folder) Dir() string { return f.dir }

// Inside turns name into a clean path relative to the folder, with slashes. It does not look at the disk.
// An absolute name counts if it lies in the folder with or without its links: a person writes the path they came by. A
// name that is secret is refused here already.
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

// real is where name ends up once links are followed, relative to the folder. A link is judged by what it leads to.
// Paths of the kernel are refused by name, because opening one can do something.
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

// follow is filepath.EvalSymlinks, which looks at each folder above a file only once.
func (f *Folder) follow(full string) (string, error) {
	info, err := os.Lstat(full)
	// A short name of Windows has a tilde, and only EvalSymlinks finds what it is short for.
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

// open opens name, which has to be an ordinary file or, if wantDir, a folder.
// The file is the caller's to close. A pipe is never waited for.
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

// Read returns the bytes of a text file of at most limit bytes; 0: Most.
// A binary file is refused as such also if it is too large: that is what somebody has to know. Binary means a NUL
// within the first 64 KB.
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

// Raw is Read of a file that need not be text.
func (f *Folder) Raw(name string, limit int) ([]byte, error) {
	body, _, err := f.bytes(name, limit)
	if err != nil {
		return nil, err
	}
	return body, nil
}

// bytes returns a file and its permission bits. Of one that is too large it returns the beginning and an error.
// Reading goes one byte beyond the limit to know that there is more.
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
	// The size is a hint only: it is wrong for files that are being written.
	if _, err := whole.ReadFrom(io.LimitReader(file, int64(limit)+1)); err != nil {
		return nil, 0, &Error{Path: name, Reason: Broken}
	}
	if whole.Len() > limit {
		err = &Error{Path: name, Reason: Huge, Detail: fmt.Sprintf("it is larger than %d KB", limit>>10)}
	}
	return whole.Bytes(), info.Mode().Perm(), err
}

// Lines splits text into lines that are harmless to show, one for each line of the file. A newline at the end starts
// no line of its own.
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

// Text says whether body is that of a text file.
func Text(body []byte) bool { return !looksBinary(body) }

// looksBinary looks for a NUL, as git does.
func looksBinary(body []byte) bool { return bytes.IndexByte(body[:min(len(body), 64<<10)], 0) >= 0 }

// Item is one name in a folder.
type Item struct {
	Name   string // of a link: not followed
	Mode   fs.FileMode
	Size   int64
	Secret bool // it is there, but is never shown
}

// Items returns what lies in the folder name, sorted by name.
// A folder has at most mostNames entries here; those beyond are not told.
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

// Repo is the git repository the folder lies in. The errors are git.Open's.
func (f *Folder) Repo() (git.Repo, error) { return f.repo() }
