// Package redact is the one redactor that all output goes through: it replaces secrets by a placeholder ([redacted:NAME]).
//
// Two passes run over a text. The first (known.go) finds exact secrets, also in base64, URL and JSON spelling; the
// second (pass.go) recognizes keys, tokens and passwords by their form, in plain text and within base64. Both decide
// with a bounded look-ahead, so a stream cut anywhere comes out as the whole would. Text from outside is cleaned of
// control characters before it comes here: an escape or an invisible character inside a key would hide it.
//
// How the second pass works:
//
//   - A prefilter (starts.go) finds, three bytes at a time, the few places where a shape could begin. Most text costs one
//     look-up per byte.
//   - At such a place the shapes whose prefix fits are tried in order, vendors' tokens (shapes.go) before those recognized by context
//     (context.go, commands.go, calls.go): the first that finds a secret names it.
//   - A shape reads ahead with a [cursor], which records if it ran out of text. Then the decision waits for more.
//   - The value of a secret's name (names.go) is searched for wherever languages put it (assign.go, literal.go, formats.go,
//     annotations.go). The surer that place is, the less random the value itself must look (value.go).
//
// Guarantees: nothing of a secret that was found is left; redacting twice changes nothing; a Redactor is immutable and
// safe for concurrent use; the time is linear in the text. There is no guarantee that everything is found. A password
// that is an ordinary word in a sentence is not: give exact secrets to [New] whenever they are known.
//
// In doubt, shapes leave text alone: a false placeholder in code or a diff destroys work. The corpus tests measure both kinds of error.
package redact

import (
	"errors"
	"io"
)

// Redactor replaces secrets. The zero value knows only shapes. It never changes and is safe for concurrent use.
type Redactor struct{ known *known }

// New makes a Redactor that also knows these exact secrets, in any order. A secret shorter than 8 bytes, or one that is
// part of a placeholder, counts as an ordinary word and is ignored.
func New(secrets ...string) *Redactor { return &Redactor{newKnown(secrets)} }

// String returns s without its secrets, or s itself, without a copy, if it has none. Most texts have none.
func (r *Redactor) String(s string) string {
	if next(startsIn(s, true), s, 0) == len(s) && (r.known == nil || next(r.known.starts, s, 0) == len(s)) {
		return s
	}
	b := []byte(s)
	if !r.finds(b) {
		return s
	}
	return string(r.Bytes(b))
}

// finds reports whether b contains a secret.
func (r *Redactor) finds(b []byte) bool {
	if r.known != nil {
		for i := next(r.known.starts, b, 0); i < len(b); i = next(r.known.starts, b, i+1) {
			if n, _ := r.known.match(b[i:], true); n > 0 {
				return true
			}
		}
	}
	var p shapePass
	begins := startsIn(b, true)
	for i := next(begins, b, 0); i < len(b); i = next(begins, b, i+1) {
		if name, _, _ := p.match(begins, b[max(0, i-lookBack):i], b[i:], true); name != "" {
			return true
		}
	}
	return false
}

// Bytes returns a copy of b without its secrets.
func (r *Redactor) Bytes(b []byte) []byte {
	p := passes{known: knownPass{known: r.known}}
	return p.feed(make([]byte, 0, len(b)+len(b)/16), b, true)
}

// Writer returns a writer that forwards what is written to it to w, without secrets. However the text is split into
// writes, w gets the same bytes. It holds back what may be the beginning of a secret: at most about 2 KiB, or the
// longest known secret if that is longer. Close writes what is held back and leaves w open. Not for concurrent use.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{to: w, passes: passes{known: knownPass{known: r.known}}}
}

// writer holds back what may still become a secret. It is for one goroutine.
type writer struct {
	to     io.Writer
	passes passes
	out    []byte
	err    error // the first failure; nothing is written after it
}

// errClosed refuses text after the end, which could not be checked together with the text before.
var errClosed = errors.New("redact: write after close")

// piece bounds what a writer keeps in memory, however long one Write is.
const piece = 32 << 10

// Write accepts all of b, and forwards what is decided. An error of the underlying writer is kept and returned each time.
func (w *writer) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) && w.err == nil {
		n := min(piece, len(b)-done)
		w.pass(b[done:done+n], false)
		if w.err == nil {
			done += n
		}
	}
	return done, w.err
}

// Close forwards the rest. It does not close the underlying writer.
func (w *writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	if w.err == nil {
		w.pass(nil, true)
	}
	err := w.err
	w.err = errClosed
	return err
}

// pass redacts what is decided of b; last: nothing more follows.
func (w *writer) pass(b []byte, last bool) {
	w.out = w.passes.feed(w.out[:0], b, last)
	if len(w.out) > 0 {
		_, w.err = w.to.Write(w.out)
	}
}

// passes is the state of a text that passes through both passes.
type passes struct {
	known  knownPass
	shapes shapePass
	middle []byte
}

// feed appends to dst what is decided with text added. last: no more follows.
func (p *passes) feed(dst, text []byte, last bool) []byte {
	if p.known.known == nil {
		return p.shapes.feed(dst, text, last)
	}
	p.middle = p.known.feed(p.middle[:0], text, last)
	return p.shapes.feed(dst, p.middle, last)
}

// placeholder appends the replacement of a secret. It does not have the form of a secret, so that redacting twice changes nothing.
func placeholder(dst []byte, name string) []byte {
	dst = append(dst, "[redacted:"...)
	dst = append(dst, name...)
	return append(dst, ']')
}
