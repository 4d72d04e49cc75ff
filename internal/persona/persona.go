// Package persona has the Markdown pages that tell a seat where to look for evidence. Some are built in; pages in the user's folder
// are added to them and replace those of the same name.
//
// A page never says what to conclude and cannot change how a seat replies: that is the protocol's.
//
// [Folder] finds, lists and makes pages; [Split] splits a page's name from a seat's spec; [Lint] says what does not belong in a page.
// Package page defines the format of pages, reads them and looks up names. The text of a page goes into the system prompt of its seat
// and into the frame of the debate, so editing a page later does not change a debate that has begun.
package persona

import (
	"embed"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/page"
)

// MaxText limits the text of a page, in bytes.
const MaxText = 8 << 10

// Persona is one page.
type Persona struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`            // one line
	File string `json:"file,omitempty"` // empty: it is built in
	Text string `json:"text,omitempty"` // what a seat is told
}

var kind = page.Form{Noun: "persona", MaxText: MaxText, Empty: "say where this seat should look"}

// Split splits the persona from a seat's spec: what follows the last @, if that is a valid name. Names of models may contain an @,
// too: "vendor/model@2026" has no persona.
func Split(spec string) (bare, persona string) {
	if i := strings.LastIndexByte(spec, '@'); i >= 0 && page.CleanName(spec[i+1:]) {
		return spec[:i], spec[i+1:]
	}
	return spec, ""
}

//go:embed page/*.md
var pages embed.FS

// Folder finds pages in the user's folder, which need not exist, then among the built-in ones. The zero Folder has only built-in
// pages.
type Folder struct{ Dir string }

func (s Folder) path() page.SearchPath {
	return page.SearchPath{Form: kind, Places: append(page.Folders(s.Dir), page.Folder{FS: pages, At: "page"})}
}

// File returns the path of the user's page of a name.
func (s Folder) File(name string) string { return filepath.Join(s.Dir, name+".md") }

// Find opens the page of a name. The error is page.ErrUnknown, or a *page.Error that says what is wrong with the page.
//
// A page whose text is too long is refused.
func (s Folder) Find(name string) (Persona, error) {
	p, err := s.path().Find(name)
	return Persona{p.Name, p.Doc, p.File, p.Text}, err
}

// Page returns the whole page of a name, with its header, as its author wrote it.
func (s Folder) Page(name string) (string, error) {
	p, err := s.path().Find(name)
	return p.Raw, err
}

// All returns every usable page, by name, and what is wrong with the user's other pages.
func (s Folder) All() ([]Persona, []error) { return page.All(s.path(), s.Find) }

// Names returns the names of all pages, usable or not, in order.
func (s Folder) Names() []string { return s.path().Names() }

// blank is a template for new pages. Its explanation is a comment in the header, so no seat ever sees it.
//
//go:embed page/blank.txt
var blank string

// New writes a page into the user's folder and returns its path: a copy of the built-in page of that name, else a commented template.
// It never overwrites: an existing page is an fs.ErrExist.
func (s Folder) New(name string) (string, error) { return s.path().New(s.Dir, name, blank) }
