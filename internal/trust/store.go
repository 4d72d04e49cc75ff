package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/private"
)

// Store is the file of approvals. It is the user's alone: 0600, and refused if others could have written it.
// It is read at Open and before each change; State and the lists answer from what was read last. It is for one
// goroutine. Approvals of a project are kept under its folder without links (see Project).
type Store struct {
	file string
	book book
}

// book is the file: entries by project. The empty project holds what belongs to the user's own settings.
type book struct {
	Version  int                `json:"version"`
	Projects map[string][]known `json:"projects"`
}

// known is what is known of one item, by kind and name.
type known struct {
	Kind     ItemKind  `json:"kind"`
	Name     string    `json:"name"`
	Approved []content `json:"approved"` // the newest last
	// Seen is what no file of the project shows and waits to be approved: what a server said of its tools.
	Seen *content `json:"seen,omitempty"`
}

// content is one content that was approved.
type content struct {
	SHA256 string    `json:"sha256"`
	Path   string    `json:"path"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
}

// mostKept is how many contents of one name stay approved, so that changing branches does not ask again.
const mostKept = 10

// Open reads the store in file; a missing one is empty.
// The Store comes back with the error, empty: whoever goes on with it finds that nothing was approved.
func Open(file string) (*Store, error) {
	s := &Store{file: file}
	return s, s.read()
}

// A file that others could have written is refused as a whole: an approval somebody else put there is worse than asking
// again.
func (s *Store) read() error {
	s.book = book{Version: 1, Projects: map[string][]known{}}
	raw, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read your approvals: %w", err)
	}
	if info, err := os.Stat(s.file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("other users could have changed your approvals; check %s, then: chmod 600 %s", s.file, s.file)
	}
	if err := json.Unmarshal(raw, &s.book); err != nil || s.book.Version != 1 || s.book.Projects == nil {
		return fmt.Errorf("%s is not in this program's format; move it away and approve again", s.file)
	}
	for project, all := range s.book.Projects {
		s.book.Projects[project] = slices.DeleteFunc(all, func(e known) bool { return len(e.Approved) == 0 && e.Seen == nil })
	}
	return nil
}

// find returns the entry of an item; nil if there is none.
func (s *Store) find(project string, i Item) *known {
	all := s.book.Projects[project]
	at := slices.IndexFunc(all, func(e known) bool { return e.Kind == i.Kind && e.Name == i.Name })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// State says whether an item may run. Of one that changed, diff shows how from what was approved last.
// An item goes back to Approved if its content is one of the mostKept that were approved before, as after a change of
// branch.
func (s *Store) State(project string, i Item) (state State, diff string) {
	if i.Problem != "" {
		return Unusable, ""
	}
	e := s.find(project, i)
	if e == nil || len(e.Approved) == 0 {
		return New, ""
	}
	if slices.ContainsFunc(e.Approved, func(c content) bool { return c.SHA256 == i.SHA256 }) {
		return Approved, ""
	}
	last := e.Approved[len(e.Approved)-1]
	if diff = difference(last.Text, i.Text); diff == "" {
		diff = fmt.Sprintf("the text looks the same; its bytes differ: sha256 %s, now %s\n", last.SHA256, i.SHA256)
	}
	return Changed, diff
}

// Approve lets the very content of items run from now on.
// All of them or none. What waited in Seen is settled by it.
func (s *Store) Approve(project string, items ...Item) error {
	for _, i := range items {
		if i.Problem != "" {
			return fmt.Errorf("the %s %s cannot be approved: %s", i.Kind, i.Name, i.Problem)
		}
	}
	return s.change(func() {
		for _, i := range items {
			e := s.enter(project, i)
			e.Approved = slices.DeleteFunc(e.Approved, func(c content) bool { return c.SHA256 == i.SHA256 })
			e.Approved = append(e.Approved, content{i.SHA256, i.Path, i.Text, time.Now().UTC()})
			e.Approved = e.Approved[max(0, len(e.Approved)-mostKept):]
			e.Seen = nil
		}
	})
}

// Revoke forgets every content of these items that was approved.
// An item that was never approved is no error.
func (s *Store) Revoke(project string, items ...Item) error {
	return s.change(func() {
		s.book.Projects[project] = slices.DeleteFunc(s.book.Projects[project], func(e known) bool {
			return slices.ContainsFunc(items, func(i Item) bool { return i.Kind == e.Kind && i.Name == e.Name })
		})
		if len(s.book.Projects[project]) == 0 {
			delete(s.book.Projects, project)
		}
	})
}

// Note keeps items that no file shows, so that a person can look at them and approve them.
// What is noted is not approved by that, and what is approved stays.
func (s *Store) Note(project string, items ...Item) error {
	return s.change(func() {
		for _, i := range items {
			s.enter(project, i).Seen = &content{i.SHA256, i.Path, i.Text, time.Now().UTC()}
		}
	})
}

// Noted returns what of a project no file shows: as it was seen last if that waits to be approved, else as it was approved.
func (s *Store) Noted(project string) []Item {
	var out []Item
	for _, e := range s.book.Projects[project] {
		if e.Kind == Tool {
			out = append(out, e.item())
		}
	}
	return out
}

// Gone returns what was approved in a project and is not among items, so that it can be revoked.
func (s *Store) Gone(project string, items []Item) []Item {
	var out []Item
	for _, e := range s.book.Projects[project] {
		if !slices.ContainsFunc(items, func(i Item) bool { return i.Kind == e.Kind && i.Name == e.Name }) {
			out = append(out, e.item())
		}
	}
	return out
}

// item is what an entry was last.
// An entry has one or the other: read drops those that have neither.
func (e known) item() Item {
	c := e.Seen
	if c == nil {
		c = &e.Approved[len(e.Approved)-1]
	}
	return Item{Kind: e.Kind, Name: e.Name, Path: c.Path, SHA256: c.SHA256, Text: c.Text}
}

// enter is the entry of an item, made if there is none. The pointer is good until the next one is made.
func (s *Store) enter(project string, i Item) *known {
	if e := s.find(project, i); e != nil {
		return e
	}
	s.book.Projects[project] = append(s.book.Projects[project], known{Kind: i.Kind, Name: i.Name})
	return s.find(project, i)
}

// change reads the file again, changes it and replaces it whole, so that two processes lose nothing.
// A lock beside the file keeps other processes out meanwhile; it waits for them without a limit, and they hold it for
// one write.
func (s *Store) change(edit func()) error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return fmt.Errorf("save your approvals: %w", err)
	}
	lock := flock.New(s.file + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("save your approvals: %w", err)
	}
	defer lock.Unlock()
	if err := s.read(); err != nil {
		return err
	}
	edit()
	raw, err := json.MarshalIndent(s.book, "", " ")
	if err == nil {
		err = private.Replace(s.file, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("save your approvals: %w", err)
	}
	return nil
}
