package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The worker talks to the hub itself, and git packs and unpacks: so only the hub's CA is trusted, the pass is in no
// file and in no process list, and no proxies or helpers of the machine are involved.

// ad is a hub's advertisement of a task's repository.
type ad struct {
	refs    map[string]string
	shallow []string // commits whose parents are missing
}

const mostRefs = 10_000 // lines of an advertisement

// client makes connections that trust what the remote's settings trust.
func (r Remote) client() (*http.Client, func()) {
	dial := net.Dialer{Timeout: 30 * time.Second}
	transport := &http.Transport{TLSClientConfig: r.TLS, DialContext: dial.DialContext, TLSHandshakeTimeout: 30 * time.Second,
		DisableCompression: true}
	stay := func(*http.Request, []*http.Request) error { return errors.New("the hub redirects to another address") }
	return &http.Client{Transport: transport, CheckRedirect: stay}, transport.CloseIdleConnections
}

// ask sends a request for the task's repository. The answer has a successful status.
func (r Remote) ask(ctx context.Context, c *http.Client, method, path, kind string, body io.Reader) (*http.Response, error) {
	if err := named(r.Task); err != nil {
		return nil, err
	}
	at, err := url.JoinPath(r.URL, "code", r.Task+".git")
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, at+"/"+path, body)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(r.Task, r.Pass)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := c.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	answer.Body = &whole{ReadCloser: answer.Body}
	switch answer.StatusCode {
	case http.StatusOK:
		return answer, nil
	case http.StatusUnauthorized, http.StatusForbidden:
		err = ErrStale
	default:
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // only to be shown
		err = fmt.Errorf("the hub answered %s: %s", answer.Status, strings.TrimSpace(string(said)))
	}
	return nil, errors.Join(err, answer.Body.Close())
}

// whole is the body of an answer. It remembers that it was cut off, for the caller that passes it to git.
type whole struct {
	io.ReadCloser
	cut error // wraps ErrAway
}

// Read implements io.Reader.
func (w *whole) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.cut = fmt.Errorf("%w any more: %w", ErrAway, err)
		err = w.cut
	}
	return n, err
}

// cut returns why the body of an answer ended early; nil: it did not.
func cut(body io.Reader) error {
	if w, ok := body.(*whole); ok {
		return w.cut
	}
	return nil
}

// advertised asks what the task's repository has.
func (r Remote) advertised(ctx context.Context, c *http.Client, service string) (a ad, err error) {
	answer, err := r.ask(ctx, c, http.MethodGet, "info/refs?service="+service, "", nil)
	if err != nil {
		return a, err
	}
	defer answer.Body.Close()
	in := bufio.NewReader(answer.Body)
	if text, end, err := readPkt(in); err != nil || end || text != "# service="+service {
		return a, errors.New("the hub does not speak git's smart HTTP")
	}
	if _, end, err := readPkt(in); err != nil || !end {
		return a, errors.New("the hub does not speak git's smart HTTP")
	}
	a.refs = map[string]string{}
	for range mostRefs {
		text, end, err := readPkt(in)
		if err != nil {
			return a, fmt.Errorf("reading what the hub has: %w", err)
		}
		if end {
			return a, nil
		}
		text, _, _ = strings.Cut(text, "\x00")
		hash, name, _ := strings.Cut(text, " ")
		switch {
		case hash == "shallow" && isHash(name):
			a.shallow = append(a.shallow, name)
		case isHash(hash):
			a.refs[name] = hash
		}
	}
	return a, errors.New("the hub has too many refs")
}
