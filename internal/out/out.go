// Package out writes the output of commands (text, JSON and lines of JSON, cleaned and without secrets, laid
// out for terminals) and decides the exit code.
//
// One Out serves a whole start of the program. A command picks the writer by its reader: results go to Out
// itself (stdout), progress to Tell, what a person must read to Ask, problems that stop nothing to Warn, and
// the error that ends the command to Finish, which is also the only place that turns an error into an exit
// code.
//
// The format decides the shape, not the call: List, Done and JSON check Format themselves, so a command writes
// its result once. In json stdout holds exactly one value; in stream-json it holds numbered lines, and the last
// of them is the result. A command that fails before it has written that value gets a Failed in its place, so a
// program always finds one.
//
// Every byte passes through a Sink, which removes terminal escapes and known secrets. Raw is the exception: it
// writes text that is already clean, together with escapes of our own. A secret learned later (Learn) is
// removed from then on, not from earlier output.
//
// A Sink keeps the first failed write to stdout and Finish reports it, so that nobody has to check the error of
// fmt.Fprint. A closed pipe is no failure: a reader that has seen enough ends the program with 0.
//
// The package does not decide what is worth saying and does not lay out screens that are redrawn; see
// cmd/call/room for those.
package out

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/log"
	"github.com/socrates-cli/socrates/internal/plain"
	"github.com/socrates-cli/socrates/internal/redact"
)

// Out writes the output of a command: results on stdout, everything else on stderr, as text, JSON or lines of
// JSON. Everything goes through its redactor, and terminal escapes are removed. It is safe for concurrent use,
// except for the fields that configure it. Format is one of Formats. Room, Told and Format are set by the
// goroutine that runs the command, before others write.
type Out struct {
	*Sink        // stdout
	Err    *Sink // stderr
	Format string
	Room   string // the debate or conversation that stream lines name
	Told   bool   // the last line, or the one value, was written
	Quiet  bool   // write only results, warnings and questions
	// Above writes lines above the redrawn ones; nil while there are none.
	Above atomic.Pointer[func(string)]
	Color func() string // auto, always or never; nil: auto
	Log   *log.Log      // also gets what a person is told; nil: none

	mu      sync.Mutex       // guards all fields below: seats are made, and warn, while others write
	seq     int64            // lines of the stream so far
	held    []string         // warnings that wait for its first line
	secrets *redact.Redactor // nil: to be built again
	keys    []string         // exact secrets that were read from references
}

// New returns an Out that writes text to two streams. They need not be files; only files that are terminals get
// colours, wrapping and live lines.
func New(stdout, stderr io.Writer) *Out {
	o := &Out{Format: "text"}
	o.Sink, o.Err = &Sink{w: stdout, clean: o.Clean}, &Sink{w: stderr, clean: o.Clean}
	return o
}

// Sink is an output of the program. All output goes through one: it removes secrets and terminal escapes.
type Sink struct {
	w     io.Writer
	clean func(string) string
	mu    sync.Mutex
	lost  error // the first write that failed
}

// Write cleans a text and writes it. It returns len(p) whatever the cleaned length; Finish reports the first
// error. Secrets are found within one call, so a caller writes whole lines; Flow and Grown are for text that
// arrives in pieces.
func (s *Sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, s.clean(string(p)))
	if err != nil && s.lost == nil {
		s.lost = err
	}
	return len(p), err
}

// Raw writes our own escapes around text that is already clean.
func (s *Sink) Raw(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, text)
	if err != nil && s.lost == nil {
		s.lost = err
	}
	return err
}

// Clean removes secrets and escapes from a text.
func (o *Out) Clean(text string) string {
	return o.Redactor().String(clean.Text(text))
}

// Redactor returns the redactor of the secrets in the environment when it was built, and those learned since.
// It is built once and again after each Learn, since compiling its patterns takes longer than using them.
func (o *Out) Redactor() *redact.Redactor {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.secrets == nil {
		o.secrets = redact.New(append(redact.FromEnviron(os.Environ()), o.keys...)...)
	}
	return o.secrets
}

// Learn makes a secret from a file or the settings known to the redactor. It ignores an empty secret, which
// would match everywhere.
func (o *Out) Learn(secret string) {
	if secret == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys, o.secrets = append(o.keys, secret), nil
}

// Warn warns a person on stderr, and in stream-json also a program. In text and json a warning is a line on
// stderr. In stream-json it is a line of the stream, and one that comes before the stream has begun waits for
// Release; if nothing ever begins, Finish writes it to stderr.
func (o *Out) Warn(text string) {
	o.Log.Note(slog.LevelWarn, text)
	if o.Format == "stream-json" && o.Room == "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.held = append(o.held, text) // the stream begins with the start line
		return
	}
	if o.Format == "stream-json" {
		o.Line(struct {
			Head
			Type    string `json:"type"`
			Message string `json:"message"`
		}{o.Head(), "warning", text})
		return
	}
	o.Ask("warning: " + plain.Text(text) + "\n")
}

// Colored reports whether to use colours on a stream. A choice of the person wins; else colours go to a
// terminal that understands them, unless NO_COLOR is set (https://no-color.org).
func (o *Out) Colored(f any) bool {
	choice := ""
	if o.Color != nil {
		choice = o.Color()
	}
	switch choice {
	case "always":
		return true
	case "never":
		return false
	}
	return IsTerminal(f) && os.Getenv("NO_COLOR") == ""
}

// Tell writes progress to stderr, unless the person wants it quiet.
func (o *Out) Tell(text string) {
	if !o.Quiet {
		o.Ask(text)
	}
}

// Ask writes to stderr what a person must read, above the live lines if there are any.
func (o *Out) Ask(text string) {
	if tell := o.Above.Load(); tell != nil {
		(*tell)(text)
		return
	}
	fmt.Fprint(o.Err, Fit(os.Stderr, text, ""))
}

// Finish reports the error, if any, and returns the exit code. by is that of a signal which ended the command;
// zero: none did. It is called once, last. A failure without a message was already reported and only sets the
// code. by replaces only the code of an interruption: a command that ended otherwise before the signal arrived
// keeps its own code.
func (o *Out) Finish(err error, by int) int {
	if err == nil && o.lost != nil {
		err = failure.New(failure.ExitFailed, "output", "cannot write to stdout: "+failure.Because(o.lost), "")
		if errors.Is(o.lost, syscall.EPIPE) {
			err = nil
		}
	}
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return failure.ExitOK
	}
	f := failure.Explain(err)
	if f.Message != "" {
		o.Log.Note(slog.LevelError, f.Message, "code", f.Code)
	}
	if by != 0 && f.Code == failure.ExitInterrupted {
		f.Code = by
	}
	for _, text := range o.held { // no stream began that could carry them
		fmt.Fprint(o.Err, Fit(os.Stderr, "warning: "+text+"\n", "  "))
	}
	if !o.Told && o.Format != "text" {
		o.Last(newFailed(f, o.Room))
	}
	if f.Message != "" {
		fmt.Fprint(o.Err, Fit(os.Stderr, "socrates: "+f.Message+"\n", "  "))
	}
	if f.Hint != "" {
		fmt.Fprint(o.Err, Fit(os.Stderr, "  "+f.Hint+"\n", "  "))
	}
	return f.Code
}
