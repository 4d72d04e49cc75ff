// Package out writes the output of commands (text, JSON and lines of JSON, cleaned and without secrets, laid out for terminals)
// and decides how the program ends.
//
// One Out serves a whole start of the program. A command picks the writer by who reads: results go to Out itself
// (stdout), progress to Tell, what a person must read to Ask, what went wrong but stops nothing to Warn, and the error
// that ends the command to Finish, which is also the only place that turns an error into an exit code.
//
// The format decides the shape, not the call: List, Done and JSON ask Format themselves, so a command writes its result
// once. In json stdout holds exactly one value; in stream-json it holds lines, each with a number of its own,
// and the last of them is the result. A command that fails before it has written that value gets a Failed in its place,
// so a program always finds one.
//
// Every byte passes through a Sink, which removes terminal escapes and known secrets. Raw is the exception: it writes
// what was cleaned before, together with escapes of our own. A secret learned later (Learn) is removed from then on,
// not from what is out already.
//
// The first write to stdout that fails is kept by its Sink and reported by Finish, so that nobody has to look at the error
// of fmt.Fprint. A closed pipe is no failure: a reader that has seen enough ends the program with 0.
//
// The package does not decide what is worth saying and does not lay out screens that are redrawn; see cmd/call/room for
// those.
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

// Out is where a command says what it has to say: results on stdout, all else on stderr, as text, JSON or lines of JSON. Everything
// goes through its redactor, and terminal escapes are taken out. It is safe for concurrent use, but for the fields that say how.
// Format is one of Formats. Room, Told and Format are set by the goroutine that runs the command, before others write.
type Out struct {
	*Sink        // stdout
	Err    *Sink // stderr
	Format string
	Room   string // that the lines of a stream name: a debate or a conversation
	Told   bool   // the last line, or the one value, is out
	Quiet  bool   // results, warnings and questions alone are told
	// Above writes lines above those that are redrawn; nil while there are none.
	Above atomic.Pointer[func(string)]
	Color func() string // auto, always or never; nil: auto
	Log   *log.Log      // has what a person is told as well; nil: there is none

	mu      sync.Mutex       // guards all that follows: seats are made, and warn, while others write
	seq     int64            // lines of the stream so far
	held    []string         // warnings that wait for its first line
	secrets *redact.Redactor // nil: to be made again
	keys    []string         // exact secrets that were read from references
}

// New writes to two streams, as text.
// The streams need not be files; only files that are terminals get colours, wrapping and live lines.
func New(stdout, stderr io.Writer) *Out {
	o := &Out{Format: "text"}
	o.Sink, o.Err = &Sink{w: stdout, clean: o.Clean}, &Sink{w: stderr, clean: o.Clean}
	return o
}

// Sink is a way out of the program. Nothing leaves but through one: it takes out secrets and terminal escapes.
type Sink struct {
	w     io.Writer
	clean func(string) string
	mu    sync.Mutex
	lost  error // the first write that failed
}

// Write cleans a text and writes it. It says that all of p was written, whatever the length of what is left of it; what
// failed first is told by Finish. Secrets are found within one call, so a caller writes whole lines; Flow and Grown are
// for text that arrives in pieces.
func (s *Sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, s.clean(string(p)))
	if err != nil && s.lost == nil {
		s.lost = err
	}
	return len(p), err
}

// Raw writes our own escapes around text that was cleaned already.
func (s *Sink) Raw(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.w, text)
	if err != nil && s.lost == nil {
		s.lost = err
	}
	return err
}

// Clean takes secrets and escapes out of a text.
func (o *Out) Clean(text string) string {
	return o.Redactor().String(clean.Text(text))
}

// Redactor removes the secrets that the environment held when it was made, and those learned since. It is made once and
// again after each Learn, since compiling its patterns takes longer than using them.
func (o *Out) Redactor() *redact.Redactor {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.secrets == nil {
		o.secrets = redact.New(append(redact.FromEnviron(os.Environ()), o.keys...)...)
	}
	return o.secrets
}

// Learn makes the redactor know a secret that was read from a file or the settings.
// An empty secret is ignored: it would match everywhere.
func (o *Out) Learn(secret string) {
	if secret == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys, o.secrets = append(o.keys, secret), nil
}

// Warn tells a person something on stderr, and in stream-json a program too.
// In text and json a warning is a line on stderr. In stream-json it is a line of the stream, and one that comes before
// the stream has begun waits for Release; if nothing ever begins, Finish writes it to stderr.
func (o *Out) Warn(text string) {
	o.Log.Note(slog.LevelWarn, text)
	if o.Format == "stream-json" && o.Room == "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.held = append(o.held, text) // the stream begins with the line that says what runs
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

// Colored says whether to use colours on a stream.
// A choice of the person wins; else colours go to a terminal that understands them, unless NO_COLOR is set
// (https://no-color.org).
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

// Tell writes how things go to stderr, unless the person wants it quiet.
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

// Finish says what went wrong, if anything did, and returns the exit code. by is that of a signal which ended the command; zero: none did.
// It is called once, last. A failure without a message was told by somebody else and only sets the code. by replaces
// the code of an interruption alone: a command that ended otherwise before the signal arrived keeps its own code.
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
