// Package persona is pages of Markdown that tell a seat where to look for evidence. Some come with the program; the
// user's own, in a folder of theirs, are added to them and take the place of those of the same name.
//
// A page never says what to conclude and cannot change how a seat replies: that is the protocol's.
//
// [Folder] finds, lists and makes pages; [Split] takes a page's name off a seat's spec; [Lint] says what does not
// belong in a page. What a page is, how it is read and how names are looked up is package page's. The text of a page
// goes into the system prompt of its seat and into the frame of the debate, so a page that is edited later changes no
// debate that has begun.
package persona

import (
	"embed"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/page"
)

// MaxText is how long what a seat is told may be, in bytes.
const MaxText = 8 << 10

// Persona is one page.
type Persona struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`            // one line
	File string `json:"file,omitempty"` // empty: it comes with the program
	Text string `json:"text,omitempty"` // what a seat is told
}

var kind = page.Form{Noun: "persona", MaxText: MaxText, Empty: "say where this seat should look"}

// Split takes the persona off a seat's spec: what follows the last @, if that can name one. Names of models may hold
// an @ too: "vendor/model@2026" names no persona.
func Split(spec string) (bare, persona string) {
	if i := strings.LastIndexByte(spec, '@'); i >= 0 && page.CleanName(spec[i+1:]) {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

//go:embed page/*.md
var pages embed.FS

// Folder is where pages are looked for: the user's folder, which need not exist, before those of the program.
// The zero Folder has the program's pages only.
type Folder struct{ Dir string }

func (s Folder) path() page.SearchPath {
	return page.SearchPath{Form: kind, Places: append(page.Folders(s.Dir), page.Folder{FS: pages, At: "page"})}
}

// File is where the user's page of a name belongs.
func (s Folder) File(name string) string { return filepath.Join(s.Dir, name+".md") }

// Find opens the page of a name. The error is page.ErrUnknown, or a *page.Error that says what is wrong with the page.
//
// The text is as long as it may be, or the page is refused.
func (s Folder) Find(name string) (Persona, error) {
	p, err := s.path().Find(name)
	return Persona{p.Name, p.Doc, p.File, p.Text}, err
}

// Page is the whole page of a name, its head included, as its author wrote it.
func (s Folder) Page(name string) (string, error) {
	p, err := s.path().Find(name)
	return p.Raw, err
}

// All returns every page that can be used, by name, and what is wrong with the others of the user's folder.
func (s Folder) All() ([]Persona, []error) { return page.All(s.path(), s.Find) }

// Names are the names there are pages for, usable or not, in order.
func (s Folder) Names() []string { return s.path().Names() }

// blank is a page to begin with. What explains it is a comment of its head, so no seat is ever told it.
//
//go:embed page/blank.txt
var blank string

// New writes a page into the user's folder and returns its path: the program's own page of that name to be changed,
// else a commented one to begin with. It never overwrites: an existing page is an fs.ErrExist.
func (s Folder) New(name string) (string, error) { return s.path().New(s.Dir, name, blank) }
