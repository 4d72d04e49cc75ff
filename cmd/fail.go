package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/store"
)

// The documented exit codes. docs/exit-codes.md is made from this table.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitConfig      = 3
	exitAuth        = 4
	exitProvider    = 5
	exitLimit       = 7
	exitNone        = 10
	exitHungUp      = 129
	exitInterrupted = 130
	exitTerminated  = 143
)

// failure ends the program with a code and a sentence. Hint says what to do; it may be empty.
type failure struct {
	code          int
	reason        string // for programs: one word
	message, hint string
}

func (f *failure) Error() string { return f.message }

// pageHints says of a page that cannot be used how it should be, by what it is.
var pageHints = map[string]string{
	"persona": "see how it should be: socrates personas show security",
	"phase":   "see how it should be: socrates phases show planner",
}

// noSnapshotHint is what to do where no snapshot of the files can be taken.
const noSnapshotHint = "fix the cause and run it again; socrates chat asks whether to go on without a snapshot"

func usage(message, hint string) error {
	return &failure{exitUsage, "usage", message, hint}
}

// explain finds code, reason, message and hint of any error, in words for people.
func explain(err error) *failure {
	f := *place(err)
	f.message, f.hint = plain.Text(f.message), plain.Text(f.hint)
	return &f
}

// noCopyHint is what to do where no copy of the project can be made.
const noCopyHint = "set TMPDIR to a folder outside the project with room for a copy of it"

// place finds where an error belongs.
func place(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if errors.Is(err, syscall.ENOLCK) {
		return &failure{exitFailed, "lock", err.Error(), "keep the store on a local disk: set store.path, or --store FILE; temporary files: TMPDIR"}
	}
	if e, ok := errors.AsType[*config.Error](err); ok {
		if key, ok := strings.CutPrefix(e.File, "flag "); ok {
			return &failure{exitUsage, "usage", flagOf(key) + " " + strings.TrimPrefix(e.Message, key+": "), e.Hint}
		}
		return &failure{exitConfig, "config", err.Error(), ""} // its text holds the hint
	}
	if e, ok := errors.AsType[*page.Error](err); ok {
		return &failure{exitConfig, e.Noun, err.Error(), pageHints[e.Noun]}
	}
	if e, ok := errors.AsType[*engine.NoCopy](err); ok {
		hint := noCopyHint
		if e.Room != "" {
			hint += ", then: socrates debate resume " + e.Room
		}
		return &failure{exitFailed, "copy", err.Error(), hint}
	}
	if e, ok := errors.AsType[*engine.Refusal](err); ok {
		return &failure{exitUsage, "refused", e.Message, e.Hint}
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		return &failure{exitFailed, "store", err.Error(), e.Hint}
	}
	if e, ok := errors.AsType[*engine.Unkept](err); ok {
		return &failure{exitUnkept, string(engine.NoSnapshot), e.Error(), noSnapshotHint}
	}
	if e, ok := errors.AsType[*engine.Steering](err); ok {
		return &failure{exitSteered, string(engine.Steered), e.Error(), steeredHint}
	}
	if errors.Is(err, debate.ErrNoFrame) {
		return &failure{exitUsage, "record", err.Error(), ""}
	}
	if errors.Is(err, debate.ErrNotRecorded) || errors.Is(err, debate.ErrDiffers) {
		return &failure{exitFailed, "record", err.Error(), ""}
	}
	if _, ok := errors.AsType[*folder.Error](err); ok {
		return &failure{exitUsage, "files", err.Error(), ""}
	}
	if e, ok := errors.AsType[*adr.Error](err); ok {
		return &failure{exitUsage, "files", err.Error(), because(e.Err)}
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		code := exitProvider
		if e.Kind == llm.Auth {
			code = exitAuth
		}
		return &failure{code, string(e.Kind), err.Error(), ""}
	}
	if errors.Is(err, context.Canceled) {
		return &failure{exitInterrupted, "interrupted", "stopped", ""}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		f := &failure{exitUsage, "file", fmt.Sprintf("%s: %v", p.Path, p.Err), ""}
		if errors.Is(p, syscall.ENOSPC) {
			f.code = exitFailed
		}
		return f
	}
	if m := tooMany().FindStringSubmatch(err.Error()); m != nil {
		return &failure{exitUsage, "usage", fmt.Sprintf("%s takes nothing after it, and not %s", m[2], m[1]), "see: " + m[2] + " --help"}
	}
	for _, bare := range []string{"accepts ", "requires at least "} { // what cobra says of arguments
		if strings.HasPrefix(err.Error(), bare) {
			said := strings.NewReplacer("accepts at most", "it takes at most", "accepts", "it takes", "requires", "it takes", "1 arg(s), received", "one argument, not", "arg(s), received", "arguments, not", "1 arg(s)", "one argument", "arg(s)", "arguments")
			return &failure{exitUsage, "usage", said.Replace(err.Error()), "see --help of the command"}
		}
	}
	return &failure{exitFailed, "failed", err.Error(), ""}
}

// tooMany is how cobra refuses arguments of a command that takes none.
var tooMany = pattern.Of(`^unknown command (".*") for "(.*)"$`)

// because is what the system says of a failure, without the path that is named already.
func because(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if err == nil {
		return ""
	}
	return plain.Text(err.Error())
}

// finish says what went wrong, if anything did, and returns the exit code.
func (a *app) finish(err error) int {
	if err == nil && a.out.lost != nil {
		err = &failure{exitFailed, "output", "cannot write to stdout: " + because(a.out.lost), ""}
		if errors.Is(a.out.lost, syscall.EPIPE) {
			err = nil
		}
	}
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitOK
	}
	f := explain(err)
	if by := int(a.endedBy.Load()); by != 0 && f.code == exitInterrupted {
		f.code = by
	}
	for _, text := range a.held { // no stream began that could carry them
		fmt.Fprint(a.err, fit(os.Stderr, "warning: "+text+"\n", "  "))
	}
	if !a.told && a.format != "text" {
		a.last(newFailed(f, a.room))
	}
	if f.message != "" {
		fmt.Fprint(a.err, fit(os.Stderr, "socrates: "+f.message+"\n", "  "))
	}
	if f.hint != "" {
		fmt.Fprint(a.err, fit(os.Stderr, "  "+f.hint+"\n", "  "))
	}
	return f.code
}

// steeredHint is what to do about a program that changed what steers tools.
const steeredHint = "look at it; if it is wanted, move it back, or approve the command that makes it in a conversation"
