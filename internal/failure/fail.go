// Package failure is how the program ends when something could not be done: an exit code, a word for programs, a
// sentence for people, and what to do about it, for every error there is.
//
// It is the one place that knows what every error of the program means to whoever gave the command. Packages return
// errors of their own; [Explain] finds what an error, or one that it wraps, means. Where a command
// knows better it returns an [*Error] itself ([New], [Usage]), which is passed on as it is. What nobody knows is a
// failure with the error's own text and exit code 1.
//
// The order in [Explain] matters: an error may wrap several that have a place, and the first one found counts. Kinds
// that say what to do come before those of the system. Codes are documented ([Codes]) and part of the interface, as
// are the words for programs.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/store"
)

// Error ends the program with a code and a sentence. Hint says what to do; it may be empty.
// Message is a sentence for people without a full stop; Code is one of the constants of this package.
type Error struct {
	Code          int
	Reason        string // for programs: one word
	Message, Hint string
}

// Error is the message alone: hint, code and reason are printed in their own places.
func (f *Error) Error() string { return f.Message }

// pageHints says of a page that cannot be used how it should be, by what it is.
var pageHints = map[string]string{
	"persona": "for an example: socrates personas show security",
	"phase":   "for an example: socrates phases show planner",
}

// NoSnapshotHint is what to do where no snapshot of the files can be taken.
const NoSnapshotHint = "fix the cause and try again, or use socrates chat, which offers to continue without a snapshot"

// New is a failure: what code it ends the program with, a word for programs, what was wrong and what to do, which may
// be empty.
func New(code int, reason, message, hint string) *Error { return &Error{code, reason, message, hint} }

// Usage is a failure of whoever gave the command.
// It ends the program with ExitUsage.
func Usage(message, hint string) error {
	return &Error{ExitUsage, "usage", message, hint}
}

// Explain finds code, reason, message and hint of any error, in words for people.
// It never gives nil and does not change err. What could move a cursor is taken out, since names of files and words
// of models stand in messages.
func Explain(err error) *Error {
	f := *classify(err)
	f.Message, f.Hint = plain.Text(f.Message), plain.Text(f.Hint)
	return &f
}

// NoCopyHint is what to do where no copy of the project can be made.
const NoCopyHint = "set TMPDIR to a folder outside the project with enough space for a copy"

// classify finds the exit code and the hint of an error.
func classify(err error) *Error {
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	if errors.Is(err, syscall.ENOLCK) {
		// It comes first: packages wrap it in errors of their own, and none of their hints helps on a disk without
		// locks.
		return &Error{ExitFailed, "lock", err.Error(), "put the store on a local disk (store.path or --store FILE), and temporary files " +
			"too (TMPDIR)"}
	}
	if e, ok := errors.AsType[*config.Error](err); ok {
		// A flag is not in a file anybody can open.
		if strings.HasPrefix(e.File, "flag ") {
			return &Error{ExitUsage, "usage", "invalid flag: " + e.Message, e.Hint}
		}
		return &Error{ExitConfig, "config", err.Error(), ""} // its text holds the hint
	}
	if e, ok := errors.AsType[*page.Error](err); ok {
		return &Error{ExitConfig, e.Noun, err.Error(), pageHints[e.Noun]}
	}
	if e, ok := errors.AsType[*crash.Fault](err); ok {
		hint := "please report it: " + crash.Issues
		if e.File != "" {
			hint = "details are in " + e.File + "; review it, and send it if you like: " + crash.Issues
		}
		return &Error{ExitFailed, "internal", err.Error(), hint}
	}
	if e, ok := errors.AsType[*engine.NoCopy](err); ok {
		hint := NoCopyHint
		if e.Room != "" {
			hint += ", then: socrates debate resume " + e.Room
		}
		return &Error{ExitFailed, "copy", err.Error(), hint}
	}
	if e, ok := errors.AsType[*engine.Refusal](err); ok {
		return &Error{ExitUsage, "refused", e.Message, e.Hint}
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		return &Error{ExitFailed, "store", err.Error(), e.Hint}
	}
	if e, ok := errors.AsType[*turns.Unkept](err); ok {
		return &Error{ExitUnkept, string(turns.NoSnapshot), e.Error(), NoSnapshotHint}
	}
	if e, ok := errors.AsType[*turns.Steering](err); ok {
		return &Error{ExitSteered, string(turns.Steered), e.Error(), SteeredHint}
	}
	if errors.Is(err, debate.ErrNoFrame) {
		return &Error{ExitUsage, "record", err.Error(), ""}
	}
	if errors.Is(err, journal.ErrNotRecorded) || errors.Is(err, debate.ErrDiffers) {
		return &Error{ExitFailed, "record", err.Error(), ""}
	}
	if _, ok := errors.AsType[*folder.Error](err); ok {
		return &Error{ExitUsage, "files", err.Error(), ""}
	}
	if e, ok := errors.AsType[*receipt.Error](err); ok {
		code := ExitFailed
		if e.Foreign {
			code = ExitUsage
		}
		return &Error{code, "record", e.Message, e.Hint}
	}
	if e, ok := errors.AsType[*adr.Error](err); ok {
		return &Error{ExitUsage, "files", err.Error(), Because(e.Err)}
	}
	if e, ok := errors.AsType[*trouble.Error](err); ok {
		code := ExitProvider
		if e.Kind == trouble.Auth {
			code = ExitAuth
		}
		return &Error{code, string(e.Kind), err.Error(), ""}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{ExitInterrupted, "interrupted", "stopped", ""}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		f := &Error{ExitUsage, "file", fmt.Sprintf("%s: %v", p.Path, p.Err), ""}
		// The disk is to blame, not the command.
		if errors.Is(p, syscall.ENOSPC) {
			f.Code = ExitFailed
		}
		return f
	}
	if m := tooMany().FindStringSubmatch(err.Error()); m != nil {
		return &Error{ExitUsage, "usage", fmt.Sprintf("%s takes no arguments, got %s", m[2], m[1]), "see: " + m[2] + " --help"}
	}
	return &Error{ExitFailed, "failed", err.Error(), ""}
}

// tooMany is how cobra refuses arguments of a command that takes none.
var tooMany = pattern.Of(`^unknown command (".*") for "(.*)"$`)

// Because is what the system says of a failure, without the path that is named already.
func Because(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if err == nil {
		return ""
	}
	return plain.Text(err.Error())
}

// SteeredHint is what to do about a program that changed what steers tools.
const SteeredHint = "inspect the file; to keep it, move it back, or approve the command in a conversation"

// Unread is the error of a result that could not be written, unless nobody reads it any longer: what came of it is
// what counts.
func Unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// Nearest is a hint that names the closest of names, or all of them if none is close; empty: there are none.
func Nearest(word string, names []string) string {
	if best := spelling.Nearest(word, names); best != "" {
		return "did you mean " + best + "?"
	}
	if len(names) == 0 {
		return ""
	}
	return "valid names: " + strings.Join(names, ", ")
}
