package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/web"
)

// open lets everything through that a server of a test is.
func open() web.Client {
	return web.Client{May: func(context.Context, *url.URL) error { return nil }, Inner: func(string, netip.Addr) bool { return true }}
}

func server(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func says(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, text)
	}
}

func TestGet(t *testing.T) {
	var sent *http.Request
	at := server(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r
		says("text/plain; charset=utf-8", "hello")(w, r)
	})
	page, err := open().Get(t.Context(), parsed(t, at+"/a?b=c"))
	if err != nil || page.URL != at+"/a?b=c" || page.MediaType != "text/plain; charset=utf-8" || string(page.Body) != "hello" || page.Cut {
		t.Errorf("%+v %v", page, err)
	}
	want := http.Header{"User-Agent": {"socrates"}, "Accept": {"text/html, text/*;q=0.9, application/json;q=0.8"},
		"Accept-Encoding": {"gzip"}, "Connection": {"close"}}
	if sent.Method != http.MethodGet || fmt.Sprint(sent.Header) != fmt.Sprint(want) {
		t.Errorf("%s %v is sent", sent.Method, sent.Header)
	}
}

// A proxy of the environment would dial in our place, and past every look at an address.
func TestNoProxy(t *testing.T) {
	asked := false
	proxy := server(t, func(http.ResponseWriter, *http.Request) { asked = true })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	if _, err := open().Get(t.Context(), parsed(t, "http://nowhere.invalid/")); err == nil || asked {
		t.Errorf("%v; the proxy was asked: %v", err, asked)
	}
}

// What may not be fetched is not dialled, and the reason is told as it was given.
func TestMay(t *testing.T) {
	asked := false
	at := server(t, func(http.ResponseWriter, *http.Request) { asked = true })
	refused := errors.New("refused")
	c := open()
	c.May = func(context.Context, *url.URL) error { return refused }
	if _, err := c.Get(t.Context(), parsed(t, at)); err != refused || asked {
		t.Errorf("%v; dialled: %v", err, asked)
	}
}

// An address that is not on the public internet is dialled only where Inner lets it: it is told the host as it was named, and
// the address that the name led to.
func TestDial(t *testing.T) {
	at := server(t, says("text/plain", "inside"))
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	for _, c := range []struct {
		host string
		list string
		none bool
		want bool
	}{
		{"127.0.0.1", "127.0.0.1:" + port, false, true}, {"LOCALHOST", "localhost:" + port, false, true}, {"127.0.0.1", "", true, false},
		{"localhost", "", true, false},
		{"127.0.0.1", "127.0.0.1", false, false}, {"localhost", "127.0.0.1:" + port, false, false},
		{"127.0.0.1", "localhost:" + port, false, false},
	} {
		client := open()
		var host string
		var addr netip.Addr
		client.Inner = func(h string, a netip.Addr) bool {
			if a.Is4() {
				host, addr = h, a
			}
			return web.Inner([]string{c.list})(h, a)
		}
		if c.none {
			client.Inner = nil
		}
		page, err := client.Get(t.Context(), parsed(t, "http://"+c.host+":"+port))
		if c.want && (err != nil || string(page.Body) != "inside") || !c.want && (err == nil || !strings.Contains(err.Error(), "not on the public internet")) {
			t.Errorf("%s with %q: %q %v", c.host, c.list, page.Body, err)
		}
		if !c.none && (host != strings.ToLower(c.host)+":"+port || addr != netip.MustParseAddr("127.0.0.1")) {
			t.Errorf("%s: asked about %s at %v", c.host, host, addr)
		}
	}
}

// hops redirects n times before it answers; each URL names how many are left.
func hops(t *testing.T) string {
	return server(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		if r.Header.Get("Referer") != "" {
			t.Errorf("it is told where one came from: %s", r.Header.Get("Referer"))
		}
		if n == 0 {
			says("text/plain", "there")(w, r)
			return
		}
		http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusFound)
	})
}

