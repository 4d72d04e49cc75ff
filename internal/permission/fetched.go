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

// Changed are the files and folders below dir that changed since: a folder stands for all below it if everything there is new.
func Changed(dir string, since time.Time) []string {
	since = since.Add(-coarse)
	left := mostNames
	found, _ := changedBelow(dir, since, &left)
	if left <= 0 || len(found) > mostFetched {
		return []string{dir + string(filepath.Separator)}
	}
	return found
}

// changedBelow lists what changed below a folder; all says that no file there is older.
func changedBelow(dir string, since time.Time, left *int) (found []string, all bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	all = true
	for _, e := range entries {
		if *left--; *left <= 0 {
			return found, false
		}
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			below, whole := changedBelow(path, since, left)
			if whole && len(below) > 0 && (len(below) > 1 || strings.HasSuffix(below[0], string(filepath.Separator))) {
				below = []string{path + string(filepath.Separator)}
			}
			found, all = append(found, below...), all && whole
		case e.Type().IsRegular():
			if changedAt(path, e).Before(since) {
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

// Fetched are the paths of a project, and of projects below it, that came from outside and are still there.
func (s GrantFile) Fetched(project string) (paths []string, err error) {
	b, err := s.read()
	for _, at := range slices.Sorted(maps.Keys(b.Fetched)) {
		if isIn(at, project) {
			paths = append(paths, b.Fetched[at]...)
		}
	}
	return slices.DeleteFunc(paths, gone), err
}

// isIn says whether a path is a folder or lies in it.
func isIn(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	return ok && (rest == "" || rest[0] == filepath.Separator)
}

// Committed are the paths among them that an agent committed, with git's id of what it committed.
func (s GrantFile) Committed(project string) (map[string]string, error) {
	b, err := s.read()
	return b.Committed[project], err
}

// Commit keeps that an agent committed paths of a project that came from outside, and as what.
func (s GrantFile) Commit(project string, ids map[string]string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.change(func(b *grantsOnDisk) error {
		if b.Committed == nil {
			b.Committed = map[string]map[string]string{}
		}
		kept := map[string]string{}
		maps.Copy(kept, b.Committed[project])
		maps.Copy(kept, ids)
		maps.DeleteFunc(kept, func(path, _ string) bool { return !slices.Contains(b.Fetched[project], path) })
		b.Committed[project] = kept
		return nil
	})
}

// Review forgets that paths of a project came from outside, and whatever lies below them; it returns those it knew.
func (s GrantFile) Review(project string, paths []string) (known []string, err error) {
	err = s.change(func(b *grantsOnDisk) error {
		for at := range b.Fetched {
			if !isIn(at, project) {
				continue
			}
			b.Fetched[at] = slices.DeleteFunc(b.Fetched[at], func(from string) bool {
				in := slices.ContainsFunc(paths, func(path string) bool { return isIn(from, path) })
				if in {
					known = append(known, from)
					delete(b.Committed[project], from)
				}
				return in
			})
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
		all := slices.DeleteFunc(append(b.Fetched[project], paths...), gone)
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
