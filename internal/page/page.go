// Package page is pages of Markdown with a head of a few lines: one mechanism for everything a model is told that people
// may write themselves. Pages that come with the program give way to those of the same name in folders before them.
//
// Personas and phases are pages. Form says what heads of one sort may hold, Page is one that was read, and SearchPath
// (of a Form and the folders it is looked for in, first one wins) finds them. A page that is broken is an error of type
// *Error, with file and line, and never gives way to the next folder: a person who changed a page must not silently get
// the old one.
//
// Pages may come from a project that somebody else wrote. So a page must be UTF-8 without escapes or letters that
// cannot be seen, its size is bounded, it is read only if it is a regular file, and its SHA-256 is kept so that a
// record names exactly what a model was told.
//
// The head is not YAML: "key: value" a line, comments with #, no quoting and no nesting. That can be read without
// surprises and every mistake in it has a line.
package page

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// MaxDoc is how long the line about a page may be, in letters.
const MaxDoc = 58

// Form is what pages of one sort have in common.
// A Form is a value of the program, complete before it is used; none of its fields has a default.
type Form struct {
	Noun    string   // what one is called: persona
	Keys    []string // what a head may hold beside name and doc
	MaxText int      // how long what stands below the head may be, in bytes
	Empty   string   // what to do about a page that says nothing below its head
}

// Page is one page that can be used.
// The zero Page holds nothing and is what an error comes with.
type Page struct {
	Name, Doc string
	File      string // empty: it comes with the program
	SHA256    string // of the whole page, in hexadecimal
	Text      string // what stands below the head
	Raw       string // the whole page as its author wrote it
	noun      string
	head      map[string]headValue
}

// headValue is a value of a head and the line of the page it stands on.
type headValue struct {
	value string
	line  int
}

// Get is the value of a key of the head; empty: it is not there.
func (p Page) Get(key string) string { return p.head[key].value }

// List is the value of a key taken apart at commas and blanks.
func (p Page) List(key string) []string {
	return strings.FieldsFunc(p.Get(key), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// Wrong says what is wrong with the value of a key, and where.
func (p Page) Wrong(key, format string, args ...any) error {
	return &Error{Noun: p.noun, File: p.File, Line: p.head[key].line, Message: key + " " + fmt.Sprintf(format, args...)}
}

// Error is a page that cannot be used.
type Error struct {
	Noun    string
	File    string // empty: of the program
	Line    int    // 0: the page as a whole
	Message string
	Err     error // cause; may be nil
}

// Error is what is wrong with the page, with its file and line.
func (e *Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	case e.File == "":
		return e.Message
	}
	return e.File + ": " + e.Message
}

// Unwrap is the system's error, if it was one.
func (e *Error) Unwrap() error { return e.Err }

var name = pattern.Of(`^[a-z][a-z0-9-]{0,39}$`)

// CleanName says whether a word can name a page: a small letter, then small letters, digits and dashes; 40 at most.
func CleanName(word string) bool { return name().MatchString(word) }

// Parse reads a page: a head of "name", "doc" and the kind's keys between two lines of three dashes, then text. file is
// for messages. Errors are *Error, with the line.
// The name in the head must be that of the file: a page copied under another name would else be found under one and
// called the other.
func (k Form) Parse(file, name string, raw []byte) (Page, error) {
	sum := sha256.Sum256(raw)
	p := Page{File: file, SHA256: hex.EncodeToString(sum[:]), Raw: string(raw), noun: k.Noun}
	fail := func(line int, format string, args ...any) (Page, error) {
		return Page{}, &Error{Noun: k.Noun, File: file, Line: line, Message: fmt.Sprintf(format, args...)}
	}
	lines := strings.Split(unixLines(p.Raw), "\n")
	for i, l := range lines {
		if !utf8.ValidString(l) {
			return fail(i+1, "is not text: it is not UTF-8")
		}
		if clean.Text(l) != l {
			return fail(i+1, "contains an escape sequence or an invisible character; type the line again")
		}
	}
	if lines[0] != dashes {
		return fail(1, `must begin with a line "---", then "name:" and "doc:", then "---" again`)
	}
	end := headEnd(lines)
	if end == 0 {
		return fail(1, `the header is not closed: a line "---" is missing`)
	}
	var line int
	var err error
	if p.head, line, err = k.head(lines[1:end]); err != nil {
		return fail(line+1, "%v", err)
	}
	if p.Name, p.Doc = p.Get("name"), p.Get("doc"); p.Name != name {
		return fail(1, "says its name is %s, but the file is named %s.md", p.Name, name)
	}
	p.Text = strings.TrimSpace(strings.Join(lines[end+1:], "\n"))
	switch {
	case p.Text == "":
		return fail(end+1, "has no text below its header; %s", k.Empty)
	case len(p.Text) > k.MaxText:
		return fail(0, "has %d bytes or more below its header; the limit is %d", len(p.Text), k.MaxText)
	}
	return p, nil
}

const dashes = "---"

// unixLines ends lines in one way, so that a page has one hash on all systems.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}

// headEnd is the index of the line that ends the head; 0: none does.
func headEnd(lines []string) int { return 1 + slices.Index(lines[1:], dashes) }

// Cut takes a page of another program's format apart: its head without the dashes, whatever it holds, and what stands
// below it. ok is false where there is no head.
func Cut(raw string) (head, text string, ok bool) {
	lines := strings.Split(unixLines(raw), "\n")
	end := headEnd(lines)
	if lines[0] != dashes || end == 0 {
		return "", raw, false
	}
	return strings.Join(lines[1:end], "\n"), strings.TrimSpace(strings.Join(lines[end+1:], "\n")), true
}

// head reads the lines between the dashes: "key: …" and comments that begin with #. The line of an error counts from 1
// in lines; 0 is the head as a whole.
func (k Form) head(lines []string) (map[string]headValue, int, error) {
	keys := append([]string{"name", "doc"}, k.Keys...)
	head := map[string]headValue{}
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || !slices.Contains(keys, key):
			hint := "a header has " + strings.Join(keys[:len(keys)-1], ", ") + " and " + keys[len(keys)-1]
			if best := spelling.Nearest(key, keys); best != "" {
				hint = "did you mean " + best + "?"
			}
			return nil, i + 1, fmt.Errorf("unknown key %q (%s)", key, hint)
		case head[key].value != "":
			return nil, i + 1, fmt.Errorf("%s occurs twice", key)
		case value == "":
			return nil, i + 1, fmt.Errorf("%s has no value", key)
		}
		head[key] = headValue{value, i + 2}
	}
	doc := head["doc"].value
	switch {
	case head["name"].value == "" || doc == "":
		return nil, 0, errors.New(`the header must have both "name:" and "doc:"`)
	case utf8.RuneCountInString(doc) > MaxDoc:
		return nil, 0, fmt.Errorf("doc has %d characters; the limit is %d", utf8.RuneCountInString(doc), MaxDoc)
	}
	return head, 0, nil
}
