// Package out is how commands say what they have to say: text, JSON and lines of JSON, cleaned and without secrets, laid out for
// terminals, and how the program ends.
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
type Out struct {
	*Sink        // stdout
	Err    *Sink // stderr
	Format string
	Room   string // that the lines of a stream name: a debate or a conversation
	Told   bool   // the last line, or the one value, is out
	Quiet  bool   // results, warnings and questions alone are told
	// Above writes lines above those that are drawn anew; nil while there are none.
	Above atomic.Pointer[func(string)]
	Color func() string // auto, always or never; nil: auto
	Log   *log.Log      // has what a person is told as well; nil: there is none

	seq  int64    // lines of the stream so far
	held []string // warnings that wait for its first line

	mu      sync.Mutex       // guards the next two: seats are made while others write
	secrets *redact.Redactor // nil: to be made anew
	keys    []string         // exact secrets that were read from references
}

// New writes to two streams, as text.
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

// Write cleans a text and writes it. It says that all was written in any case; what failed first is told by Finish.
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
	return err
}

// Clean takes secrets and escapes out of a text.
func (o *Out) Clean(text string) string {
	return o.Redactor().String(clean.Text(text))
}

func (o *Out) Redactor() *redact.Redactor {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.secrets == nil {
		o.secrets = redact.New(append(redact.FromEnviron(os.Environ()), o.keys...)...)
	}
	return o.secrets
}

// Learn makes the redactor know a secret that was read from a file or the settings.
func (o *Out) Learn(secret string) {
	if secret == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys, o.secrets = append(o.keys, secret), nil
}

// Warn tells a person something on stderr, and in stream-json a program too.
func (o *Out) Warn(text string) {
	o.Log.Note(slog.LevelWarn, text)
	if o.Format == "stream-json" && o.Room == "" {
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
