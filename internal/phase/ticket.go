package phase

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Template is a page that tickets and documents begin as: its text, with TITLE, DATE and SLUG to be filled in.
type Template struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Path string `json:"path"`           // where it goes, with SLUG for the title
	File string `json:"file,omitempty"` // empty: it comes with the program
	Text string `json:"text"`
}

// templates is where templates are looked for.
func templates(dirs []string) page.SearchPath {
	return page.SearchPath{Places: append(page.Folders(dirs...), page.Folder{FS: own, At: "template"}),
		Form: page.Form{Noun: "template", MaxText: maxPrompt, Keys: []string{"path"}, Empty: "write the initial text of a ticket"}}
}

// Templates returns every template that can be used, by name, and what is wrong with the others. They are looked for in
// dirs, in this order, before those that come with the program.
func Templates(dirs ...string) ([]Template, []error) {
	return page.All(templates(dirs), func(name string) (Template, error) { return FindTemplate(name, dirs...) })
}

// FindTemplate opens the template of a kind of ticket. The error is page.ErrUnknown, or a *page.Error.
func FindTemplate(kind string, dirs ...string) (Template, error) {
	p, err := templates(dirs).Find(kind)
	if err != nil {
		return Template{}, err
	}
	t := Template{Name: p.Name, Doc: p.Doc, Path: p.Get("path"), File: p.File, Text: p.Text}
	if t.Path == "" {
		t.Path = "specs/tickets/" + t.Name + "-SLUG/spec.md"
	}
	if !filepath.IsLocal(filepath.FromSlash(t.Path)) || path.Clean(t.Path) != t.Path || !strings.Contains(t.Path, "SLUG") {
		return Template{}, p.Wrong("path", "must be below the project folder and contain SLUG, not %s", t.Path)
	}
	return t, nil
}

// blanks are the words of a template that are filled in.
var blanks = pattern.Of(`\b(TITLE|DATE|SLUG)\b`)

// Ticket fills a template in: where the file belongs, relative to the project folder, and what it begins as. date is
// written as it is given.
// The blanks are words of their own: a TITLE within another word stays. What is put in is not looked at again.
func (t Template) Ticket(title, date string) (file, text string) {
	title = strings.Join(strings.Fields(clean.Line(title)), " ")
	slug := Slug(title)
	text = blanks().ReplaceAllStringFunc(t.Text, func(word string) string {
		return map[string]string{"TITLE": title, "DATE": date, "SLUG": slug}[word]
	})
	return strings.ReplaceAll(t.Path, "SLUG", slug), text + "\n"
}

// longestSlug is in bytes: some disks take names of 255, and a ticket's folder is part of longer paths.
const longestSlug = 50

// Slug is a title as a part of a path: small letters and digits joined by dashes, cut between words. It is never empty.
// A first word that is too long is cut, at a letter. Letters of any script stay: they are valid in paths.
func Slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slug := ""
	for _, w := range words {
		if next := strings.TrimPrefix(slug+"-"+w, "-"); len(next) <= longestSlug {
			slug = next
			continue
		}
		break
	}
	if slug == "" && len(words) > 0 {
		slug = strings.ToValidUTF8(words[0][:longestSlug], "")
	}
	if slug == "" {
		return "untitled"
	}
	return slug
}
