package builtin

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// lineNumber matches what read puts before a line.
var lineNumber = pattern.Of(`^ *\d+\t`)

// otherwise corrects an edit whose old text is not in the file: copied with the line numbers that read shows, with a
// final newline that the file lacks, or with accents composed differently. how says which.
func (e oneEdit) otherwise(body string) (_ oneEdit, how string, ok bool) {
	tries := []oneEdit{e}
	names := []string{""}
	try := func(name string, change func(oneEdit) (oneEdit, bool)) {
		for i, t := range tries[:len(tries):len(tries)] {
			if t, ok := change(t); ok {
				tries, names = append(tries, t), append(names, strings.TrimPrefix(names[i]+", "+name, ", "))
			}
		}
	}
	try("without the line numbers", func(e oneEdit) (oneEdit, bool) {
		var found bool
		if e.Old, found = unnumbered(e.Old); found {
			e.New, _ = unnumbered(e.New)
		}
		return e, found
	})
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		try("with accents composed differently", func(e oneEdit) (oneEdit, bool) {
			composed := form.String(e.Old)
			found := composed != e.Old
			e.Old, e.New = composed, form.String(e.New)
			return e, found
		})
	}
	try("without a final newline", func(e oneEdit) (oneEdit, bool) {
		var found bool
		e.Old, found = strings.CutSuffix(e.Old, "\n")
		e.New = strings.TrimSuffix(e.New, "\n")
		return e, found && strings.HasSuffix(body, e.Old)
	})
	for i, t := range tries[1:] {
		if regions, _ := find(body, t.Old, t.All, false); len(regions) > 0 && t.Old != t.New {
			return t, names[i+1], true
		}
	}
	return e, "", false
}

// unnumbered removes the numbers of a text in which each line has one.
func unnumbered(text string) (string, bool) {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		n := lineNumber().FindString(l)
		if n == "" && strings.TrimSpace(l) != "" {
			return text, false
		}
		lines[i] = l[len(n):]
	}
	return strings.Join(lines, ""), strings.TrimSpace(text) != ""
}
