// Package clipboard takes what a person has copied on their desktop, by the programs that desktops have for it: wl-paste,
// xclip, osascript, PowerShell. A picture becomes a file, since a message names what goes with it by a path.
//
// Only what is asked for is read, once, and at most 64 MB of it. Nothing here writes a clipboard: the screen does that
// through the terminal, which a program on another machine can do, too.
package clipboard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Board is the clipboard of the desktop that a process was started on. It may be used by several at once.
type Board struct {
	env desktop

	mu       sync.Mutex
	pictures *scratch.Dir // nil: none was pasted yet
	pasted   int
}

// New is the clipboard of the desktop that the environment names, on a system of that name.
func New(system string, getenv func(string) string) *Board {
	return &Board{env: desktop{system, getenv}}
}

// Paste is what a person would type for what they have copied: a text as it is, a picture as the path of a file that stays until Close.
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
	if b.pictures == nil {
		if b.pictures, err = scratch.New("paste"); err != nil {
			return "", err
		}
	}
	b.pasted++
	name = filepath.Join(b.pictures.Path, fmt.Sprintf("%s%d%s", prefix, b.pasted, ending))
	return name, os.WriteFile(name, body, 0o600)
}

// Close removes the pictures. What was sent is kept with its conversation.
func (b *Board) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pictures == nil {
		return nil
	}
	defer func() { b.pictures = nil }()
	return b.pictures.Remove()
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
