// Package persona is pages of Markdown that tell a seat where to look for evidence. Some come with the program; the
// user's own, in a folder of theirs, are added to them and take the place of those of the same name.
//
// A page never says what to conclude and cannot change how a seat replies: that is the protocol's.
package persona

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Persona is one page.
type Persona struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`            // one line
	File string `json:"file,omitempty"` // empty: it comes with the program
	Text string `json:"text,omitempty"` // what a seat is told
}

// Error is a page that cannot be used.
type Error struct {
	File    string // empty: of the program
	Line    int    // 0: the page as a whole
	Message string
	Err     error // cause; may be nil
}

func (e *Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	case e.File == "":
		return e.Message
	}
	return e.File + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// ErrUnknown says that there is no page of a name.
var ErrUnknown = errors.New("there is no such persona")

var name = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// CleanName says whether a word can name a persona: a small letter, then small letters, digits and dashes; 40 at most.
func CleanName(word string) bool { return name.MatchString(word) }

// Split takes the persona off a seat's spec: what follows the last @, if that can name one. Names of models may hold
// an @ too: "vendor/model@2026" names no persona.
func Split(spec string) (bare, persona string) {
	if i := strings.LastIndexByte(spec, '@'); i >= 0 && CleanName(spec[i+1:]) {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

//go:embed page/*.md
var pages embed.FS

// Shelf is where pages are looked for: the user's folder, which need not exist, before those of the program.
type Shelf struct{ Dir string }

// File is where the user's page of a name belongs.
func (s Shelf) File(name string) string { return filepath.Join(s.Dir, name+".md") }

// Find opens the page of a name. The error is ErrUnknown, or an *Error that says what is wrong with the page.
func (s Shelf) Find(name string) (Persona, error) {
	if !CleanName(name) {
		return Persona{}, ErrUnknown
	}
	file := s.File(name)
	raw, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = ""
		if raw, err = pages.ReadFile("page/" + name + ".md"); err != nil {
			return Persona{}, ErrUnknown
		}
	}
	if err != nil {
		return Persona{}, &Error{File: file, Message: "cannot be read: " + plain(err), Err: err}
	}
	return Parse(file, name, raw)
}

// Page is the whole page of a name, its head included, as its author wrote it.
func (s Shelf) Page(name string) (string, error) {
	p, err := s.Find(name)
	if err != nil {
		return "", err
	}
	raw, err := pages.ReadFile("page/" + name + ".md")
	if p.File != "" {
		raw, err = read(p.File)
	}
	return string(raw), err
}

// All returns every page that can be used, by name, and what is wrong with the others of the user's folder.
func (s Shelf) All() ([]Persona, []error) {
	var all []Persona
	var wrong []error
	for _, name := range s.Names() {
		if p, err := s.Find(name); err != nil {
			wrong = append(wrong, err)
		} else {
			all = append(all, p)
		}
	}
	for _, file := range s.files() {
		if !CleanName(strings.TrimSuffix(file, ".md")) {
			wrong = append(wrong, &Error{File: filepath.Join(s.Dir, file), Message: "its name cannot be a persona's: small letters, digits and dashes"})
		}
	}
	return all, wrong
}

// Names are the names there are pages for, usable or not, in order.
func (s Shelf) Names() []string {
	var names []string
	own, _ := fs.Glob(pages, "page/*.md") // the pattern is sound
	for _, file := range slices.Concat(own, s.files()) {
		if name := strings.TrimSuffix(strings.TrimPrefix(file, "page/"), ".md"); CleanName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// files are the names of the pages in the user's folder.
func (s Shelf) files() []string {
	var out []string
	entries, _ := os.ReadDir(s.Dir) // what cannot be listed can still be named, and is then told
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}

// blank is a page to begin with. What explains it is a comment of its head, so no seat is ever told it.
//
//go:embed page/blank.txt
var blank string

// New writes a page into the user's folder and returns its path: the program's own page of that name to be changed,
// else a commented one to begin with. It never overwrites: an existing page is an fs.ErrExist.
func (s Shelf) New(name string) (string, error) {
	text := strings.ReplaceAll(blank, "NAME", name)
	if raw, err := pages.ReadFile("page/" + name + ".md"); err == nil {
		text = string(raw)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(s.File(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// read reads a page and a little more than may be in one. It does not wait for a pipe or a device.
func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 4*MaxText))
}

// plain is an error without the path, which is told anyway.
func plain(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
