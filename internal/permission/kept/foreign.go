package kept

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/permission/foreign"
)

// Fetched returns the paths in a folder that came from outside and still exist, whichever project they were stored for, and those of all
// other folders.
func (s File) Fetched(dir string) (paths, abroad []string, err error) {
	b, err := s.read()
	for _, at := range slices.Sorted(maps.Keys(b.Fetched)) {
		for _, path := range b.Fetched[at] {
			if foreign.In(path, dir) || strings.HasSuffix(path, string(filepath.Separator)) && foreign.In(dir, path) {
				paths = append(paths, path)
			} else {
				abroad = append(abroad, path)
			}
		}
	}
	return slices.DeleteFunc(paths, foreign.Gone), abroad, err
}

// Committed returns the paths in a folder that came from outside and that an agent committed, with git's ids of their content.
func (s File) Committed(dir string) (map[string][]string, error) {
	b, err := s.read()
	out := map[string][]string{}
	for _, ids := range b.Committed {
		for path, list := range ids {
			if foreign.In(path, dir) {
				out[path] = append(out[path], strings.Fields(list)...)
			}
		}
	}
	return out, err
}

// Commit stores which files an agent committed in a work tree, by their ids: all, if the command may leave what strangers wrote, otherwise
// those of paths that came from outside. project is the repository's main work tree.
func (s File) Commit(project, top string, files map[string]string, paths []string, all bool) error {
	ids := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(files)) {
		if path := files[id]; all || foreign.Among(path, paths) {
			path = project + strings.TrimPrefix(path, top)
			ids[path] = append(ids[path], id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.change(func(b *content) error {
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
	mostCommitted = 50   // stored states of a path
	mostPaths     = 5000 // paths of a repository with committed states; beyond that the whole project counts
)

// Review removes the mark of paths that came from outside, and of everything below them. It returns the paths of marked that are covered,
// and also removes the record of what agents committed under their ids.
func (s File) Review(paths []string, marked map[string][]string) (known []string, err error) {
	reviewed := func(from string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return foreign.In(from, path) })
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
	return known, s.change(func(b *content) error {
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

// valid is the nearest folder above a path whose name is valid UTF-8.
func valid(path string) string {
	for !utf8.ValidString(path) {
		path = filepath.Dir(path)
	}
	return path
}

// Fetch stores paths of a project that came from outside. They stay until a person reviews them.
func (s File) Fetch(project string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return s.change(func(b *content) error {
		b.mark(project, paths)
		return nil
	})
}

// mark adds paths of a project that came from outside.
func (b *content) mark(project string, paths []string) {
	all := append(slices.Clone(b.Fetched[project]), paths...)
	for i, path := range all {
		if !utf8.ValidString(path) { // the file is text
			all[i] = strings.TrimRight(valid(path), string(filepath.Separator)) + string(filepath.Separator)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > foreign.Most { // an undo, a stash or a checkout may restore a deleted file: drop such paths only if there are too many
		all = slices.DeleteFunc(all, foreign.Gone)
	}
	var kept []string
	for _, path := range all { // a folder comes before what it contains
		if n := len(kept); n == 0 || !strings.HasSuffix(kept[n-1], string(filepath.Separator)) || !strings.HasPrefix(path, kept[n-1]) {
			kept = append(kept, path)
		}
	}
	if len(kept) > foreign.Most {
		kept = []string{project + string(filepath.Separator)}
	}
	if b.Fetched == nil {
		b.Fetched = map[string][]string{}
	}
	b.Fetched[project] = kept
}
