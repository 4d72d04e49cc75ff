package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
)

const (
	flush    = "0000" // ends a section
	mostLine = 65520  // bytes of one
	noCommit = "0000000000000000000000000000000000000000"
	agent    = "agent=socrates"
	stall    = 2 * time.Minute // without a byte in this time, the peer counts as gone
)

// pkt formats a line of git's protocol, with its length before it.
func pkt(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	return fmt.Sprintf("%04x%s", len(text)+4, text)
}

// readPkt reads one line without its newline; end: it was a flush.
func readPkt(r *bufio.Reader) (text string, end bool, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", false, err
	}
	n, err := strconv.ParseUint(string(head), 16, 16)
	switch {
	case err != nil || n > mostLine || n > 0 && n < 4:
		return "", false, fmt.Errorf("%q does not begin a line of git's protocol", head)
	case n == 0:
		return "", true, nil
	}
	body := make([]byte, n-4)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return "", false, err
	}
	return strings.TrimSuffix(string(body), "\n"), false, nil
}

// isHash reports whether a word is the full name of an object.
func isHash(word string) bool {
	return len(word) == 40 && strings.Trim(word, "0123456789abcdef") == ""
}

// moving reads or writes a connection as long as bytes move, with no limit on the total time.
type moving struct {
	r    io.Reader
	w    io.Writer
	conn *http.ResponseController
}

// Read reads some more.
func (m moving) Read(p []byte) (int, error) {
	if err := m.conn.SetReadDeadline(time.Now().Add(stall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return m.r.Read(p)
}

// Write writes all of p.
func (m moving) Write(p []byte) (int, error) {
	if err := m.conn.SetWriteDeadline(time.Now().Add(stall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return m.w.Write(p)
}

// refs returns those of a repository, by name.
func refs(ctx context.Context, s git.Store, under ...string) (map[string]string, error) {
	out, err := s.Run(ctx, nil, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, under...)...)
	all := map[string]string{}
	for row := range strings.Lines(string(out)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(row), " ")
		all[name] = hash
	}
	return all, err
}
