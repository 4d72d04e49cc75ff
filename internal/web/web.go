// Package web fetches pages of text from other machines for those who must not be led astray: each redirect is
// asked for, each address is checked as it is dialled, and nothing about the person is sent.
//
// A model chooses the address, or a page that a model has read did. So:
//
//   - [Parse] refuses every form of URL that two readers could take for different hosts.
//   - [Client.May] is asked before anything is sent, and again for each redirect.
//   - Names are resolved by the dialer, and the address it is about to use is checked, at that moment: a name that led to a public
//     address before (DNS rebinding) cannot lead inside. Inner hosts are reached only if Client.Inner allows that very host.
//   - No cookies, no referrer, no proxy (which would dial in our place), no way back from https to http, five redirects.
//   - Time (20 s) and size ([Most]) are bounded, after decompression.
//
// Get is an error for any status but 200. [Page.Text] is text for a reader, not yet cleaned of control characters.
// A Client is a value and may be used from several goroutines.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Most is the size in bytes of what is read of a page.
const Most = 2 << 20

const (
	mostTime = 20 * time.Second
	mostHops = 5
)

// Client says what may be fetched.
type Client struct {
	// May is asked for the first URL and again for each redirect; an error ends the fetch.
	May func(ctx context.Context, u *url.URL) error
	// Inner says whether an address that is not on the public internet may be dialled for host, "host:port" as in Host.
	// nil: none.
	Inner func(host string, a netip.Addr) bool
	// Most is how many bytes of a page are read; 0: the constant of that name.
	Most int64
}

// Page is what was fetched.
type Page struct {
	URL       string // where the redirects ended
	MediaType string
	Body      []byte
	Cut       bool // there was more than Most
}

// Get fetches u. No proxy is used: it would dial in our place.
func (c Client) Get(ctx context.Context, u *url.URL) (Page, error) {
	if err := c.May(ctx, u); err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, mostTime, fmt.Errorf("it took longer than %v", mostTime))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, err
	}
	request.Header.Set("User-Agent", "socrates")
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.8")
	client := http.Client{Transport: c.transport(), CheckRedirect: c.redirect}
	answer, err := client.Do(request)
	if err != nil {
		return Page{}, why(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return Page{}, fmt.Errorf("the server answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	most := cmp.Or(c.Most, Most)
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err != nil {
		return Page{}, why(ctx, err)
	}
	got := Page{URL: answer.Request.URL.String(), MediaType: answer.Header.Get("Content-Type"), Body: body}
	if got.MediaType == "" {
		got.MediaType = http.DetectContentType(body)
	}
	if got.Cut = int64(len(body)) > most; got.Cut {
		got.Body = body[:most]
	}
	return got, nil
}

// transport is made for each fetch, so that no connection is shared between hosts that were asked for separately.
func (c Client) transport() *http.Transport {
	dial := func(ctx context.Context, network, host string) (net.Conn, error) {
		dialer := net.Dialer{Control: c.dialling(strings.ToLower(host))}
		return dialer.DialContext(ctx, network, host)
	}
	return &http.Transport{DialContext: dial, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
}

// redirect decides about a redirect as about a first address.
func (c Client) redirect(next *http.Request, before []*http.Request) error {
	if len(before) > mostHops {
		return fmt.Errorf("more than %d redirects", mostHops)
	}
	if before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("it redirects from https to http")
	}
	u, err := Parse(next.URL.String())
	if err == nil {
		err = c.May(next.Context(), u)
	}
	if err != nil {
		return fmt.Errorf("it redirects to a forbidden address: %w", err)
	}
	next.Header.Del("Referer")
	return nil
}

// why is the reason behind an error of the client, without the URL it repeats.
func why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// Text is what a reader sees of the page: its body, or of HTML the readable text. It is an error if the page is no
// text.
func (p Page) Text() (string, error) {
	body := string(p.Body)
	for i := range utf8.UTFMax {
		if p.Cut && i <= len(body) && utf8.ValidString(body[:len(body)-i]) { // the cut may be within a letter
			body = body[:len(body)-i]
			break
		}
	}
	if !utf8.ValidString(body) { // then it is most often Latin-1, where a byte is a letter
		letters := make([]rune, len(body))
		for i := range len(body) {
			letters[i] = rune(body[i])
		}
		body = string(letters)
	}
	kind, _, err := mime.ParseMediaType(p.MediaType)
	switch {
	case err != nil:
		return "", errors.New("the server did not send a valid content type")
	case kind == "text/html" || kind == "application/xhtml+xml":
		return readable(body), nil
	case strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml" ||
		strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml"):
		return body, nil
	}
	return "", fmt.Errorf("not a text page: %.60s", clean.Line(kind))
}
