package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
)

const (
	mostPage = 2 << 20 // bytes read of a page
	mostTime = 20 * time.Second
	mostHops = 5
)

// typeset are the signs of print that people and models write plainly.
var typeset = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "…", "...")

// blankLines are what is left where a page had blocks within blocks.
var blankLines = regexp.MustCompile(`\s*\n`)

// source fetches a page of an allowed host and looks for the quote in its text. What cannot be fetched shows nothing.
// Each redirect and each dialled address is checked, and no proxy is used: it would dial in our place.
func (l *Looker) source(ctx context.Context, e debate.Evidence) (debate.Observation, error) {
	flat, err := wanted(typeset.Replace(e.Quote))
	if err != nil {
		return debate.Observation{}, err
	}
	address, err := l.address(e.URL)
	if err != nil {
		return debate.Observation{}, err
	}
	page, err := l.fetch(ctx, address)
	if err != nil {
		return debate.Observation{}, fmt.Errorf("fetching from %s: %w", address.Host, err)
	}
	o := debate.Observation{Result: debate.Fail, Grade: debate.Fetched, Detail: "the page does not contain it",
		Proof: debate.Proof{URL: clean.Line(page.url), SHA256: sum(page.body)}}
	t, err := page.text()
	if err != nil {
		return debate.Observation{}, err
	}
	p, found := t.find(flat, 0)
	switch {
	case found:
		o.Result, o.Lines, o.Detail = debate.Pass, t.excerpt(p), "found on the page"
	case page.cut:
		return debate.Observation{}, fmt.Errorf("the first %d MB of the page do not contain it", mostPage>>20)
	}
	return o, nil
}

// page is what was fetched.
type page struct {
	url  string // where the redirects ended
	kind string // its media type
	body []byte
	cut  bool // there was more
}

func (l *Looker) fetch(ctx context.Context, address *url.URL) (page, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, mostTime, fmt.Errorf("it took longer than %v", mostTime))
	defer cancel()
	dialer := net.Dialer{Control: l.dialling}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	client := http.Client{Transport: transport, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) > mostHops {
			return fmt.Errorf("more than %d redirects", mostHops)
		}
		if before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return errors.New("it redirects from https to http")
		}
		if _, err := l.address(next.URL.String()); err != nil {
			return fmt.Errorf("it redirects where it may not: %w", err)
		}
		next.Header.Del("Referer")
		return nil
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return page{}, err
	}
	request.Header.Set("User-Agent", "socrates")
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.8")
	answer, err := client.Do(request)
	if err != nil {
		return page{}, why(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("the answer is %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostPage+1))
	if err != nil {
		return page{}, why(ctx, err)
	}
	got := page{url: answer.Request.URL.String(), kind: answer.Header.Get("Content-Type"), body: body}
	if got.kind == "" {
		got.kind = http.DetectContentType(body)
	}
	if got.cut = len(body) > mostPage; got.cut {
		got.body = body[:mostPage]
	}
	return got, nil
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

// text is what a reader sees of a page.
func (p page) text() (text, error) {
	body := string(p.body)
	if p.cut {
		body = strings.ToValidUTF8(body, "") // the cut may be within a letter
	}
	if !utf8.ValidString(body) { // then it is most often Latin-1, where a byte is a letter
		letters := make([]rune, len(body))
		for i := range len(body) {
			letters[i] = rune(body[i])
		}
		body = string(letters)
	}
	kind, _, err := mime.ParseMediaType(p.kind)
	switch {
	case err != nil:
		return text{}, errors.New("it is not said what kind of page it is")
	case kind == "text/html" || kind == "application/xhtml+xml":
		body = readable(body)
	case strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml" ||
		strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml"):
	default:
		return text{}, fmt.Errorf("it is no page of text but %s", cut(clean.Line(kind), 60))
	}
	return newText(blankLines.ReplaceAllString(typeset.Replace(body), "\n")), nil
}
