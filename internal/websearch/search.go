// Package websearch asks a web search engine of the person's choice: one file for each engine's protocol.
//
// [Engine.Address] tells where a query goes, for whoever decides; [Engine.Search] asks and returns at most ten
// pages, each once, as lines without markup. The key is sent in a header to the engine's address alone: redirects
// are not followed, and errors have the key taken out. There is no retry and no cache. A new engine is a file with
// a protocol and a row in protocols.
//
// Unlike package web it dials whatever address the person has set, also on their own network.
package websearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Result is one page that was found.
type Result struct{ Title, URL, Text string }

// Engine is what is asked. The key goes into a header, to this address and nowhere else.
type Engine struct {
	Name string // one of Names
	Base string // its address; empty: the engine's own
	Key  string
}

const (
	most     = 10               // results
	longest  = 500              // bytes of a result's text
	mostTime = 20 * time.Second // of a search
	mostRead = 2 << 20          // bytes of an answer
)

// protocol is how an engine is asked, and how its answer is read.
type protocol struct {
	name, base string // no base: the person names it
	keyless    bool   // works without a key
	ask        func(base, key, query string) (*http.Request, error)
	read       func(answer []byte) ([]Result, error)
}

// protocols are the engines.
var protocols = []protocol{brave, exa, kagi, searxng}

// Names are the engines that can be chosen.
func Names() (names []string) {
	for _, p := range protocols {
		names = append(names, p.name)
	}
	return names
}

// request is how an engine is asked. It also finds what is missing.
func (e Engine) request(query string) (protocol, *http.Request, error) {
	i := slices.IndexFunc(protocols, func(p protocol) bool { return p.name == e.Name })
	if i < 0 {
		return protocol{}, nil, fmt.Errorf("unknown search engine %q; known: %s", e.Name, strings.Join(Names(), ", "))
	}
	p := protocols[i]
	base := strings.TrimRight(cmp.Or(e.Base, p.base), "/")
	switch {
	case base == "":
		return p, nil, fmt.Errorf("search.url is not set, and %s has no default address", p.name)
	case e.Key == "" && !p.keyless:
		return p, nil, fmt.Errorf("search.key is not set, and %s needs one", p.name)
	}
	r, err := p.ask(base, e.Key, query)
	if err == nil {
		r.Header.Set("Accept", "application/json")
		r.Header.Set("User-Agent", "socrates")
	}
	return p, r, err
}

// Address is where a query goes, for whoever decides whether it may.
func (e Engine) Address(query string) (*url.URL, error) {
	_, r, err := e.request(query)
	if err != nil {
		return nil, err
	}
	return r.URL, nil
}

// Search asks the engine. No redirect is followed: it would take the key along.
func (e Engine) Search(ctx context.Context, query string) ([]Result, error) {
	p, r, err := e.request(query)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, mostTime, fmt.Errorf("%s did not answer within %v", e.Name, mostTime))
	defer cancel()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r.WithContext(ctx))
	if err != nil {
		return nil, e.failed(ctx, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostRead))
	if err != nil {
		return nil, e.failed(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		said := e.hide(excerpt(string(text)))
		return nil, fmt.Errorf("%s answered %d %s: %s", e.Name, res.StatusCode, http.StatusText(res.StatusCode), said)
	}
	found, err := p.read(text)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s cannot be read: %s", e.Name, e.hide(err.Error()))
	}
	return kept(found), nil
}

// failed is the error of a request that got no answer.
func (e Engine) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := err.(*url.Error); ok { // its text repeats the address
		err = u.Err
	}
	return fmt.Errorf("%s cannot be reached: %w", e.Name, err)
}

// hide takes the key out of what the engine says.
func (e Engine) hide(text string) string {
	if e.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Key, "***")
}

// kept are the results that are shown: pages of the web, each once, without markup.
func kept(found []Result) (list []Result) {
	for _, r := range found {
		u, err := url.Parse(r.URL)
		twice := slices.ContainsFunc(list, func(other Result) bool { return other.URL == r.URL })
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || twice {
			continue
		}
		if list = append(list, Result{cmp.Or(excerpt(r.Title), u.Host), u.String(), excerpt(r.Text)}); len(list) == most {
			break
		}
	}
	return list
}

// tags are the marks that engines put around the words that were looked for.
var tags = strings.NewReplacer("<strong>", "", "</strong>", "", "<b>", "", "</b>", "", "<em>", "", "</em>", "",
	"&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#x27;", "'", "&#39;", "'")

// excerpt is a text as one line that is not long.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(clean.Line(tags.Replace(text))), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

// get is a request with its query in the address.
func get(address string, values url.Values) (*http.Request, error) {
	return http.NewRequest(http.MethodGet, address+"?"+values.Encode(), nil)
}

// post is a request with a body of JSON.
func post(address string, body any) (*http.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(raw))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}
