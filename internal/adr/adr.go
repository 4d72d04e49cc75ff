// Package adr reads and writes the decision files of a project: numbered Markdown files in one of its folders, one for each decision,
// with its status on top.
//
// A [Book] is that folder. [Book.Write] gives every decision without a file one with the next free number, and writes into the files
// of earlier ones what superseded them; [Book.Pages] reads them. The content of a file ([Book].RoomOf), not its name, says which
// decision it belongs to, so people may rename files, edit them and add others.
//
// Whoever else writes there: a number is used once, even by two processes, as long as both can lock; no existing file is overwritten,
// and in a file of ours only the status line of the front matter ever changes; a reader sees the old text or the new one; no link is
// followed, and nothing is touched outside the project or in a folder that may contain secrets.
//
// It writes files and commits nothing. After an error, files already written stay, and writing again continues after them.
package adr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// Error says why the folder or one of its files cannot be used. Message is a sentence for the person who named it. Path is as the
// person wrote it, or relative to the project. Err is the system's error and may be nil.
type Error struct {
	Path, Message string
	Err           error
}

// Error names the file first.
func (e *Error) Error() string { return e.Path + " " + e.Message }

// Unwrap returns the system's error, for example fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.Err }

// Book is the folder of a project's decision files.
type Book struct {
	Root string // the project's folder, absolute
	Dir  string // of the files, below Root: absolute or relative to it
	Lock string // a file to lock while the book is written; empty: no lock
	// RoomOf returns the debate whose decision document a text is, if it is one.
	RoomOf func(text string) (room string, ok bool)
	Dry    bool // Write only returns what it would do
}

// Decision is the content of a new file. Document is the whole text below the front matter. Date is the day in UTC.
type Decision struct {
	Room, Title string // Title gives the file its name
	Date        time.Time
	Document    string
}

// File is one decision file as Write leaves it.
type File struct {
	Room   string `json:"room"`
	Path   string `json:"path"` // below the project, with slashes
	Number int    `json:"number"`
	Change Change `json:"change"`
}

// Change is what Write did to a file.
type Change string

// The changes. In an existing file, only the status ever changes.
const (
	Written Change = "written"
	Updated Change = "updated"
	Kept    Change = "unchanged"
)

// Check reports whether the book can be written, without writing. It is for use before a debate is paid for. It does not test write
// permission.
func (b Book) Check() error {
	root, _, err := b.open()
	if err != nil {
		return err
	}
	return root.Close()
}

// Write gives each decision without a file a new one, with the next free number, and updates the status of all files of debates:
// superseded maps a debate to the one whose decision replaced it. It returns the files of the decisions, in their order, then others
// whose status changed. No existing file is overwritten.
//
// With an error it returns the files written before.
func (b Book) Write(ctx context.Context, decisions []Decision, superseded map[string]string) ([]File, error) {
	unlock, err := b.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	root, dir, err := b.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if !b.Dry {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return nil, &Error{b.Dir, "cannot be created", err}
		}
	}
	s, err := b.read(root, dir)
	if err != nil {
		return nil, err
	}
	var out []File
	for _, d := range decisions {
		f, there := s.files[d.Room]
		if !there {
			if f, err = s.add(d); err != nil {
				return out, err
			}
		}
		out = append(out, f)
	}
	return s.mark(out, superseded)
}

// lock prevents two processes from using the same number. Without permission to write the lock file there is no lock.
//
// Projects on a read-only disk or of another user can also be read, and then there is nothing to guard.
func (b Book) lock(ctx context.Context) (unlock func(), err error) {
	if b.Lock == "" || b.Dry {
		return func() {}, nil
	}
	l := flock.New(b.Lock)
	if err = os.MkdirAll(filepath.Dir(b.Lock), 0o700); err == nil {
		_, err = l.TryLockContext(ctx, 20*time.Millisecond)
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return nil, fmt.Errorf("lock the decision files: %w", err)
	}
	return func() { l.Unlock() }, nil
}

// open opens the project and finds the book's folder in it. No part of its path may be a link.
func (b Book) open() (root *os.Root, dir string, err error) {
	rel := b.Dir
	if filepath.IsAbs(rel) {
		if rel, err = filepath.Rel(b.Root, rel); err != nil {
			rel = ".."
		}
	}
	dir = filepath.ToSlash(filepath.Clean(rel))
	switch {
	case !filepath.IsLocal(filepath.FromSlash(dir)):
		return nil, "", &Error{b.Dir, "is outside the project " + b.Root, nil}
	case sensitive.Secret(dir):
		return nil, "", &Error{b.Dir, "cannot contain decision files: files there are never read or shown", nil}
	}
	if root, err = os.OpenRoot(b.Root); err != nil {
		return nil, "", fmt.Errorf("open the project: %w", err)
	}
	at := ""
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(filepath.FromSlash(at))
		switch {
		// The rest of the path does not exist yet, so no part of it is a link.
		case errors.Is(err, fs.ErrNotExist):
			return root, dir, nil
		case err != nil:
			err = &Error{b.Dir, "cannot be read", err}
		case info.Mode()&fs.ModeSymlink != 0:
			err = &Error{b.Dir, "is, or is below, the link " + at + ": links are not followed", nil}
		case !info.IsDir():
			err = &Error{b.Dir, "cannot be a folder: " + at + " is a file", nil}
		}
		if err != nil {
			root.Close()
			return nil, "", err
		}
	}
	return root, dir, nil
}
