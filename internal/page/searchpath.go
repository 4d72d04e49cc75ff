package page

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrUnknown says that there is no page of a name.
var ErrUnknown = errors.New("no such page")

// Folder is a folder of pages. It need not exist.
type Folder struct {
	Dir string // for people; empty: the pages come with the program
	FS  fs.FS
	At  string // where in FS the pages lie; empty: at its top
}

// Folders are the places of the pages in folders of the user's. Empty names are left out.
func Folders(dirs ...string) []Folder {
	var out []Folder
	for _, dir := range dirs {
		if dir != "" {
			out = append(out, Folder{Dir: dir, FS: os.DirFS(dir)})
		}
	}
	return out
}

// Inside is the place of the pages in a folder below a root that no link leads out of.
func Inside(root *os.Root, at string) Folder {
	return Folder{Dir: filepath.Join(root.Name(), filepath.FromSlash(at)), FS: root.FS(), At: at}
}

// SearchPath is where pages of a kind are looked for, in this order.
type SearchPath struct {
	Form
	Places []Folder
}

// Find opens the first page of a name. The error is ErrUnknown, or an *Error that says what is wrong with the page: one
// that is broken does not give way to those behind it.
func (s SearchPath) Find(name string) (Page, error) {
	if !CleanName(name) {
		return Page{}, ErrUnknown
	}
	for _, place := range s.Places {
		raw, err := place.read(name+".md", s.MaxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		file := place.file(name + ".md")
		if err != nil {
			return Page{}, &Error{Noun: s.Noun, File: file, Message: "cannot be read: " + plain(err), Err: err}
		}
		return s.Parse(file, name, raw)
	}
	return Page{}, ErrUnknown
}

// Names are the names there are pages for, usable or not, in order.
func (s SearchPath) Names() []string {
	var names []string
	for _, place := range s.Places {
		for _, file := range place.files() {
			if name := strings.TrimSuffix(file, ".md"); CleanName(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// All opens every page by find, ordered by name. It also returns what is wrong with those that cannot be used.
func All[T any](s SearchPath, find func(name string) (T, error)) (all []T, wrong []error) {
	for _, name := range s.Names() {
		if p, err := find(name); err != nil {
			wrong = append(wrong, err)
		} else {
			all = append(all, p)
		}
	}
	for _, place := range s.Places {
		for _, file := range place.files() {
			if !CleanName(strings.TrimSuffix(file, ".md")) {
				wrong = append(wrong, &Error{Noun: s.Noun, File: place.file(file),
					Message: "its name is not a valid " + s.Noun + " name: use lower-case letters, digits and dashes"})
			}
		}
	}
	return all, wrong
}

// New writes a page into dir, which is made if need be, and returns its path: the program's own page of that name to
// be changed, else blank, with NAME replaced. It never overwrites: an existing page is an fs.ErrExist.
// A page that a person already has under that name elsewhere is not copied: only the program's own is a pattern to
// start from.
func (s SearchPath) New(dir, name, blank string) (string, error) {
	text := strings.ReplaceAll(blank, "NAME", name)
	for _, place := range s.Places {
		if raw, err := place.read(name+".md", s.MaxText); err == nil && place.Dir == "" {
			text = string(raw)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".md"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// file is the path of a page; empty: it comes with the program.
func (p Folder) file(name string) string {
	if p.Dir == "" {
		return ""
	}
	return filepath.Join(p.Dir, name)
}

// files are the names of the pages that lie there.
func (p Folder) files() []string {
	var out []string
	entries, _ := fs.ReadDir(p.FS, path.Join(".", p.At)) // what cannot be listed can still be named, and is then told
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}

// read reads a page and a little more than may be in one. It does not wait for a pipe or a device.
// The bound is four times what the text may have, so that Parse can say that it is too long; the rest is room for the
// head.
func (p Folder) read(name string, size int) ([]byte, error) {
	name = path.Join(p.At, name)
	info, err := fs.Stat(p.FS, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(4*size)))
}

// plain is an error without the path, which is told anyway.
func plain(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
