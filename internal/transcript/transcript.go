// Package transcript reads the conversations that other vendors' agents keep on this machine, as records of ours: what was
// said, which tools were called with what result, by which model and when.
//
// The formats are those the programs wrote on 26 November 2026 (claude 2.1.197, codex 0.169.0, gemini 0.61.0, pi 0.73.1),
// and the older ones of the same programs. Lines nobody here knows are counted, never guessed at.
//
// Each program has a file here that reads a line of its form and tells a builder what was said; the builder makes
// entries of it, in which all forms are alike, and a record of these at the end. [Find] looks where programs keep
// transcripts and reads their heads, [Read] and [ReadFile] read one whole, [Files] lists what may be one below a
// folder.
//
// What a [Conversation] holds is a record like one of package talk/archive, checked in the same way: a root, words of
// the person, exchanges with calls and results, replies, summaries, and as a branch each way that was not gone on
// with. Nothing of it is run, and no cost is counted: it was paid elsewhere. The same transcript gives the same nodes
// with the same ids, so whoever imports one twice can tell.
//
// Transcripts are read as what strangers wrote. File, line, depth and number of messages are bounded, names and ids
// are made such that every vendor takes them, and a fault in reading is an error of that file. Reasoning is kept as
// text without the vendor's signature, and what was put in by the program itself is left out.
package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/lines"
	"github.com/socrates-cli/socrates/internal/talk/archive"
)

const (
	maxFile  = 256 << 20 // bytes of a transcript that is read
	maxLine  = 32 << 20  // bytes of one line; a longer one is counted as unreadable
	headSize = 4 << 20   // bytes in which a transcript must say what it is about, where transcripts are only listed
	maxNodes = 200_000
)

// ErrForeign says that a file is no transcript of a program that is known here.
var ErrForeign = errors.New("not a transcript of Claude Code, Codex, Gemini CLI or pi")

// Conversation is what a transcript came to.
// Dir may name a folder that is not there, or another machine's.
type Conversation struct {
	Program string
	Session string // the program's own id
	Dir     string // where it was held, as far as the file says
	Record  archive.Record
	// Skipped counts what was not taken, by what it is.
	Skipped map[string]int
}

// Left is what was not taken, in words; empty: nothing.
func (c Conversation) Left() string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(c.Skipped)) {
		all = append(all, fmt.Sprintf("%d %s", c.Skipped[what], what))
	}
	return strings.Join(all, ", ")
}

// program is a program whose transcripts can be read.
// A new one is a file with such a value and a place in programs.
type program struct {
	name string
	home func(env func(string) string, home string) string // of its files
	// globs are where its transcripts lie, below its home.
	globs []string
	// dirOf is the folder that a file was held in, where the file does not say it; nil: it does.
	dirOf func(file, dir string) string
	// knows says whether a first line is one of this program's.
	knows func(head map[string]json.RawMessage) bool
	// line takes one line in.
	line func(b *builder, raw []byte) error
}

// The first that knows a line has the file, so the stricter ones would have to stand first; today no line is known to
// two.
var programs = []program{claude, codex, gemini, pi}

// Programs are the names of those whose transcripts are read.
func Programs() (names []string) {
	for _, p := range programs {
		names = append(names, p.name)
	}
	return names
}

// ReadFile reads a transcript.
// Its change is the time of what has none.
func ReadFile(path string) (Conversation, error) {
	f, err := open(path)
	if err != nil {
		return Conversation{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Conversation{}, err
	}
	c, err := Read(f, info.ModTime())
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// open opens a file that is one, and no larger than is read.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path) // a pipe would never open
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is %d MB; the limit is %d MB", path, info.Size()>>20, maxFile>>20)
	}
	return os.Open(path)
}

// Read reads a transcript. What is cut off, broken or unknown in it is left out and counted. held is when it was held, if it
// does not say so itself.
//
// ErrForeign is in the error of a file that no program here wrote.
func Read(from io.Reader, held time.Time) (c Conversation, err error) {
	defer guard(&err)
	b := newBuilder()
	b.when = held.UTC().Truncate(time.Millisecond)
	if err := b.read(io.LimitReader(from, maxFile), func() bool { return false }); err != nil {
		return Conversation{}, err
	}
	if len(b.entries) == 0 {
		return Conversation{}, fmt.Errorf("%w: it contains no message", ErrForeign)
	}
	c = Conversation{Program: b.program.name, Session: b.session, Dir: b.dir, Record: b.record(), Skipped: b.skipped}
	return c, c.Record.Check()
}

// read takes lines in until enough says so.
func (b *builder) read(from io.Reader, enough func() bool) (err error) {
	defer guard(&err)
	// The first line says whose it is. One that nobody knows may be a head that was cut off, so the next ones are
	// asked too.
	in := bufio.NewReaderSize(from, 1<<16)
	for first := true; ; first = false {
		raw, long, err := lines.Read(in, maxLine)
		if err != nil && err != io.EOF {
			return err
		}
		if first && whole(raw) {
			raw = b.pretty(raw, in)
		}
		if len(raw) > 0 {
			b.take(raw)
		} else if long {
			b.skip("lines that are too long")
		}
		if len(b.entries) >= maxNodes {
			b.skip(fmt.Sprintf("end left out after %d messages", maxNodes))
			break
		}
		if err == io.EOF || enough() {
			break
		}
	}
	if b.program == nil {
		return ErrForeign
	}
	return nil
}

// guard makes an error of a fault of ours, so that one file keeps no other away.
func guard(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("socrates cannot read it (%v); this is a bug, please report it", fault)
	}
}

// whole says whether a first line begins a file that is one value over many lines.
func whole(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' && !json.Valid(raw) }

// pretty is such a file as one line: the line and what follows it, if that is a value; else the line.
func (b *builder) pretty(first []byte, in *bufio.Reader) []byte {
	rest, err := in.Peek(1)
	if err != nil || rest[0] == '{' {
		return first
	}
	var value json.RawMessage
	if json.NewDecoder(io.MultiReader(bytes.NewReader(first), in)).Decode(&value) != nil {
		return first
	}
	return value
}

// take takes one line in.
func (b *builder) take(raw []byte) {
	var head map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil {
		b.skip("unreadable lines")
		return
	}
	for i := 0; b.program == nil && i < len(programs); i++ {
		if programs[i].knows(head) {
			b.program = &programs[i]
		}
	}
	if b.program == nil {
		b.skip("unknown lines")
	} else if b.program.line(b, raw) != nil {
		b.skip("unreadable lines")
	}
}

// unknown is what lines of a kind nobody here knows are counted as.
func unknown(kind string) string {
	if kind = clean.Line(kind); len(kind) > 40 || kind == "" {
		return "unknown lines"
	}
	return "unknown lines (" + kind + ")"
}

// when reads a time; zero: it is none.
func when(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 2000 || at.Year() > 2200 {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}
