// Package handle resolves what a conversation refers to but does not contain: files, web pages, database results and tool
// outputs. Each look has the hash of what was there, so that another look can tell whether it has changed.
//
//	file:main.go#10-20           lines of a text file of the project
//	https://example.com/page     a page, as package web fetches it
//	postgres://user@host/db?SELECT …   one query in a transaction that only reads
//	bash:NODE/CALL               the whole output of a call of this conversation
//
// A handle is kept in the tree and shown to models, so it holds no password. What it leads to is fetched again each
// time and kept nowhere here. Files obey package folder (no secrets, nothing outside the project); pages and
// databases ask [Source.Web].May first. A handle that leads nowhere is an [*Error], with what to write instead
// where that helps; errors of May and of Output are passed on as they are.
package handle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/web"
)

// Source says where handles lead. All fields are needed for the handles that use them.
type Source struct {
	Dir string     // the project folder; file: leads nowhere else
	Web web.Client // asks before it fetches
	// Output is the whole output of a call, by its node and its id.
	Output func(ctx context.Context, node, call string) (string, error)
}

// Found is what lay behind a handle when it was looked at.
type Found struct {
	URI    string
	Text   string
	SHA256 string // of what was there, before anything was taken out of it
	Bytes  int64
}

// Error says why a handle leads nowhere.
type Error struct {
	Message, Hint string
	Err           error
}

// Error is the message alone: the hint is printed below it.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause; nil where the handle itself is wrong.
func (e *Error) Unwrap() error { return e.Err }

// mostFile is the largest file a handle shows.
const mostFile = 8 << 20

// Look resolves a handle.
func (s Source) Look(ctx context.Context, uri string) (Found, error) {
	scheme, rest, ok := strings.Cut(uri, ":")
	switch {
	case ok && scheme == "file":
		return s.file(uri, rest)
	case ok && (scheme == "http" || scheme == "https"):
		return s.page(ctx, uri)
	case ok && scheme == "postgres":
		return s.query(ctx, uri)
	case ok && scheme == "bash":
		node, call, _ := strings.Cut(rest, "/")
		text, err := s.Output(ctx, node, call)
		return found(uri, []byte(text), text), err
	}
	return Found{}, &Error{Message: fmt.Sprintf("%q is not a handle", clean.Line(uri)),
		Hint: "a handle begins with file:, http:, https:, postgres: or bash:, for example file:go.mod or file:main.go#10-20"}
}

// found is what a reader is shown, and the hash of the bytes it was made of.
func found(uri string, raw []byte, text string) Found {
	sum := sha256.Sum256(raw)
	return Found{URI: uri, Text: clean.Text(text), SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(raw))}
}

// file shows a text file of the project, or some of its lines. What may contain secrets is refused.
func (s Source) file(uri, rest string) (Found, error) {
	name, span, part := strings.Cut(rest, "#")
	if i := strings.LastIndexByte(rest, '#'); part && i > 0 {
		name, span = rest[:i], rest[i+1:]
	}
	if i := strings.LastIndexByte(rest, ':'); !part && i > 0 && strings.Trim(rest[i+1:], "0123456789-") == "" { // as chat writes it
		name, span, part = rest[:i], rest[i+1:], true
	}
	dir, err := folder.Open(s.Dir)
	if err != nil {
		return Found{}, err
	}
	defer dir.Close()
	body, err := dir.Read(name, mostFile)
	if err != nil {
		return Found{}, &Error{Message: err.Error(), Hint: "a file: handle names a text file in " + s.Dir, Err: err}
	}
	if part {
		if body, err = lines(body, span); err != nil {
			return Found{}, err
		}
	}
	return found(uri, body, string(body)), nil
}

// lines are those from A to B of a file, written A-B, A or A-.
func lines(body []byte, span string) ([]byte, error) {
	first, last, more := strings.Cut(span, "-")
	from, err := strconv.Atoi(first)
	to := from
	if err == nil && more {
		if to = 1 << 30; last != "" {
			to, err = strconv.Atoi(last)
		}
	}
	if err != nil || from < 1 || to < from {
		return nil, &Error{Message: fmt.Sprintf("#%s is not a range of lines", clean.Line(span)), Hint: "write lines as #10-20, #10 or " +
			"#10-"}
	}
	all := strings.SplitAfter(string(body), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	if from > len(all) {
		return nil, &Error{Message: fmt.Sprintf("it has only %d lines", len(all)), Hint: "name others, or the whole file"}
	}
	return []byte(strings.Join(all[from-1:min(to, len(all))], "")), nil
}

// page shows the text of a page. Its hash is that of the bytes that came.
func (s Source) page(ctx context.Context, uri string) (Found, error) {
	address, err := web.Parse(uri)
	if err != nil {
		return Found{}, &Error{Message: err.Error(), Err: err}
	}
	p, err := s.Web.Get(ctx, address)
	if err != nil {
		return Found{}, &Error{Message: "fetching from " + address.Host + ": " + err.Error(), Err: err}
	}
	text, err := p.Text()
	if err != nil {
		return Found{}, &Error{Message: address.Host + ": " + err.Error(), Err: err}
	}
	if p.Cut {
		text += fmt.Sprintf("\n[only the first %d MB of the page were read]\n", web.Most>>20)
	}
	return found(uri, p.Body, text), nil
}

// The face of a longer text is its beginning and its end.
const headBytes, tailBytes = 3 << 10, 1 << 10

// Face is what stands for a text in a tree: all of a short one.
func Face(text string) string {
	if len(text) <= headBytes+tailBytes {
		return text
	}
	head, tail := text[:headBytes], text[len(text)-tailBytes:]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i+1]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("[%d bytes are not shown here]\n", len(text)-len(head)-len(tail)) +
		strings.ToValidUTF8(tail, "")
}
