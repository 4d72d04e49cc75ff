package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// home is what the processes of one conversation have to themselves: files prepared for them, a folder for temporary
// files, an empty one to run in, and one for what they remember. All but the last are in memory where the system
// supports that, so that no key outlives its process.
type home struct {
	dir   string // where a process finds its files
	data  string // what one process leaves for the next; never in memory
	files []sandbox.File

	scratch *scratch.Dir
}

// The folders of every home.
const (
	tempFolder  = "tmp"
	emptyFolder = "empty"
)

// newHome makes the folders. The files are only recorded: fill, or the sandbox, creates them. remove must be called.
func newHome() (*home, error) {
	s, err := scratch.New("seat")
	if err != nil {
		return nil, err
	}
	h := &home{dir: filepath.Join(s.Path, "home"), data: filepath.Join(s.Path, "data"), scratch: s,
		files: []sandbox.File{{Name: tempFolder, Dir: true}, {Name: emptyFolder, Dir: true}}}
	if err := errors.Join(os.MkdirAll(filepath.Join(h.dir, emptyFolder), 0o700), os.Mkdir(h.data, 0o700)); err != nil {
		h.remove()
		return nil, err
	}
	return h, nil
}

// remove may be called more than once, and on nil.
func (h *home) remove() {
	if h != nil {
		h.scratch.Remove() // a later command sweeps what cannot be removed
	}
}

// vars returns the variables that direct programs to the folder for temporary files.
func (h *home) vars() []string {
	at := filepath.Join(h.dir, tempFolder)
	return []string{"TMPDIR=" + at, "TEMP=" + at, "TMP=" + at}
}

// write adds a file.
func (h *home) write(name, text string) {
	h.files = append(h.files, sandbox.File{Name: name, Text: text})
}

// writeJSON adds a file that contains v.
func (h *home) writeJSON(name string, v any) error {
	raw, err := json.Marshal(v)
	h.write(name, string(raw))
	return err
}

// link makes a file of the folder from appear in the folder to as well, so that a login which the program renews is
// renewed for the person, too. A missing file is left out.
func (h *home) link(from, to, name string) {
	if source := filepath.Join(from, name); exists(source) {
		h.files = append(h.files, sandbox.File{Name: filepath.Join(to, name), Link: source})
	}
}

// copy copies files of the folder from to the folder to. Unreadable files are left out.
func (h *home) copy(from, to string, names ...string) {
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(from, name)); err == nil {
			h.write(filepath.Join(to, name), string(text))
		}
	}
}

// links returns the files outside the home that it links to.
func (h *home) links() (out []string) {
	for _, f := range h.files {
		if f.Link != "" {
			out = append(out, f.Link)
		}
	}
	return out
}

// fill writes the files to the disk. Where links cannot be made they are copies. Existing files stay.
func (h *home) fill() error {
	for _, f := range h.files {
		at := filepath.Join(h.dir, f.Name)
		err := os.MkdirAll(filepath.Dir(at), 0o700)
		switch {
		case err != nil:
		case f.Dir:
			err = os.MkdirAll(at, 0o700)
		case f.Link == "":
			err = os.WriteFile(at, []byte(f.Text), 0o600)
		case os.Symlink(f.Link, at) != nil:
			err = copyLogin(f.Link, at)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// copyLogin copies a file that may have been removed meanwhile.
func copyLogin(from, to string) error {
	raw, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("login: %w", err)
	}
	return os.WriteFile(to, raw, 0o600)
}