// Five redirects are followed, and each is asked for first.
func TestRedirects(t *testing.T) {
	at := hops(t)
	for _, n := range []int{0, 1, 5, 6} {
		var asked []string
		c := open()
		c.May = func(_ context.Context, u *url.URL) error {
			asked = append(asked, u.Path)
			return nil
		}
		page, err := c.Get(t.Context(), parsed(t, fmt.Sprintf("%s/%d", at, n)))
		var want []string
		for i := n; i >= max(0, n-5); i-- {
			want = append(want, "/"+strconv.Itoa(i))
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%d redirects: asked about %v, not %v", n, asked, want)
		}
		if n <= 5 && (err != nil || page.URL != at+"/0" || string(page.Body) != "there") || n > 5 && (err == nil || err.Error() != "more than 5 redirects") {
			t.Errorf("%d redirects: %+v %v", n, page, err)
		}
	}
}

// A redirect to what may not be fetched, or to what is no URL a person could give, is not followed.
func TestRedirectsAstray(t *testing.T) {
	forbidden := false
	other := server(t, func(http.ResponseWriter, *http.Request) { forbidden = true })
	for to, want := range map[string]string{
		other + "/forbidden": "it redirects to a forbidden address: not there", "http://user:word@" + strings.TrimPrefix(other, "http://"): "it redirects to a forbidden address: the URL contains a user name",
		"ftp://a/":   "it redirects to a forbidden address: the URL is neither http nor https",
		"http://a./": "it redirects to a forbidden address: the URL's host cannot be read",
	} {
		at := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
		c := open()
		c.May = func(_ context.Context, u *url.URL) error {
			if u.Path == "/forbidden" {
				return errors.New("not there")
			}
			return nil
		}
		if _, err := c.Get(t.Context(), parsed(t, at)); err == nil || err.Error() != want || forbidden {
			t.Errorf("to %s: %v; followed: %v", to, err, forbidden)
		}
	}
}

// No page that was asked for over TLS leads to one that is not.
func TestRedirectFromTLS(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"https", "http", false}, {"https", "https", true}, {"http", "http", true}, {"http", "https", true}} {
		from, to := &http.Request{URL: parsed(t, c.from+"://a/")}, &http.Request{URL: parsed(t, c.to+"://b/"), Header: http.Header{"Referer": {"x"}}}
		first := &http.Request{URL: parsed(t, "https://first/")}
		err := web.Redirect(open(), to, []*http.Request{first, from})
		if (err == nil) != c.want || err != nil && err.Error() != "it redirects from https to http" {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
		if c.want && to.Header.Get("Referer") != "" {
			t.Errorf("%s to %s: it is told where one came from", c.from, c.to)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	for status, want := range map[int]string{404: "the server answered 404 Not Found", 500: "the server answered 500 Internal Server Error", 201: "the server answered 201 Created", 304: "the server answered 304 Not Modified"} {
		at := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if _, err := open().Get(t.Context(), parsed(t, at)); err == nil || err.Error() != want {
			t.Errorf("%d: %v", status, err)
		}
	}
	short := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "short")
	})
	if page, err := open().Get(t.Context(), parsed(t, short)); err == nil || page.Body != nil {
		t.Errorf("an answer that breaks off: %q, %v", page.Body, err)
	}
	_, err := open().Get(t.Context(), parsed(t, strings.Replace(short, "http:", "https:", 1)))
	if err == nil || strings.Contains(err.Error(), short) || strings.Contains(err.Error(), "Get ") {
		t.Errorf("the reason repeats the URL: %v", err)
	}
	large := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 80<<10))
		says("text/plain", "")(w, r)
	})
	if _, err := open().Get(t.Context(), parsed(t, large)); err == nil {
		t.Error("headers of 80 kB are read")
	}
}

// Whoever ends a fetch is told their own reason, be it before the answer or within it.
func TestEnded(t *testing.T) {
	why := errors.New("the person left")
	for _, begun := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		at := server(t, func(w http.ResponseWriter, r *http.Request) {
			if begun {
				fmt.Fprint(w, "begun")
				w.(http.Flusher).Flush()
			}
			cancel(why)
			<-r.Context().Done()
		})
		if _, err := open().Get(ctx, parsed(t, at)); !errors.Is(err, why) {
			t.Errorf("begun %v: %v", begun, err)
		}
	}
}

func TestCut(t *testing.T) {
	for _, more := range []int{-1, 0, 1, 1000} {
		at := server(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write(bytes.Repeat([]byte("x"), web.Most+more))
		})
		page, err := open().Get(t.Context(), parsed(t, at))
		if err != nil || len(page.Body) != web.Most+min(more, 0) || page.Cut != (more > 0) {
			t.Errorf("%d bytes more: %d, %v, %v", more, len(page.Body), page.Cut, err)
		}
	}
}

