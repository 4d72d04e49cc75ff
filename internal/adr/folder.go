package adr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// openFolder is the open folder of a book. It is read once, before anything is written; add and mark keep it up to date.
type openFolder struct {
	root  *os.Root
	dir   string          // with slashes
	files map[string]File // by room
	texts map[string]string
	last  int  // the highest number in use
	dry   bool // nothing is written
}

var numbered = pattern.Of(`^(\d{1,9})-.*\.(?i:md)$`)

// largest limits the files that are read: ours are far smaller.
const largest = 4 << 20

// read reads the folder. From links and files that are not ours it takes only the numbers.
func (b Book) read(root *os.Root, dir string) (*openFolder, error) {
	s := &openFolder{root: root, dir: dir, files: map[string]File{}, texts: map[string]string{}, dry: b.Dry}
	f, err := root.Open(filepath.FromSlash(dir))
	if b.Dry && errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return nil, &Error{b.Dir, "cannot be read", err}
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, &Error{b.Dir, "cannot be read", err}
	}
	for _, entry := range entries {
		m := numbered().FindStringSubmatch(entry.Name())
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		s.last = max(s.last, number)
		// Its number is still taken.
		if !entry.Type().IsRegular() {
			continue
		}
		text, err := s.text(entry.Name())
		if err != nil {
			return nil, err
		}
		if room, ok := b.RoomOf(text); ok {
			if have, twice := s.files[room]; twice && have.Number < number {
				continue // a copy: the first one is the decision's
			}
			s.files[room] = File{Room: room, Path: path.Join(dir, entry.Name()), Number: number, Change: Kept}
			s.texts[room] = text
		}
	}
	return s, nil
}

// Page is a decision file as it is now.
type Page struct {
	File
	Status string // in its front matter; empty: it has none
	Text   string
}

// Pages reads the decision files, in the order of their numbers. A missing folder has none.
func (b Book) Pages() ([]Page, error) {
	root, dir, err := b.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	b.Dry = true // nothing is made
	s, err := b.read(root, dir)
	if err != nil {
		return nil, err
	}
	var out []Page
	for _, f := range slices.SortedFunc(maps.Values(s.files), func(a, b File) int { return a.Number - b.Number }) {
		out = append(out, Page{f, statusOf(s.texts[f.Room]), s.texts[f.Room]})
	}
	return out, nil
}

// text reads a file. For one too large to be ours it returns no text.
func (s *openFolder) text(name string) (string, error) {
	full := path.Join(s.dir, name)
	f, err := s.root.Open(filepath.FromSlash(full))
	if err != nil {
		return "", &Error{full, "cannot be read", err}
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return "", &Error{full, "cannot be read", err}
	}
	if len(raw) > largest {
		return "", nil
	}
	return string(raw), nil
}

// add writes a decision's file under the next free number.
func (s *openFolder) add(d Decision) (File, error) {
	s.last++
	f := File{Room: d.Room, Path: path.Join(s.dir, fmt.Sprintf("%04d-%s.md", s.last, slug(d))), Number: s.last, Change: Written}
	text := "---\nstatus: accepted\ndate: " + d.Date.UTC().Format(time.DateOnly) + "\n---\n\n" + d.Document
	if s.dry {
		s.files[d.Room], s.texts[d.Room] = f, text
		return f, nil
	}
	// The name is taken first, so that another's file is never replaced, and then the file is filled at once.
	taken, err := s.root.OpenFile(filepath.FromSlash(f.Path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	// The name was taken since the folder was read: use the next number.
	if errors.Is(err, fs.ErrExist) {
		return s.add(d)
	} else if err != nil {
		return f, &Error{f.Path, "cannot be written", err}
	}
	taken.Close()
	if err := s.replace(f.Path, text); err != nil {
		return f, errors.Join(err, s.root.Remove(filepath.FromSlash(f.Path)))
	}
	s.files[d.Room], s.texts[d.Room] = f, text
	return f, nil
}

// replace replaces a file's text atomically: readers see the old one or the new one. The file is new, with the permissions of new
// files, and is on disk before it gets the name.
func (s *openFolder) replace(name, text string) error {
	if s.dry {
		return nil
	}
	temporary := filepath.FromSlash(path.Join(s.dir, fmt.Sprintf(".socrates-%x", rand.Uint64())))
	f, err := s.root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			err = s.root.Rename(temporary, filepath.FromSlash(name))
		}
		if err != nil {
			s.root.Remove(temporary)
		}
	}
	if err != nil {
		return &Error{name, "cannot be written", err}
	}
	return nil
}

// mark updates the status of every file and records that in out, appending other files in the order of their numbers.
func (s *openFolder) mark(out []File, superseded map[string]string) ([]File, error) {
	all := slices.SortedFunc(maps.Values(s.files), func(a, b File) int { return a.Number - b.Number })
	for _, f := range all {
		by := superseded[f.Room]
		if by == "" {
			continue
		}
		status := "superseded by " + by
		if next, ok := s.files[by]; ok {
			status = fmt.Sprintf("superseded by ADR-%04d", next.Number)
		}
		text, changed := withStatus(s.texts[f.Room], status)
		if !changed {
			continue
		}
		if err := s.replace(f.Path, text); err != nil {
			return out, err
		}
		i := slices.IndexFunc(out, func(o File) bool { return o.Room == f.Room })
		if i < 0 {
			i, out = len(out), append(out, f)
		}
		if out[i].Change == Kept {
			out[i].Change = Updated
		}
	}
	return out, nil
}

var statusLine = pattern.Of(`(?m)^status:[^\r\n]*`)

// withStatus replaces only the status in a text's front matter. If a person removed it, it stays removed.
func withStatus(text, status string) (string, bool) {
	at := statusAt(text)
	if at == nil || text[at[0]:at[1]] == "status: "+status {
		return text, false
	}
	return text[:at[0]] + "status: " + status + text[at[1]:], true
}

// statusOf returns the status in a text's front matter; empty: it has none.
func statusOf(text string) string {
	at := statusAt(text)
	if at == nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(text[at[0]:at[1]], "status:"))
}

// statusAt returns where the status line begins and ends in a text's front matter; nil: it has none.
func statusAt(text string) []int {
	if !strings.HasPrefix(text, "---\n") && !strings.HasPrefix(text, "---\r\n") {
		return nil
	}
	end := strings.Index(text[3:], "\n---")
	if end < 0 {
		return nil
	}
	return statusLine().FindStringIndex(text[:3+end])
}

// slug makes a file name from a title: its words in lower-case ASCII, at most fifty characters. For a title that gives fewer than
// three characters it is the room's name.
func slug(d Decision) string {
	words := strings.FieldsFunc(strings.ToLower(d.Title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	out := ""
	for _, w := range words {
		if len(out)+len(w) > 50 {
			break
		}
		out = strings.TrimPrefix(out+"-"+w, "-")
	}
	if len(out) < 3 {
		return d.Room
	}
	return out
}
