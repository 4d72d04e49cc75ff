// Package kept is the file that outlasts conversations: what a person granted for a project, and what came into
// projects from outside.
//
// It lies outside every project and every conversation on purpose: going back in a conversation, cloning a
// repository or restoring a snapshot brings no permission along. A [File] has no state of its own. Each method
// reads the file again and each change replaces it in one step under a lock, so that several processes may use it at
// once and a crash leaves the old file.
//
// A file that is missing is empty; one that cannot be understood grants nothing and is an error that names it. What
// has expired is left out when the file is read, and gone after the next change. Projects are named by their real
// path, repositories by their main work tree, so that what agents commit in a linked work tree is known in all of
// them.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/private"
)

// File keeps the grants for projects in one file outside every project and every conversation: going back in a
// conversation, or cloning a repository, brings no permission back. Several processes may use it at once.
type File struct {
	File string // only its owner can read it
}

// Grant is a grant in the file.
type Grant struct {
	ID      int    `json:"id"` // never used again
	Project string `json:"project"`
	permission.Grant
}

// Granted is a grant that holds in a conversation, whether it is in the file or not.
type Granted struct {
	ID string `json:"id"` // s1, s2, … for the session, else the number in the file; never used again
	permission.Grant
}

// content is the file as JSON. Fields that are unknown to an older version would be lost when it writes: add none
// that matter to safety without a new file.
type content struct {
	Last   int     `json:"last"` // the highest ID ever given
	Grants []Grant `json:"grants"`
	// Fetched are the files of a project that came from outside.
	Fetched map[string][]string `json:"fetched,omitempty"`
	// Committed are those of them that an agent committed, with the ids that git gave them, the last one last, between blanks:
	// no person has looked at that.
	Committed map[string]map[string]string `json:"committed,omitempty"`
}

// Load returns the grants of a project that still hold, named by its real path.
func (s File) Load(project string) ([]permission.Grant, error) {
	all, err := s.All()
	var out []permission.Grant
	for _, k := range all {
		if k.Project == project {
			out = append(out, k.Grant)
		}
	}
	return out, err
}

// All returns the grants of all projects that still hold, the oldest first.
func (s File) All() ([]Grant, error) {
	b, err := s.read()
	return b.Grants, err
}

// Add keeps a grant for a project. One that is there already is not kept twice.
func (s File) Add(project string, g permission.Grant) error {
	if g.Scope != "project" || g.Once || !filepath.IsAbs(project) {
		return fmt.Errorf("a grant for %q is not saved", g.Scope)
	}
	return s.change(func(b *content) error {
		for _, k := range b.Grants {
			if k.Project == project && k.Same(g) {
				return nil
			}
		}
		b.Last++
		b.Grants = append(b.Grants, Grant{b.Last, project, g})
		return nil
	})
}

// ErrNone says that there is no grant of that number.
var ErrNone = errors.New("no such grant")

// Revoke takes grants away, by number; without one, all.
func (s File) Revoke(ids ...int) error {
	return s.change(func(b *content) error {
		for _, id := range ids {
			if !slices.ContainsFunc(b.Grants, func(k Grant) bool { return k.ID == id }) {
				return fmt.Errorf("%w: %d", ErrNone, id)
			}
		}
		b.Grants = slices.DeleteFunc(b.Grants, func(k Grant) bool { return len(ids) == 0 || slices.Contains(ids, k.ID) })
		return nil
	})
}

// read is what the file says, without what has expired. A file that cannot be understood grants nothing and is an error.
func (s File) read() (content, error) {
	text, err := os.ReadFile(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	var b content
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return content{}, fmt.Errorf("cannot read the grants in %s: %w; repair or remove the file", s.File, err)
	}
	b.Grants = slices.DeleteFunc(b.Grants, func(k Grant) bool { return !k.Expires.IsZero() && time.Now().After(k.Expires) })
	return b, nil
}

// change replaces the file in one step, while nobody else does.
func (s File) change(edit func(*content) error) error {
	if err := os.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
		return fmt.Errorf("save grants: %w", err)
	}
	lock := flock.New(s.File + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the grants in %s: %w", s.File, err)
	}
	defer lock.Close()
	b, err := s.read()
	if err == nil {
		err = edit(&b)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("save grants: %w", err)
	}
	if err := private.Replace(s.File, append(text, '\n')); err != nil {
		return fmt.Errorf("save grants in %s: %w", s.File, err)
	}
	return nil
}
