package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission/foreign"
	"github.com/socrates-cli/socrates/internal/shell"
)

// Moment is now, with what came from outside before: what changes in the project from here on can be told from it.
func (p Policy) Moment() foreign.Moment { return foreign.Now(p.Fetched) }

// fetched says whether a file came from outside, or lies in a folder that did; with below, also whether anything below it did. path is
// absolute, links followed.
func (p Policy) fetched(path string, below bool) bool {
	if _, in := within(p.Workspace, path); !in && foreign.Among(path, p.Abroad) {
		return true
	}
	return slices.ContainsFunc(p.Fetched, func(from string) bool {
		switch {
		case foreign.Among(path, []string{from}):
		case !below || !strings.HasPrefix(from, strings.TrimSuffix(path, string(filepath.Separator))+string(filepath.Separator)):
			return false
		}
		return p.Reviewed == nil || !p.Reviewed(from)
	})
}

// FromOutside says whether reading a file brings in what strangers wrote. path is absolute.
func (p Policy) FromOutside(path string) bool {
	return len(p.Fetched)+len(p.Abroad) > 0 && p.fetched(shell.Real(path), false)
}