// A server that does not say what it sends is looked at.
func TestKindOfABody(t *testing.T) {
	for body, want := range map[string]string{"<html>x": "text/html; charset=utf-8", "x": "text/plain; charset=utf-8",
		"\x00\x01": "application/octet-stream"} {
		at := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			fmt.Fprint(w, body)
		})
		if page, err := open().Get(t.Context(), parsed(t, at)); err != nil || page.MediaType != want {
			t.Errorf("%q: %q %v", body, page.MediaType, err)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		kind, body string
		cut        bool
		want, err  string
	}{
		{"text/plain", "a<b>c", false, "a<b>c", ""}, {"text/plain; charset=utf-8", "x", false, "x", ""},
		{"TEXT/Markdown", "# x", false, "# x", ""}, {"application/json", "{}", false, "{}", ""},
		{"application/xml", "<a/>", false, "<a/>", ""}, {"application/ld+json", "{}", false, "{}", ""},
		{"application/rss+xml", "<a/>", false, "<a/>", ""},
		{"text/html", "a<b>c</b>", false, "ac", ""}, {"text/html; charset=utf-8", "a<br>c", false, "a\nc", ""},
		{"application/xhtml+xml", "a<p>c", false, "a\nc", ""},
		{"text/plain", "Gr\xfc\xdfe", false, "Grüße", ""}, {"text/html", "<b>Gr\xfc\xdfe", false, "Grüße", ""},
		{"text/plain", "Grüße", false, "Grüße", ""},
		{"text/plain", "Gr\xc3", true, "Gr", ""}, {"text/plain", "Gr\xc3", false, "GrÃ", ""},
		{"text/plain", "Gr\xfc\xdfe an alle", true, "Grüße an alle", ""}, {"text/plain", "", true, "", ""},
		{"image/png", "x", false, "", "not a text page: image/png"},
		{"application/pdf", "x", false, "", "not a text page: application/pdf"},
		{"application/octet-stream", "x", false, "", "not a text page: application/octet-stream"},
		{"", "x", false, "", "the server did not send a valid content type"}, {"/", "x", false, "", "the server did not send a valid content type"},
		{"image/" + strings.Repeat("x", 100), "", false, "", "not a text page: image/" + strings.Repeat("x", 54)},
	} {
		got, err := web.Page{MediaType: c.kind, Body: []byte(c.body), Cut: c.cut}.Text()
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s %q: %q, %v", c.kind, c.body, got, err)
		}
	}
}

// Of HTML only what a reader sees is kept, with a line for each block.
func TestReadable(t *testing.T) {
	for body, want := range map[string]string{
		"<p>one</p><p>two</p>": "\none\ntwo\n", "a<span>b</span><em>c</em>d": "abcd", "a<br/>b": "a\nb",
		"a &amp; b &lt;c&gt;": "a & b <c>", "<div><div><div>x</div></div></div>": "\nx\n",
		"a<script>evil()</script>b": "ab", "a<style>b{}</style>c": "ac", "a<template><p>x</p></template>b": "ab",
		"a<svg><text>x</text></svg>b": "ab", "a<noscript>x</noscript>b": "ab", "a<iframe>x</iframe>b": "ab",
		"a<SCRIPT>x</SCRIPT>b": "ab", "a<script>x</style>y</script>b": "ab", "a<svg><p>x</p></svg>b": "ab", "a<script>x": "a",
		"a</script>b": "a\nb", "a<svg/>b": "a\nb", "<!-- x -->a": "a", "<!doctype html>a": "a",
		"": "", "<p>a   \n\n  b": "\na\n  b", "<style>x</style><script>y</script>z": "z",
	} {
		if got, err := (web.Page{MediaType: "text/html", Body: []byte(body)}).Text(); err != nil || got != want {
			t.Errorf("%q: %q %v, not %q", body, got, err, want)
		}
	}
}

// Elements within a line do not break it.
func TestReadableLine(t *testing.T) {
	for _, name := range strings.Fields("a abbr b bdi bdo cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr") {
		body := "one <" + name + ">two</" + name + "> three"
		if got, err := (web.Page{MediaType: "text/html", Body: []byte(body)}).Text(); err != nil || got != "one two three" {
			t.Errorf("%s: %q %v", body, got, err)
		}
	}
}
