package folder

import (
	"errors"
	"strings"
	"syscall"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Reason says why something in a folder cannot be read or written.
type Reason string

// The reasons. Callers act on Missing and Stale: they may create the file, or look again.
const (
	Missing   Reason = "missing"
	Outside   Reason = "outside" // outside the folder, by its path or through a link
	Hidden    Reason = "secret"
	Binary    Reason = "binary"
	Huge      Reason = "huge"
	Irregular Reason = "special" // a pipe, a device, a socket
	WrongKind Reason = "kind"    // a folder where a file is needed, or the other way round
	Range     Reason = "range"   // lines the file does not have
	Broken    Reason = "broken"  // the system refused
	Stale     Reason = "stale"   // it is no longer what it was
)

// Error says why Path cannot be read or written, in a sentence for people and models. Text is for people; code checks Reason.
type Error struct {
	Path   string
	Reason Reason
	Detail string   // more than Reason says; may be empty
	Near   []string // existing paths that look like Path; only for Missing
}

var sentences = map[Reason]string{
	Missing:   "no such file in the project",
	Outside:   "it is outside the project folder",
	Hidden:    "it may contain secrets and is never shown",
	Binary:    "it is a binary file",
	Huge:      "it is too large",
	Irregular: "it is not an ordinary file",
	WrongKind: "it is a folder",
	Range:     "it has no such lines",
	Broken:    "it cannot be read",
	Stale:     "it changed since it was looked at; nothing was written: read it again",
}

// Error is one sentence in which the name is safe to show.
func (e *Error) Error() string {
	why := e.Detail
	if why == "" {
		why = sentences[e.Reason]
	}
	s := clean.Line(e.Path) + ": " + why
	if len(e.Near) > 0 {
		s += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return s
}

// reason is the system's message about err, without the paths.
func reason(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return clean.Line(err.Error())
}
