// Package clipboard takes what a person has copied on their desktop, by the programs that desktops have for it: wl-paste,
// xclip, osascript, PowerShell. A picture becomes a file, since a message names what goes with it by a path.
//
// Only what is asked for is read, once, and at most 64 MB of it. Nothing here writes a clipboard: the screen does that
// through the terminal, which a program on another machine can do, too.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/attach"
)

// Board is the clipboard of the desktop that a process was started on. It may be used by several at once.
type Board struct {
	env desktop
	dir string // where the pictures of all processes are

	mu     sync.Mutex
	own    string // the folder of this process in it; empty: none was pasted yet
	pasted int
}

// New is the clipboard of the desktop that the environment names, on a system of that name. Pictures become files below dir.
func New(system string, getenv func(string) string, dir string) *Board {
	return &Board{env: desktop{system, getenv}, dir: dir}
}

// Paste is what a person would type for what they have copied: a text as it is, a picture as the path of a file, which Close may remove.
func (b *Board) Paste(ctx context.Context) (string, error) {
	c, err := b.env.read(ctx)
	switch {
	case err != nil:
		return "", err
	case c.picture == nil && c.text == "":
		return "", errEmpty
	case c.picture == nil:
		return c.text, nil
	}
	a, err := attach.Picture(c.picture)
	if err != nil {
		return "", fmt.Errorf("cannot paste the picture: %w", err)
	}
	name, err := b.save("."+strings.TrimPrefix(a.MIME, "image/"), a.Data)
	if err != nil {
		return "", fmt.Errorf("cannot save the picture: %w", err)
	}
	return quoted(name), nil
}

// save writes a picture into a file of ours.
func (b *Board) save(ending string, body []byte) (name string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.own == "" {
		if err := os.MkdirAll(b.dir, 0o700); err != nil {
			return "", err
		}
		if b.own, err = os.MkdirTemp(b.dir, "of-"); err != nil {
			return "", err
		}
	}
	b.pasted++
	name = filepath.Join(b.own, fmt.Sprintf("%s%d%s", prefix, b.pasted, ending))
	return name, os.WriteFile(name, body, 0o600)
}

// longest is how long a picture is kept for a draft that nobody sends.
const longest = 30 * 24 * time.Hour

// Close removes the pictures that no draft names, and those of earlier processes that are too old. What was sent is kept with its
// conversation.
func (b *Board) Close(drafts ...string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	folders, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range folders {
		path := filepath.Join(b.dir, f.Name())
		if info, gone := f.Info(); path != b.own && gone == nil && time.Since(info.ModTime()) > longest {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	pictures, _ := os.ReadDir(b.own) // none was pasted
	for _, f := range pictures {
		path := filepath.Join(b.own, f.Name())
		if !slices.ContainsFunc(drafts, func(d string) bool { return strings.Contains(d, path) }) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	os.Remove(b.own) // where a picture is left, it stays
	b.own = ""
	return err
}

// prefix begins the names of pictures.
const prefix = "pasted-"

// Pasted says whether a text that is typed is the path of a pasted picture. It may be gone: a draft outlives the program that made it.
func Pasted(text string) bool { return strings.HasPrefix(filepath.Base(text), prefix) }

// quoted is a path as it is typed.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}
