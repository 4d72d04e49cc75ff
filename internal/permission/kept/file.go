// Package kept stores what outlasts conversations in a file: what a person granted for a project, and what came into
// projects from outside.
//
// The file is outside every project and every conversation on purpose: going back in a conversation, cloning a
// repository or restoring a snapshot brings no permission along. A [File] has no state of its own. Each method reads
// the file again and each change replaces it atomically under a lock, so that several processes may use it at once and
// a crash leaves the old file.
//
// A missing file is empty; one that cannot be parsed grants nothing and is an error that names it. Expired entries are
// ignored when the file is read, and removed with the next change. Projects are named by their real path, repositories
// by their main work tree, so that what agents commit in a linked work tree is known in all of them.
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

// File stores the grants for projects in one file. Several processes may use it at once. See the package comment.
type File struct {
	File string // only its owner can read it
}

// Grant is a grant in the file.
type Grant struct {
	ID      int    `json:"id"` // never reused
	Project string `json:"project"`
	permission.Grant
}

// Granted is a grant that applies in a conversation, whether or not it is in the file.
type Granted struct {
	ID string `json:"id"` // s1, s2, … for the session, otherwise the number in the file; never reused
	permission.Grant
}

// content is the file as JSON. An older version would lose fields that it does not know when it writes: do not add
// fields that matter to safety without a new file.
type content struct {
	Last   int     `json:"last"` // the highest ID ever given
	Grants []Grant `json:"grants"`
	// Fetched are the files of a project that came from outside.
	Fetched map[string][]string `json:"fetched,omitempty"`
	// Committed are those of them that an agent committed, with the ids that git gave them, separated by blanks, the last one last: no
	// person has reviewed that content.
	Committed map[string]map[string]string `json:"committed,omitempty"`
}

// Load returns the grants of a project, named by its real path, that still apply.
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

// All returns the grants of all projects that still apply, the oldest first.
func (s File) All() ([]Grant, error) {
	b, err := s.read()
	return b.Grants, err
}

// Add stores a grant for a project, unless it is stored already.
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

// ErrNone means that there is no grant with that number.
var ErrNone = errors.New("no such grant")

// Revoke removes grants, by number; without a number, all.
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

// read returns the file's content without expired entries. A file that cannot be parsed grants nothing and is an error.
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

// change replaces the file atomically, under a lock.
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
