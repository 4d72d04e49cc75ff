package gemini

import (
	"io"
	"net/http"

	"github.com/socrates-cli/socrates/internal/llm"
)

// line is the connection of one call. It keeps what the SDK drops, the status and the headers of an error, and what
// the SDK would print to the standard log, an error while reading, which the SDK sees as the end instead.
type line struct {
	status int
	header http.Header
	err    error
}

func (l *line) client() *http.Client {
	c := *llm.HTTPClient()
	next := c.Transport
	c.Transport = tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err == nil {
			l.status, l.header = res.StatusCode, res.Header
			res.Body = &body{res.Body, l}
		}
		return res, err
	})
	return &c
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

type body struct {
	io.ReadCloser
	line *line
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.line.err, err = err, io.EOF
	}
	return n, err
}
