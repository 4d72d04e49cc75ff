package permission

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	if _, in := within(p.Workspace, path); !in && among(path, p.Abroad) {
		return true
	}
	return slices.ContainsFunc(p.Fetched, func(from string) bool {
		switch {
		case among(path, []string{from}):
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

// Fetched are the paths in a folder that came from outside and are still there, whichever project they were kept for, and those
// of all other folders.
func (s GrantFile) Fetched(dir string) (paths, abroad []string, err error) {
	b, err := s.read()
	for _, at := range slices.Sorted(maps.Keys(b.Fetched)) {
		for _, path := range b.Fetched[at] {
			if isIn(path, dir) || strings.HasSuffix(path, string(filepath.Separator)) && isIn(dir, path) {
				paths = append(paths, path)
			} else {
				abroad = append(abroad, path)
			}
		}
	}
	return slices.DeleteFunc(paths, gone), abroad, err
}

// among says whether a path is one of some, or lies in one that ends in a slash.
func among(path string, some []string) bool {
	return slices.ContainsFunc(some, func(from string) bool {
		return from == path || strings.HasSuffix(from, string(filepath.Separator)) && strings.HasPrefix(path+string(filepath.Separator), from)
	})
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

// Commit keeps which files an agent committed in a work tree, by their ids: all, if a command that may leave what strangers wrote did,
// or those of paths that came from outside. project is the repository's main work tree.
func (s GrantFile) Commit(project, top string, files map[string]string, paths []string, all bool) error {
	ids := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(files)) {
		if path := files[id]; all || among(path, paths) {
			path = project + strings.TrimPrefix(path, top)
			ids[path] = append(ids[path], id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.change(func(b *grantsOnDisk) error {
		kept := map[string]string{}
		maps.Copy(kept, b.Committed[project])
		for path, some := range ids {
			all := slices.DeleteFunc(strings.Fields(kept[path]), func(old string) bool { return slices.Contains(some, old) })
			all = append(all, some...)
			kept[path] = strings.Join(all[max(0, len(all)-mostCommitted):], " ")
		}
		if len(kept) > mostPaths {
			b.mark(project, []string{project + string(filepath.Separator)})
			kept = nil
		}
		if b.Committed == nil {
			b.Committed = map[string]map[string]string{}
		}
		b.Committed[project] = kept
		return nil
	})
}

const (
	mostCommitted = 50   // states of a path that are kept
	mostPaths     = 5000 // paths of a repository with committed states; beyond that the whole project counts
)

// Review forgets that paths came from outside, and whatever lies below them; it returns those of marked that this takes in, of which
// it also forgets what agents committed under their ids.
func (s GrantFile) Review(paths []string, marked map[string][]string) (known []string, err error) {
	reviewed := func(from string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return isIn(from, path) })
	}
	ids := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(marked)) {
		if reviewed(path) {
			known = append(known, path)
			for _, id := range marked[path] {
				ids[id] = true
			}
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	return known, s.change(func(b *grantsOnDisk) error {
		for at := range b.Fetched {
			b.Fetched[at] = slices.DeleteFunc(b.Fetched[at], reviewed)
		}
		for at, committed := range b.Committed {
			maps.DeleteFunc(committed, func(from, _ string) bool { return reviewed(from) })
			for path, list := range committed {
				left := slices.DeleteFunc(strings.Fields(list), func(id string) bool { return ids[id] })
				if committed[path] = strings.Join(left, " "); len(left) == 0 {
					delete(committed, path)
				}
			}
			if len(committed) == 0 {
				delete(b.Committed, at)
			}
		}
		return nil
	})
}

// valid is the nearest folder above a path whose name is text.
func valid(path string) string {
	for !utf8.ValidString(path) {
		path = filepath.Dir(path)
	}
	return path
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
		b.mark(project, paths)
		return nil
	})
}

// mark adds paths of a project that came from outside.
func (b *grantsOnDisk) mark(project string, paths []string) {
	all := append(slices.Clone(b.Fetched[project]), paths...)
	for i, path := range all {
		if !utf8.ValidString(path) { // the file of grants is text
			all[i] = strings.TrimRight(valid(path), string(filepath.Separator)) + string(filepath.Separator)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > mostFetched { // an undo, a stash or another checkout may bring back what is gone: until there are too many
		all = slices.DeleteFunc(all, gone)
	}
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
}
