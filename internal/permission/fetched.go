package permission

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/shell"
)

// What a command that can reach the network leaves in the project is as untrusted as what it prints, also in later conversations:
// reading it raises the flag again. A path is a file, or with a slash at its end a folder with all below it.

// mostFetched bounds how many paths of a project are kept; beyond that the whole project counts.
const mostFetched = 500

// mostNames bounds how many names are looked at after such a command; beyond that the whole project counts.
const mostNames = 300_000

// coarse is how far behind the clock the times of files may be.
const coarse = 50 * time.Millisecond

// Moment is when a command may begin to leave what strangers wrote in a project, and which files there came from outside by
// then: renaming a folder above them changes neither them nor their times. The zero value is no moment.
type Moment struct {
	at   time.Time
	were map[identity]bool
}

// Moment is now.
func (p Policy) Moment() Moment {
	m := Moment{time.Now().Add(-coarse), map[identity]bool{}}
	for _, path := range p.Fetched {
		m.were[identify(strings.TrimSuffix(path, string(filepath.Separator)))] = true
	}
	delete(m.were, identity{})
	return m
}

// IsZero says whether it is no moment.
func (m Moment) IsZero() bool { return m.at.IsZero() }

// Changed are the files and folders below dir that changed since a moment, or came from outside and may have another name by now. A
// folder stands for all below it if everything there is new.
func (m Moment) Changed(dir string) []string {
	w := changes{Moment: m, left: mostNames}
	found, _ := w.below(dir)
	if w.left <= 0 || len(found) > mostFetched {
		return []string{dir + string(filepath.Separator)}
	}
	return found
}

// changes looks for what changed since a moment.
type changes struct {
	Moment
	left int // names it may still look at
}

// below lists what changed below a folder; all says that no file there is older.
func (w *changes) below(dir string) (found []string, all bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	all = true
	for _, e := range entries {
		if w.left--; w.left <= 0 {
			return found, false
		}
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			below, whole := w.below(path)
			if whole && len(below) > 0 && (len(below) > 1 || strings.HasSuffix(below[0], string(filepath.Separator))) || len(w.were) > 0 && w.were[identify(path)] {
				below = []string{path + string(filepath.Separator)}
			}
			found, all = append(found, below...), all && whole
		case e.Type().IsRegular():
			at, id := changedAt(path, e)
			if at.Before(w.at) && !w.were[id] {
				all = false
				continue
			}
			found = append(found, path)
		}
	}
	return found, all
}

func modified(e fs.DirEntry) time.Time {
	info, err := e.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// fetched says whether a file came from outside, or lies in a folder that did; with below, also whether anything below it did. path is
// absolute, links followed.
func (p Policy) fetched(path string, below bool) bool {
	return slices.ContainsFunc(p.Fetched, func(from string) bool {
		switch {
		case from == path || strings.HasSuffix(from, string(filepath.Separator)) && strings.HasPrefix(path+string(filepath.Separator), from):
		case !below || !strings.HasPrefix(from, strings.TrimSuffix(path, string(filepath.Separator))+string(filepath.Separator)):
			return false
		}
		return p.Reviewed == nil || !p.Reviewed(from)
	})
}

// FromOutside says whether reading a file brings in what strangers wrote. path is absolute.
func (p Policy) FromOutside(path string) bool {
	return len(p.Fetched) > 0 && p.fetched(shell.Real(path), false)
}

// Fetched are the paths in a folder that came from outside and are still there, whichever project they were kept for.
func (s GrantFile) Fetched(dir string) (paths []string, err error) {
	b, err := s.read()
	for _, at := range slices.Sorted(maps.Keys(b.Fetched)) {
		for _, path := range b.Fetched[at] {
			if isIn(path, dir) || strings.HasSuffix(path, string(filepath.Separator)) && isIn(dir, path) {
				paths = append(paths, path)
			}
		}
	}
	return slices.DeleteFunc(paths, gone), err
}

// isIn says whether a path is a folder or lies in it.
func isIn(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	return ok && (rest == "" || rest[0] == filepath.Separator)
}

// Committed are the paths in a folder that came from outside and an agent committed, with git's ids of what it committed.
func (s GrantFile) Committed(dir string) (map[string][]string, error) {
	b, err := s.read()
	out := map[string][]string{}
	for _, ids := range b.Committed {
		for path, list := range ids {
			if isIn(path, dir) {
				out[path] = append(out[path], strings.Fields(list)...)
			}
		}
	}
	return out, err
}

// Commit keeps that an agent committed paths of a project that came from outside, and as what.
func (s GrantFile) Commit(project string, ids map[string]string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.change(func(b *grantsOnDisk) error {
		kept := map[string]string{}
		maps.Copy(kept, b.Committed[project])
		for path, id := range ids {
			all := append(slices.DeleteFunc(strings.Fields(kept[path]), func(old string) bool { return old == id }), id)
			kept[path] = strings.Join(all[max(0, len(all)-mostCommitted):], " ")
		}
		if b.Committed == nil {
			b.Committed = map[string]map[string]string{}
		}
		b.Committed[project] = kept
		return nil
	})
}

// mostCommitted bounds how many states of a path are kept.
const mostCommitted = 50

// Review forgets that paths came from outside, and whatever lies below them; it returns those it knew. project is where they
// lie.
func (s GrantFile) Review(project string, paths []string) (known []string, err error) {
	err = s.change(func(b *grantsOnDisk) error {
		reviewed := func(from string) bool {
			return isIn(from, project) && slices.ContainsFunc(paths, func(path string) bool { return isIn(from, path) })
		}
		for at := range b.Fetched {
			b.Fetched[at] = slices.DeleteFunc(b.Fetched[at], func(from string) bool {
				in := reviewed(from)
				if in {
					known = append(known, from)
				}
				return in
			})
		}
		for at := range b.Committed {
			maps.DeleteFunc(b.Committed[at], func(from, _ string) bool { return reviewed(from) })
		}
		return nil
	})
	return known, err
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}

// Fetch keeps paths of a project that came from outside.
func (s GrantFile) Fetch(project string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return s.change(func(b *grantsOnDisk) error {
		all := slices.DeleteFunc(append(b.Fetched[project], paths...), func(path string) bool {
			return gone(path) && b.Committed[project][path] == "" // another checkout may bring back what was committed
		})
		slices.Sort(all)
		all = slices.Compact(all)
		var kept []string
		for _, path := range all { // a folder comes before what lies in it
			if n := len(kept); n == 0 || !strings.HasSuffix(kept[n-1], string(filepath.Separator)) || !strings.HasPrefix(path, kept[n-1]) {
				kept = append(kept, path)
			}
		}
		if len(kept) > mostFetched {
			kept = []string{project + string(filepath.Separator)}
		}
		if b.Fetched == nil {
			b.Fetched = map[string][]string{}
		}
		b.Fetched[project] = kept
		return nil
	})
}
