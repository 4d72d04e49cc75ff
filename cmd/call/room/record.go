package room

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Recorder writes a room's nodes as lines, to stdout, to a file, to both or to nowhere. A text is written once,
// before the first node that names its hash, so a reader who goes line by line has everything a node refers to. A
// Recorder belongs to one goroutine.
type Recorder struct {
	a     *Rooms
	file  *os.File
	buf   *bufio.Writer
	known map[string]bool // hashes of texts already written

	made, begun bool // the file is new; it has a line

	prepares bool // the notice about copies was written
}

// NewRecorder also writes to the file at path; empty: to none. A new file has mode 0600, since a record holds
// everything the seats were shown. Whether an existing one may be replaced was checked before, see Call.Writable; it
// keeps its content until there is a first line, because a refused debate records nothing.
func NewRecorder(a *Rooms, path string) (*Recorder, error) {
	r := &Recorder{a: a, known: map[string]bool{}}
	if path == "" {
		return r, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	r.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	r.file, r.buf = f, bufio.NewWriter(f)
	return r, nil
}

// Close closes the file, and removes a new one that stayed empty.
func (r *Recorder) Close() {
	if r.file != nil {
		r.buf.Flush()
		r.file.Close()
		if r.made && !r.begun {
			os.Remove(r.file.Name())
		}
	}
}

// replace truncates the file. Pipes and devices hold nothing.
func (r *Recorder) replace() error {
	if r.begun {
		return nil
	}
	r.begun = true
	if info, err := r.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return r.file.Truncate(0)
}

// Active reports whether anything is written.
func (r *Recorder) Active() bool { return r.file != nil || r.a.Out.Format == "stream-json" }

// write numbers a line and writes it. A node's line has the time of the node.
func (r *Recorder) write(l call.StreamLine) error {
	if !r.Active() {
		return nil
	}
	h := r.a.Out.Head()
	if l.Node != nil {
		h.TS = l.Node.At
	}
	l.Head = h
	return r.put(l)
}

// put writes a value to the stream and to the file, whichever of them exist.
func (r *Recorder) put(v any) error {
	if r.a.Out.Format == "stream-json" {
		if err := r.a.Out.Line(v); err != nil {
			return err
		}
	}
	return r.keep(v)
}

// keep writes a line to the file, if there is one. Every line reaches the file before the next is made: a process
// that is killed leaves a record that is complete except for its end.
func (r *Recorder) keep(v any) error {
	if r.file == nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err == nil {
		err = r.replace()
	}
	if err == nil {
		_, err = r.buf.WriteString(r.a.Out.Clean(string(raw)) + "\n")
	}
	if err == nil {
		err = r.buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return nil
}

// begin writes the first line. Output that was held back until the debate had a name follows it.
func (r *Recorder) begin(f table.Frame) error {
	r.a.Out.Room = f.Room
	start := r.a.StartLine(f.Dir)
	for _, s := range f.Seats {
		start.Models = append(start.Models, s.Model)
	}
	if err := r.write(call.StreamLine{Type: "start", StartLine: start}); err != nil {
		return err
	}
	r.a.Out.Release()
	return nil
}

// preparing reports to a stream, once, that the seats get copies of the project first. A record does not contain
// this.
func (r *Recorder) preparing(root tree.ID, s feed.Snapshot) error {
	if r.a.Out.Format != "stream-json" || r.prepares || s.Of != root || s.State != debate.Preparing || r.a.Out.Room == "" {
		return nil
	}
	r.prepares = true
	return r.a.Out.Line(call.StreamLine{Head: r.a.Out.Head(), Type: debate.Preparing, Message: s.Note})
}

// node writes a node, after the texts it names that are not written yet.
func (r *Recorder) node(text func(hash string) (string, bool), n tree.Node) error {
	if !r.Active() {
		return nil
	}
	for _, h := range receipt.Named(n) {
		if r.known[h] {
			continue
		}
		r.known[h] = true
		t, ok := text(h)
		if !ok {
			continue // the hash of a file or an output, not of a stored text
		}
		if err := r.write(call.StreamLine{Type: "text", SHA256: h, Text: t}); err != nil {
			return err
		}
	}
	return r.write(call.StreamLine{Type: "node", Parent: n.Parent, Node: &n})
}

// Finish writes the last line of a record. On stdout, Show writes the last line with the result.
func (r *Recorder) Finish(res debate.Result) error {
	return r.keep(struct {
		out.Head
		Object
	}{r.a.Out.NextHead(), NewObject(res)})
}

// All writes a whole room's nodes as lines.
func (r *Recorder) All(nodes []tree.Node, text func(string) (string, bool)) error {
	for _, n := range nodes {
		if f, ok := table.FrameKind.Of(n); ok {
			if err := r.begin(f); err != nil {
				return err
			}
		}
		if err := r.node(text, n); err != nil {
			return err
		}
	}
	return nil
}

// Texts returns a function that reads texts of the store for a recorder. A hash that the store does not have is that
// of a file or an output; that is no error.
func Texts(ctx context.Context, e *engine.Engine) func(string) (string, bool) {
	return func(hash string) (string, bool) {
		t, err := e.Text(ctx, hash)
		return t, err == nil
	}
}
