package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Errors that callers distinguish.
var (
	ErrNotFound = errors.New("not found")
	ErrMoved    = errors.New("it was changed by another process")
	ErrNewer    = errors.New("store of a newer version")
	ErrDamaged  = errors.New("damaged store")
)

// Error is a problem with the store's file, as a sentence for the person who owns it.
type Error struct {
	Path, Message, Hint string
	Err                 error
}

// Error returns the sentence, with the store first; the hint is printed below it.
func (e *Error) Error() string { return "store " + e.Path + ": " + e.Message }

// Unwrap returns the error of the driver or the system.
func (e *Error) Unwrap() error { return e.Err }

// explain turns an error of SQLite or the file system into a sentence with what to do about it. It matches the driver's
// messages and result codes, because the driver has no error values for most of them. An error that has been explained
// is returned unchanged.
func explain(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	msg := err.Error()
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(msg, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("disk is full", "no space left", "(13)", "disk I/O error (4874)"): // the last: no room for the file beside it
		return &Error{path, "the disk is full; nothing was half-written", "free some space and resume", err}
	case has("disk I/O error (778)"): // short write: over quota, over a limit, or a failing disk
		return &Error{path, "the disk cannot store more (full, over quota or failing); nothing was half-written",
			"free some space and resume", err}
	case has("disk I/O error (3850)", "disk I/O error (2314)", "disk I/O error (3594)", "disk I/O error (5130)"): // a lock failed
		return &Error{path, "its file system does not support locks, like some network drives",
			"keep the store on a local disk: set store.path", err}
	case has("disk I/O error"):
		return &Error{path, "cannot be read or written as a file", "check the disk, or set store.path to another file", err}
	case has("readonly", "read-only", "(8)") || errors.Is(err, fs.ErrPermission):
		return &Error{path, "cannot be written", "check who owns the file and its folder, or set store.path", err}
	case has("(14)") && !there(path):
		return replaced(path, err)
	case missing(err):
		return damage(path, "is damaged: "+gone(msg), err)
	case has("not a database", "malformed", "(26)", "(11)", "converting driver.Value", "unsupported Scan"):
		return damage(path, "is not a socrates store, or is damaged", err)
	case has("locked", "busy", "(5)"):
		return &Error{path, fmt.Sprintf("another process kept it locked for %v", patience), "try again", err}
	}
	return fmt.Errorf("%s the store %s: %w", doing, path, err)
}

// explain is explain for the store's own file. If a table is missing, another file may have replaced the store.
func (s *file) explain(doing string, err error) error {
	if err != nil && missing(err) {
		if other := s.There(); other != nil {
			return other
		}
	}
	return explain(s.path, doing, err)
}

func replaced(path string, err error) *Error {
	return &Error{path, "it was deleted or replaced while open; nothing more is saved",
		"copy what you need from the screen, and start again", err}
}

// gone names the object that SQLite reports missing: "no such table: main.node (1)".
func gone(msg string) string {
	for _, what := range []string{"table", "index", "column"} {
		if _, name, ok := strings.Cut(msg, "no such "+what+": "); ok {
			name, _, _ = strings.Cut(name, " (")
			return "the " + what + " " + strings.TrimPrefix(name, "main.") + " is missing"
		}
	}
	return "a table is incomplete"
}

// damage is the error for a store that lacks what it must contain. err is the cause, if known.
func damage(path, message string, err error) *Error {
	return &Error{path, message, "see what is damaged: socrates doctor --full; restore a backup, or move the file away and start over",
		errors.Join(ErrDamaged, err)}
}

// Damage is the error for a caller that found something unreadable in the store.
func (s *file) Damage(message string) error { return damage(s.path, "is damaged: "+message, nil) }

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
