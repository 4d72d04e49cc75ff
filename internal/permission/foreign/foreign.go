// Package foreign finds what in a project came from outside. What a command that can reach the network leaves there is
// as untrusted as its output, also in later conversations. A path is a file or, with a slash at its end, a folder with
// everything below it.
//
// A [Moment] is taken before such a command runs, and [Moment.Changed] lists what is new or changed afterwards. It uses
// the times that the system itself records for each file (ctime), which a program can neither choose nor set back, and
// the identity of files, so that renaming what came from outside does not launder it. Contents are not compared: a
// command that touches every file marks every file.
//
// The package stores nothing: package kept stores the list, and package permission uses it. It errs on the side of
// marking too much. If there are more names than it scans, or more paths than are stored, the whole project counts as
// having come from outside.
package foreign

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Most bounds how many paths of a project are stored; beyond that the whole project counts.
const Most = 500

// mostNames bounds how many names are scanned after such a command; beyond that the whole project counts.
const mostNames = 300_000

// coarse is how far the times of files may lag behind the clock.
const coarse = 50 * time.Millisecond

// Moment is the time at which a command may begin to leave what strangers wrote in a project, with the files there that came from outside
// by then: renaming a folder above them changes neither them nor their times. The zero value is no moment.
type Moment struct {
	at   time.Time
	were map[identity]bool
}

// Now is the current moment, with the paths that came from outside before it.
func Now(fetched []string) Moment {
	m := Moment{time.Now().Add(-coarse), map[identity]bool{}}
	for _, path := range fetched {
		m.were[identify(strings.TrimSuffix(path, string(filepath.Separator)))] = true
	}
	delete(m.were, identity{})
	return m
}

// IsZero reports whether it is no moment.
func (m Moment) IsZero() bool { return m.at.IsZero() }

// Changed returns the files and folders below dir that changed since a moment, or came from outside and may have another name now. A
// folder stands for everything below it if all of that is new.
func (m Moment) Changed(dir string) []string {
	w := changes{Moment: m, left: mostNames}
	found, _ := w.below(dir)
	if w.left <= 0 || len(found) > Most {
		return []string{dir + string(filepath.Separator)}
	}
	return found
}

// changes is a search for what changed since a moment.
type changes struct {
	Moment
	left int // how many more names it may scan
}

// below lists what changed below a folder; all reports that no file there is older.
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
			if whole && len(below) > 0 && (len(below) > 1 || strings.HasSuffix(below[0], string(filepath.Separator))) || len(w.were) > 0 &&
				w.were[identify(path)] {
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

// Among reports whether a path is in the list, or below an entry that ends in a slash.
func Among(path string, some []string) bool {
	return slices.ContainsFunc(some, func(from string) bool {
		return from == path || strings.HasSuffix(from, string(filepath.Separator)) &&
			strings.HasPrefix(path+string(filepath.Separator), from)
	})
}

// In reports whether a path is folder or below it.
func In(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	return ok && (rest == "" || rest[0] == filepath.Separator)
}

// Gone reports whether nothing exists at a path. A slash at its end does not matter.
func Gone(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}
