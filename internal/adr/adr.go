// Package adr is the decision files of a project: numbered Markdown in a folder of it, one for each decision, with its
// status on top.
//
// A [Book] is that folder. [Book.Write] gives every decision that has none a file with the next free number, and
// writes into the files of earlier ones what superseded them; [Book.Pages] reads them. Which file is a decision's is
// read from the file ([Book].RoomOf), not from its name, so people may rename files, edit them and put others beside
// them.
//
// What holds, whoever else writes there: a number is given out once, also by two processes, as long as both can lock;
// no file that is there is overwritten, and of one that is ours the status line of the front matter is all that ever
// changes; a reader sees the old text or the new one; no link is followed and nothing outside the project is touched,
// nor anything in a folder that may contain secrets.
//
// It writes files and commits nothing. After an error the files written before it stay, and writing again goes on
// after them.
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

// Error says why a folder or a file of it cannot be used. Message is a sentence for whoever named it.
// Path is as the person named it, or relative to the project. Err is the system's own and may be nil.
type Error struct {
	Path, Message string
	Err           error
}

// Error names the file first.
func (e *Error) Error() string { return e.Path + " " + e.Message }

// Unwrap gives the system's error, for example fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.Err }

// Book is where a project keeps its decision files.
type Book struct {
	Root string // the project's folder, absolute
	Dir  string // of the files, below Root: absolute or relative to it
	Lock string // a file that is locked while the book is written; empty: none is
	// RoomOf says of which debate a text is the decision document, if it is one.
	RoomOf func(text string) (room string, ok bool)
	Dry    bool // Write only says what it would do
}

// Decision is what a file is written of.
// Document is the whole text below the front matter. Date is the day in UTC.
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

// The changes. Of a file that is there, only the status is ever touched.
const (
	Written Change = "written"
	Updated Change = "updated"
	Kept    Change = "unchanged"
)

// Check says whether the book can be written, without writing.
// It is for the time before a debate is paid for. Rights to write are not tried.
func (b Book) Check() error {
	root, _, err := b.open()
	if err != nil {
		return err
	}
	return root.Close()
}

// Write gives each decision that has no file one of its own, with the next free number, and brings the status of all
// files of debates up to date: superseded names the debate whose decision took a debate's place. It returns the files
// of the decisions, in their order, then others whose status changed. No file that is there is overwritten.
//
// After an error the files it had written are returned with it.
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

// lock keeps two processes from giving out one number. Whoever may not write where the lock lies goes without.
//
// A project on a read-only disk or of somebody else is read as well, and then there is nothing to guard.
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

// open opens the project and finds the book's folder in it. No part of the way there may be a link.
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
		// The rest of the way is not there yet, so no part of it is a link.
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
